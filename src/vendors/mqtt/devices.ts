import type { CommandOf, SetPoint } from '../../adapter/commands.ts';
import { detailsOf, gather, refused } from '../../adapter/kit/index.ts';
import { publishScript } from '../../adapter/scripts/mqtt.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import { AppError } from '../../core/errors.ts';
import { brokerOf, placeOf } from './link.ts';
import { hear, heardOf, isEmpty, isWhole, newestMessage, type Reading, readIn, topicsOf } from './reading.ts';
import { Mapping, type ReadName } from './schemas.ts';

const READ_MS = 4_000;
const CONFIRMED_MS = 5_000;

/** Asks those devices that can be asked, and listens until all have reported, or for 4 s; what a device does not report again stays. */
export async function sweep(
  session: Session,
  devices: readonly DeviceRef[],
): Promise<ReadonlyMap<string, Reading>> {
  const { clock } = session;
  const broker = brokerOf(session);
  const before = newestMessage();
  const waiting = new Set(devices);
  const isHeard = (device: DeviceRef) => isWhole(heardOf(device), before);
  await gather(session, broker, {
    topics: [...new Set(devices.flatMap((device) => topicsOf(heardOf(device).mapping)))],
    withinMs: READ_MS,
    subscribed: () =>
      Promise.all(
        devices.flatMap((device) =>
          (heardOf(device).mapping.ask ?? []).map((message) =>
            broker.publish({ ...message, device: device.id }),
          ),
        ),
      ),
    take(message) {
      for (const device of devices) hear(device, message, clock.now());
      for (const device of waiting) if (isHeard(device)) waiting.delete(device);
      return waiting.size === 0;
    },
  });
  return new Map(
    devices.flatMap((device): [string, Reading][] => {
      const reading = heardOf(device);
      return isEmpty(reading) ? [] : [[device.id, reading]];
    }),
  );
}

export async function read(session: Session, device: DeviceRef): Promise<Reading> {
  const reading = (await sweep(session, [device])).get(device.id);
  if (reading !== undefined) return reading;
  const [topic = ''] = topicsOf(detailsOf(Mapping, device));
  throw new AppError(
    'vendor.timeout',
    `${device.id} has published nothing on ${topic} for ${READ_MS / 1_000} s, and the broker has kept nothing of it`,
  );
}

type Control = keyof NonNullable<Mapping['controls']>;

interface Wanted {
  readonly control: Control;
  /** The value that the device is to report. */
  readonly seenBy: ReadName;
  readonly value: string | number | boolean;
  readonly isSeen: (value: number | boolean) => boolean;
}

const messageFor = (
  { property, topic }: { readonly property?: string; readonly topic: string },
  value: Wanted['value'],
) => ({ topic, payload: property === undefined ? String(value) : JSON.stringify({ [property]: value }) });

/** Publishes a command, and waits until the device reports what was wanted: that a broker took it says nothing of the device. */
async function order(session: Session, device: DeviceRef, wanted: Wanted): Promise<void> {
  const { reads, controls } = detailsOf(Mapping, device);
  const control = controls?.[wanted.control];
  const source = reads[wanted.seenBy];
  if (control === undefined || source === undefined)
    throw refused(`${device.id} has no ${wanted.control} in its mapping`);
  const reply = await brokerOf(session).request({
    ...messageFor(control, wanted.value),
    replyTopic: source.topic,
    timeoutMs: CONFIRMED_MS,
    use: 'command',
    device: device.id,
    isReply(message) {
      const value = readIn(wanted.seenBy, source, message);
      return value !== undefined && value !== null && wanted.isSeen(value);
    },
  });
  hear(device, reply, session.clock.now());
}

const turn = (isOn: boolean) => (session: Session, device: DeviceRef) => {
  const { on = '', off = '' } = detailsOf(Mapping, device).controls?.on_off ?? {};
  return order(session, device, {
    control: 'on_off',
    seenBy: 'power_on',
    value: isOn ? on : off,
    isSeen: (value) => value === isOn,
  });
};

export const onOff = { turn_on: turn(true), turn_off: turn(false) };

const limitTo = (session: Session, device: DeviceRef, watts: number) =>
  order(session, device, {
    control: 'set_limit',
    seenBy: 'limit',
    value: watts,
    isSeen: (value) => typeof value === 'number' && Math.abs(value - watts) < 1,
  });

export async function setLimit(
  session: Session,
  device: DeviceRef,
  { max_w }: CommandOf<'set_limit'>,
): Promise<void> {
  if (max_w === undefined) throw refused(`${device.id} limits by power only; set max_w`);
  await limitTo(session, device, max_w);
}

/** A limit at its highest limits nothing. The bytes are confirmed by the broker alone. */
export const noLimit = {
  async release(session, device) {
    await limitTo(session, device, detailsOf(Mapping, device).controls?.set_limit?.max_w ?? 0);
  },
  async releaseBytes(session, device) {
    const control = detailsOf(Mapping, device).controls?.set_limit;
    if (control === undefined) return undefined;
    const script = publishScript(placeOf(session), messageFor(control, control.max_w));
    return script && [script];
  },
} satisfies SetPoint;

export async function setLight(
  session: Session,
  device: DeviceRef,
  { dim, color }: CommandOf<'set_light'>,
): Promise<void> {
  if (color !== undefined || dim === undefined)
    throw refused(`${device.id} can be dimmed, and no colour can be set over MQTT; set dim alone`);
  const { max = 100 } = detailsOf(Mapping, device).controls?.set_light ?? {};
  await order(session, device, {
    control: 'set_light',
    seenBy: 'dim',
    value: Math.round((dim * max) / 100),
    isSeen: (value) => typeof value === 'number' && Math.abs(value - dim) <= 1,
  });
}

/** Thermostats round to their steps, of at most half a degree. */
const STEP_MILLI_C = 250;

/** A target is sent in °C. */
export async function setTemperature(
  session: Session,
  device: DeviceRef,
  { target_milli_c }: CommandOf<'set_temperature'>,
): Promise<void> {
  await order(session, device, {
    control: 'set_temperature',
    seenBy: 'target',
    value: target_milli_c / 1_000,
    isSeen: (value) => typeof value === 'number' && Math.abs(value - target_milli_c) <= STEP_MILLI_C,
  });
}
