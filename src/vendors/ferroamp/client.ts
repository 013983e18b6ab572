import Type, { type Static } from 'typebox';
import type { Linked } from '../../adapter/adapter.ts';
import type { Broker, MqttConnection } from '../../adapter/connections.ts';
import type { Found, HouseMeter } from '../../adapter/device.ts';
import { type Limits, NO_LIMITS, type Status } from '../../adapter/device.ts';
import type { Identified } from '../../adapter/discovers.ts';
import { deviceTimes, gather, houseMeters, signedIn } from '../../adapter/kit/index.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import { AppError } from '../../core/errors.ts';
import {
  CONVERTERS,
  type Heard,
  HUB,
  type Hub,
  hear,
  type Metered,
  nothingHeard,
  ratedWOf,
  STRINGS,
  serialOf,
  socOf,
} from './translate.ts';

export const PORT = 1_883;
/** Units report every 5 s, and a call has 14. */
const UNITS_MS = 11_000;
/** A hub reports every second, its converters every 5. */
const READ_MS = 7_000;
/** Below it a battery is idle: what its electronics take is measured too. */
const IDLE_W = 50;

export const Credentials = Type.Object(
  {
    host: Type.String({ minLength: 1, maxLength: 253, pattern: '^[^\\s/@]+$' }),
    username: Type.String({ minLength: 1, maxLength: 256 }),
    password: Type.String({ minLength: 1, maxLength: 256, writeOnly: true }),
    port: Type.Optional(Type.Integer({ minimum: 1, maximum: 65_535 })),
  },
  { additionalProperties: false },
);

/** Where the broker of a hub is. */
export function placeOf({ credentials }: Pick<Session, 'credentials'>): Broker {
  const { port = PORT, ...broker } = credentials as Static<typeof Credentials>;
  return { ...broker, port, isUsersSignIn: true };
}

/** The broker of a hub. */
export const brokerOf = (session: Pick<Session, 'connections' | 'credentials'>): MqttConnection =>
  session.connections.mqtt(placeOf(session));

/** A hub as one of its devices shows it. */
export interface Reading {
  readonly hub: Hub;
  readonly soc: number | null;
  readonly ratedW: number | null;
  /** When the hub measured, ms since 1970; null where it does not say. */
  readonly at: number | null;
  /** Which meter of the house it is of. */
  readonly meter?: HouseMeter;
}

const times = deviceTimes();
type Asking = Parameters<typeof times>[0];

/** Undefined before the hub has said anything. */
export function readingOf(session: Asking, heard: Heard): Reading | undefined {
  const { hub } = heard;
  if (hub === undefined) return undefined;
  return { hub, soc: socOf(heard), ratedW: ratedWOf(heard), at: times(session, hub.time) };
}

/** The reading as a device of the hub shows it. */
export const ofDevice = (reading: Reading, { measures }: Pick<DeviceRef, 'measures'>): Reading =>
  measures === undefined ? reading : { ...reading, meter: measures };

/** What the hub measures for a meter of the house. */
export const meteredIn = ({ hub, meter = 'grid' }: Reading): Metered | undefined => hub[meter];

const silent = (code: 'vendor.timeout' | 'vendor.refused') =>
  new AppError(
    code,
    'the broker answered, and the EnergyHub published nothing on extapi/data/ehub, where it reports every second; ask Ferroamp to switch on its MQTT API',
  );

/** Waits for the next report: nothing can be asked for. */
export async function read(session: Session, device: Pick<DeviceRef, 'type' | 'measures'>): Promise<Reading> {
  const heard = nothingHeard();
  const isBattery = device.type === 'battery';
  await gather(session, brokerOf(session), {
    topics: isBattery ? [HUB, CONVERTERS] : [HUB],
    withinMs: READ_MS,
    take: (message) =>
      hear(heard, message) && heard.hub !== undefined && (!isBattery || socOf(heard) !== null),
  });
  const reading = readingOf(session, heard);
  if (reading === undefined) throw silent('vendor.timeout');
  return ofDevice(reading, device);
}

/** All devices of a hub are in the same reports. */
export async function sweep(
  session: Session,
  devices: readonly DeviceRef[],
): Promise<ReadonlyMap<string, Reading>> {
  const reading = await read(
    session,
    devices.find(({ type }) => type === 'battery') ?? { type: 'solar_inverter' },
  );
  return new Map(devices.map((device) => [device.id, ofDevice(reading, device)]));
}

/** Listens until all units have reported once: then what the hub has, and what its number is, can be told. */
async function listen(session: Session): Promise<Heard> {
  const heard = nothingHeard();
  const reports = new Map<string, number>();
  const isRepeated = (topic: string) => {
    const units = topic === STRINGS ? heard.strings.size : heard.converters.size;
    return (reports.get(topic) ?? 0) > units;
  };
  await signedIn(
    gather(session, brokerOf(session), {
      topics: [HUB, STRINGS, CONVERTERS],
      withinMs: UNITS_MS,
      take(message) {
        if (!hear(heard, message)) return false;
        reports.set(message.topic, (reports.get(message.topic) ?? 0) + 1);
        const { hub } = heard;
        if (hub === undefined) return false;
        const awaited = [...(hub.hasPanels ? [STRINGS] : []), ...(hub.hasBattery ? [CONVERTERS] : [])];
        return awaited.length > 0 && awaited.every(isRepeated);
      },
    }),
  );
  return heard;
}

/**
 * A hub's broker admits nobody without a user name, and says no more before that. So does many another broker at this port: only the sign-in
 * tells. One that admits anybody is none.
 */
export async function identified(session: Session): Promise<Identified | undefined> {
  try {
    await brokerOf(session).messages([HUB]);
    return undefined;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'vendor.login_expired') throw error;
    return { name: 'MQTT broker with a password', isUncertain: true };
  }
}

export async function link(session: Session): Promise<Linked> {
  const heard = await listen(session);
  if (heard.hub === undefined) throw silent('vendor.refused');
  const { host } = session.credentials as Static<typeof Credentials>;
  const serial = serialOf(heard);
  return { vendorAccount: serial ?? host, devices: devicesOf(heard.hub, serial ?? host) };
}

/** The devices keep the ids that they were linked with, whatever unit reports first. */
export async function list(session: Session, known: readonly DeviceRef[]): Promise<readonly Found[]> {
  const { hub } = await listen(session);
  const serial = known[0]?.details.serial;
  if (hub === undefined || typeof serial !== 'string') throw silent('vendor.timeout');
  return devicesOf(hub, serial);
}

function devicesOf({ hasPanels, hasBattery, grid, house }: Hub, serial: string): Found[] {
  const id = serial.replaceAll(/[^\w.-]/g, '-');
  const details = { serial };
  return [
    ...(hasPanels
      ? [{ id: `${id}-solar`, type: 'solar_inverter' as const, name: 'Ferroamp EnergyHub', details }]
      : []),
    ...(hasBattery
      ? [{ id: `${id}-battery`, type: 'battery' as const, name: 'Ferroamp battery', details }]
      : []),
    ...houseMeters(id, [...(grid ? (['grid'] as const) : []), ...(house ? (['house'] as const) : [])], {
      details,
    }),
  ];
}

export const solarStatus = (): Status => ({ online: true });

export function batteryStatus({ hub: { batteryW } }: Reading): Status {
  return { online: true, charging: batteryW === null ? null : batteryW > IDLE_W };
}

/** What the batteries may do by what they say; the hub refuses more by itself. */
export function batteryLimits({ ratedW }: Reading): Limits {
  return ratedW === null ? NO_LIMITS : { ...NO_LIMITS, min_w: 0 - ratedW, max_w: ratedW };
}
