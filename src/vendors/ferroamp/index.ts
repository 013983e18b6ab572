import Type, { type Static } from 'typebox';
import { type Adapter, kind } from '../../adapter/adapter.ts';
import type { CommandOf, SetPoint } from '../../adapter/commands.ts';
import type { MqttMessage } from '../../adapter/connections.ts';
import { outcomeUnknown } from '../../adapter/failures.ts';
import { messageIn, refused, word } from '../../adapter/kit/index.ts';
import type { WordsFor } from '../../adapter/login.ts';
import { publishScript } from '../../adapter/scripts/mqtt.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import type { Stream } from '../../adapter/stream.ts';
import { AppError } from '../../core/errors.ts';
import {
  batteryLimits,
  batteryStatus,
  brokerOf,
  Credentials,
  identified,
  link,
  list,
  meteredIn,
  ofDevice,
  PORT,
  placeOf,
  type Reading,
  read,
  readingOf,
  solarStatus,
  sweep,
} from './client.ts';
import { BATTERIES, CONVERTERS, HUB, hear, nothingHeard, STRINGS, socOf } from './translate.ts';

/** Longer than the keep-alive of the connection, which counts as a sign of life. */
const SILENCE_SECONDS = 60;
/** A hub that reports every second and then nothing for so long has lost its mind, or its broker the hub. */
const QUIET_MS = 30_000;
/** A report every second is more than anybody looks at. */
const REPORT_MS = 5_000;

/** The reports of a hub, of which one in five is passed on. */
const stream = {
  silenceSeconds: SILENCE_SECONDS,
  async run(session, devices, opened) {
    const { clock, log, signal } = session;
    const heard = nothingHeard();
    const quiet = new AbortController();
    let cancel = () => {};
    const watch = () => {
      cancel();
      cancel = clock.after(QUIET_MS, () => quiet.abort());
    };
    watch();
    try {
      const topics = [HUB, STRINGS, CONVERTERS, BATTERIES];
      const messages = await brokerOf(session).messages(topics, { signal: quiet.signal });
      opened();
      const began = clock.now();
      let reportedAt = Number.NEGATIVE_INFINITY;
      let isNoted = false;
      for await (const message of messages) {
        if (!hear(heard, message)) {
          if (!isNoted) log.warn({ topic: message.topic }, 'a message of an EnergyHub was not understood');
          isNoted = true;
          continue;
        }
        const reading = message.topic === HUB ? readingOf(session, heard) : undefined;
        if (reading === undefined) continue;
        watch();
        const now = clock.now();
        // The first report of the converters is waited for, that none has to be read for it.
        const isWhole = socOf(heard) !== null || now - began >= REPORT_MS * 2;
        if (now - reportedAt < REPORT_MS) continue;
        if (devices.every(({ type }) => type !== 'battery') || isWhole) {
          reportedAt = now;
          for (const device of devices) session.observed(device.id, ofDevice(reading, device));
        }
      }
      if (!signal.aborted && quiet.signal.aborted)
        throw new AppError('vendor.timeout', `the EnergyHub has published nothing for ${QUIET_MS / 1_000} s`);
    } finally {
      cancel();
    }
  },
} satisfies Stream;

const words = {
  en: {
    host: {
      label: 'Address of the EnergyHub',
      hint: 'Its IP address in your home network, such as 192.168.1.40. Your router lists it.',
      fault: 'Enter an address such as 192.168.1.40, without http://.',
    },
    username: {
      label: 'User name of the External API',
      hint: 'Ferroamp switches the API on and gives you the user name and the password: ask their support for "External API, MQTT".',
    },
    password: { label: 'Password of the External API' },
    port: { label: 'Port', hint: '1883, unless you have changed it.' },
  },
  sv: {
    host: {
      label: 'EnergyHubens adress',
      hint: 'Dess IP-adress i ditt hemnät, till exempel 192.168.1.40. Den står i din router.',
      fault: 'Skriv en adress som 192.168.1.40, utan http://.',
    },
    username: {
      label: 'Användarnamn för External API',
      hint: 'Ferroamp slår på API:et och ger dig användarnamn och lösenord: be deras support om ”External API, MQTT”.',
    },
    password: { label: 'Lösenord för External API' },
    port: { label: 'Port', hint: '1883, om du inte har ändrat den.' },
  },
} satisfies WordsFor<keyof Static<typeof Credentials>>;

const REQUEST = 'extapi/control/request';
/** At once: whether the hub takes the command. */
const RESPONSE = 'extapi/control/response';
/** Later: what its converters made of it. */
const RESULT = 'extapi/control/result';
const REPLIES_MS = 5_000;
const MOST_REASON = 160;

const Reply = Type.Object({
  transId: Type.Union([Type.String(), Type.Number()]),
  status: Type.String(),
  msg: Type.Optional(Type.Unknown()),
});

interface Order {
  readonly name: 'charge' | 'discharge' | 'auto';
  readonly arg?: string;
}

/**
 * Sends an order with an id of its own, and waits for the replies that carry it. Throws `vendor.refused` with the hub's reason for a `nak`. An
 * order that was acknowledged holds, whether or not a result follows.
 */
async function order(session: Session, { id }: DeviceRef, cmd: Order): Promise<void> {
  const transId = crypto.randomUUID();
  let isAcknowledged = false;
  const replyIn = (message: MqttMessage) => {
    if (message.topic !== RESPONSE && message.topic !== RESULT) return undefined;
    const reply = messageIn(message.text(), Reply);
    return String(reply?.transId) === transId ? reply : undefined;
  };
  const asked = brokerOf(session).request({
    topic: REQUEST,
    payload: JSON.stringify({ transId, cmd }),
    replyTopic: 'extapi/control/+',
    timeoutMs: REPLIES_MS,
    use: 'command',
    device: id,
    isReply(message) {
      const reply = replyIn(message);
      if (reply === undefined) return false;
      isAcknowledged ||= reply.status === 'ack';
      return reply.status !== 'ack' || message.topic === RESULT;
    },
  });
  const last = await asked.catch((error: unknown) => {
    if (isAcknowledged && error instanceof AppError && error.code === 'command.outcome_unknown')
      return undefined;
    throw error;
  });
  const reply = last === undefined ? undefined : replyIn(last);
  if (reply === undefined || reply.status === 'ack') return;
  if (reply.status !== 'nak') throw outcomeUnknown('Ferroamp');
  throw refused(`the EnergyHub refused the command: ${word(reply.msg, MOST_REASON) ?? 'it gave no reason'}`);
}

/** The order for a set-point: the hub has a word for each direction, and 0 W stops the battery, which `auto` would not. */
async function setBatteryPower(
  session: Session,
  device: DeviceRef,
  { power_w }: CommandOf<'set_battery_power'>,
): Promise<void> {
  await order(session, device, {
    name: power_w < 0 ? 'discharge' : 'charge',
    arg: String(Math.abs(power_w)),
  });
}

const AUTO: Order = { name: 'auto' };

/** Gives the battery back to the hub. The bytes are confirmed by its broker alone. */
const automatic = {
  release: (session, device) => order(session, device, AUTO),
  async releaseBytes(session) {
    const payload = JSON.stringify({ transId: 'elnav-gateway', cmd: AUTO });
    const script = publishScript(placeOf(session), { topic: REQUEST, payload });
    return script && [script];
  },
} satisfies SetPoint;

/** The Ferroamp EnergyHub: panels and batteries, over the MQTT broker in the box (External API, extapi). */
export const ferroamp = {
  slug: 'ferroamp',
  name: 'Ferroamp',
  isLocal: true,
  credentials: Credentials,
  words,
  ports: [PORT],
  discovers: {
    ports: [PORT],
    credentialsAt: ({ host, port }) => (port === PORT ? { host } : { host, port }),
    identify: identified,
  },
  pace: { active: 30, idle: 60, asleep: 300 },
  pushes: true,
  pollSeconds: 15,
  stream,
  localSimulator: () => import('./simulator.ts'),
  link,
  list,
  sweep,
  kinds: {
    solar_inverter: kind<Reading>({
      read,
      status: solarStatus,
      observedAt: ({ at }) => at,
      reads: { read_production: ({ hub }) => hub.productionW, read_energy: ({ hub }) => hub.solarWh },
      controls: {},
    }),
    battery: kind<Reading>({
      read,
      status: batteryStatus,
      observedAt: ({ at }) => at,
      reads: { read_battery_soc: ({ soc }) => soc, read_power: ({ hub }) => hub.batteryW },
      controls: { set_battery_power: { set_battery_power: setBatteryPower } },
      setPoints: { set_battery_power: automatic },
      limits: batteryLimits,
    }),
    industrial: kind<Reading>({
      read,
      status: () => ({ online: true }),
      observedAt: ({ at }) => at,
      reads: {
        read_power: (reading) => meteredIn(reading)?.powerW ?? null,
        read_energy: (reading) => meteredIn(reading)?.energyWh ?? null,
      },
      controls: {},
    }),
  },
} satisfies Adapter;
