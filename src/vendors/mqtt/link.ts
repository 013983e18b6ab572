import type { Linked } from '../../adapter/adapter.ts';
import type { Broker, DeviceCertificates, MqttConnection } from '../../adapter/connections.ts';
import type { Found } from '../../adapter/device.ts';
import { fits, gather, jsonIn, listedOnce, signedIn } from '../../adapter/kit/index.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import { AppError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import { topicsOf } from './reading.ts';
import type { Credentials, MappedDevice, Mapping, ReadName } from './schemas.ts';
import {
  knownOfTasmota,
  StatusSns,
  StatusSts,
  type TasmotaStatus,
  tasmotaDevices,
  tasmotaTopics,
} from './tasmota.ts';
import { zigbeeDevices } from './zigbee.ts';

export const PORT = 1_883;
export const TLS_PORT = 8_883;
/** A retained message comes with the subscription. */
const RETAINED_MS = 6_000;
/** Devices with Tasmota answer within a second. */
const ANSWERED_MS = 3_000;
const MIB = 1024 * 1024;

export const credentialsOf = ({ credentials }: Pick<Session, 'credentials'>) => credentials as Credentials;

const addressOf = ({ host, tls = false, port = tls ? TLS_PORT : PORT }: Credentials) => ({ host, port });

/** A broker that is its own authority: the platform keeps the certificate that it shows while it is linked. */
export const deviceCertificates: DeviceCertificates = {
  at(credentials) {
    const given = credentials as Credentials;
    return given.tls === true && given.own_certificate === true ? addressOf(given) : undefined;
  },
};

/** Where the broker of a link is. */
export function placeOf(session: Pick<Session, 'credentials'>): Broker {
  const credentials = credentialsOf(session);
  const { username, password, tls = false } = credentials;
  return {
    ...addressOf(credentials),
    isSecure: tls,
    isUsersSignIn: true,
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
  };
}

export const brokerOf = (session: Pick<Session, 'connections' | 'credentials'>): MqttConnection =>
  session.connections.mqtt(placeOf(session));

const invalid = (sentence: string) => new AppError('link.credentials_invalid', sentence);

/** What a control needs besides itself, so that its outcome can be seen. */
const SEEN_BY = {
  on_off: 'power_on',
  set_limit: 'limit',
  set_light: 'dim',
  set_temperature: 'target',
} as const satisfies Record<string, ReadName>;
const CONTROLS = Object.keys(SEEN_BY) as (keyof typeof SEEN_BY)[];
const TYPES_OF = {
  set_limit: ['industrial'],
  set_light: ['light'],
  set_temperature: ['thermostat'],
  on_off: ['smart_home_appliance', 'light', 'industrial'],
} as const;

/** What a type of device shows; `power_on`, `limit`, `dim` and `target` come with it, or with its controls. */
const READS_OF = {
  smart_home_appliance: ['read_power', 'read_energy', 'read_temperature', 'power_on'],
  light: ['read_power', 'read_energy', 'power_on', 'dim'],
  thermostat: ['read_temperature', 'target'],
  solar_inverter: ['read_production', 'read_energy', 'read_temperature'],
  industrial: ['read_power', 'read_energy', 'read_temperature', 'power_on', 'limit'],
} as const satisfies Record<MappedDevice['type'], readonly ReadName[]>;

/** Checks what a schema cannot say; throws `link.credentials_invalid`, which names the field. */
function mapped({ id, name, type, measures, ...mapping }: MappedDevice, index: number): Found {
  const at = `credentials.devices.${index}`;
  if (Object.keys(mapping.reads).length === 0)
    throw invalid(
      `${at}.reads is empty; map at least one of read_power, read_energy, read_temperature, read_production, power_on`,
    );
  for (const control of CONTROLS) {
    if (mapping.controls?.[control] === undefined) continue;
    if (!TYPES_OF[control].some((one) => one === type))
      throw invalid(
        `${at}.controls.${control} is not possible for the type ${type}; it is for ${TYPES_OF[control].join(', ')}`,
      );
    if (mapping.reads[SEEN_BY[control]] === undefined)
      throw invalid(
        `${at}.reads.${SEEN_BY[control]} is missing: ${at}.controls.${control} needs it, so that what became of a command can be seen`,
      );
  }
  const shown: readonly string[] = READS_OF[type];
  const unshown = Object.keys(mapping.reads).find((name) => !shown.includes(name));
  if (unshown !== undefined)
    throw invalid(
      `${at}.reads.${unshown} is not possible for the type ${type}, which has ${shown.join(', ')}; leave it out, or choose another type`,
    );
  if (measures !== undefined && (type !== 'industrial' || mapping.reads.read_power === undefined))
    throw invalid(`${at}.measures is for an industrial with reads.read_power: a meter; leave it out`);
  const { min_w = 0, max_w = 1 } = mapping.controls?.set_limit ?? {};
  if (min_w >= max_w) throw invalid(`${at}.controls.set_limit.min_w must be below max_w`);
  const { min_c = 0, max_c = 1 } = mapping.controls?.set_temperature ?? {};
  if (min_c >= max_c) throw invalid(`${at}.controls.set_temperature.min_c must be below max_c`);
  const { on, off } = mapping.reads.power_on ?? { on: 1, off: 0 };
  if (String(on) === String(off)) throw invalid(`${at}.reads.power_on.on and .off must be different values`);
  return {
    ...{ id, type, details: mapping },
    ...(name === undefined ? {} : { name }),
    ...(measures === undefined ? {} : { measures }),
  };
}

/** The devices of the credentials, those that Tasmota tells of, and those that Zigbee2MQTT lists. */
export async function devicesOf(session: Session, known: readonly DeviceRef[] = []): Promise<Found[]> {
  const { devices = [], tasmota_topics = '', zigbee2mqtt_topic } = credentialsOf(session);
  const topics = tasmota_topics.split(',').flatMap((topic) => topic.trim() || []);
  if (devices.length + topics.length === 0 && zigbee2mqtt_topic === undefined)
    throw invalid('credentials name no device: fill in zigbee2mqtt_topic, tasmota_topics or devices');
  const mine = devices.map(mapped);
  const given = [...mine, ...(topics.length === 0 ? [] : await tasmotaOf(session, topics, known))];
  const ids = given.map(({ id }) => id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined)
    throw invalid(`credentials.devices: two devices have the id ${twice}; give each its own`);
  const found = zigbee2mqtt_topic === undefined ? [] : await listedBy(session, zigbee2mqtt_topic);
  return listedOnce([...given, ...found]);
}

/** Asks devices with Tasmota what they have. One that does not answer is what it was, or a plug. */
async function tasmotaOf(
  session: Session,
  topics: readonly string[],
  known: readonly DeviceRef[],
): Promise<Found[]> {
  const { tasmota_full_topic: fullTopic } = credentialsOf(session);
  const broker = brokerOf(session);
  const statuses = new Map<string, TasmotaStatus>(topics.map((topic) => [topic, {}]));
  const at = (topic: string) => tasmotaTopics(topic, fullTopic);
  await gather(session, broker, {
    topics: topics.flatMap((topic) => [at(topic)('stat', 'STATUS11'), at(topic)('stat', 'STATUS10')]),
    withinMs: ANSWERED_MS,
    subscribed: () =>
      Promise.all(
        topics.flatMap((topic) =>
          ['11', '10'].map((payload) => broker.publish({ topic: at(topic)('cmnd', 'STATUS'), payload })),
        ),
      ),
    take(message) {
      const content = jsonIn(message.text());
      for (const [topic, status] of statuses) {
        if (message.topic === at(topic)('stat', 'STATUS11') && fits(StatusSts, content))
          statuses.set(topic, { ...status, state: content.StatusSTS });
        if (message.topic === at(topic)('stat', 'STATUS10') && fits(StatusSns, content))
          statuses.set(topic, { ...status, sensors: content.StatusSNS });
      }
      return [...statuses.values()].every(
        ({ state, sensors }) => state !== undefined && sensors !== undefined,
      );
    },
  });
  return [...statuses].flatMap(([topic, status]) => {
    const before = status.state === undefined ? knownOfTasmota(topic, known) : [];
    return before.length > 0 ? before : tasmotaDevices(topic, fullTopic, status);
  });
}

const topicsOfFound = ({ details }: Found): readonly string[] => topicsOf(details as Mapping);

/** What Zigbee2MQTT has retained in `bridge/devices`. */
async function listedBy(session: Session, base: string): Promise<Found[]> {
  let list: Json | undefined;
  let skippedBytes: number | undefined;
  await gather(session, brokerOf(session), {
    topics: [`${base}/bridge/devices`],
    withinMs: RETAINED_MS,
    take(message) {
      skippedBytes = message.skippedBytes;
      list = jsonIn(message.text());
      return Array.isArray(list) || skippedBytes !== undefined;
    },
  });
  if (skippedBytes !== undefined)
    throw new AppError(
      'vendor.refused',
      `the list of devices on ${base}/bridge/devices is too large to be taken (${(skippedBytes / MIB).toFixed(1)} MiB); link the devices by their topics (devices)`,
    );
  if (!Array.isArray(list))
    throw new AppError(
      'vendor.refused',
      `Zigbee2MQTT has published no list of devices on ${base}/bridge/devices; check zigbee2mqtt_topic and whether it runs`,
    );
  return zigbeeDevices(base, list);
}

export async function link(session: Session): Promise<Linked> {
  const credentials = credentialsOf(session);
  const { tls = false, own_certificate = false, username } = credentials;
  if (own_certificate && !tls)
    throw invalid('credentials.own_certificate is for brokers with TLS: set tls to true, or leave it out');
  const found = await signedIn(devicesOf(session));
  // A broker says by a connection alone whether it takes the password.
  const done = new AbortController();
  await signedIn(
    brokerOf(session).messages([...new Set(found.flatMap(topicsOfFound))], { signal: done.signal }),
  );
  done.abort();
  const { host, port } = addressOf(credentials);
  return {
    vendorAccount: `${username ?? ''}@${host}:${port}`,
    devices: found,
  };
}
