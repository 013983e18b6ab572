import { type Adapter, type DeviceKind, kind } from '../../adapter/adapter.ts';
import type { RangedDevice, Ranges } from '../../adapter/commands.ts';
import type { Found } from '../../adapter/device.ts';
import type { Capability } from '../../adapter/fields.ts';
import type { DeviceRef } from '../../adapter/session.ts';
import type { Stream } from '../../adapter/stream.ts';
import { BoundedMap } from '../../core/bounded-map.ts';
import { noLimit, onOff, read, setLight, setLimit, setTemperature, sweep } from './devices.ts';
import { brokerOf, credentialsOf, deviceCertificates, devicesOf, link, PORT, TLS_PORT } from './link.ts';
import {
  capacityOf,
  figureOf,
  hear,
  heardOf,
  isEmpty,
  isWhole,
  limitsOf,
  observedAt,
  type Reading,
  statusOf,
  topicsOf,
} from './reading.ts';
import { Credentials, type Mapping, words } from './schemas.ts';

/** Longer than the keep-alive of the connection: devices may be silent for hours. */
const SILENCE_SECONDS = 90;
/** By then devices have responded, and the broker has sent its retained messages. */
const ASKED_MS = 3_000;
const MOST_NOTED = 100;

/** What the devices of a link publish. */
const stream = {
  silenceSeconds: SILENCE_SECONDS,
  async run(session, devices, opened) {
    const { clock, log } = session;
    const broker = brokerOf(session);
    const byTopic = new Map<string, DeviceRef[]>();
    for (const device of devices)
      for (const topic of topicsOf(heardOf(device).mapping))
        byTopic.set(topic, [...(byTopic.get(topic) ?? []), device]);
    const { zigbee2mqtt_topic: base } = credentialsOf(session);
    const list = `${base}/bridge/devices`;
    const waiting = new Set(devices);
    const noted = new BoundedMap<string, true>(MOST_NOTED);
    const messages = await broker.messages([...byTopic.keys(), ...(base === undefined ? [] : [list])]);
    opened();
    const cancel = clock.after(ASKED_MS, () => {
      for (const device of waiting)
        if (!isEmpty(heardOf(device))) session.observed(device.id, heardOf(device));
      waiting.clear();
    });
    try {
      for (const device of devices)
        for (const message of heardOf(device).mapping.ask ?? [])
          await broker.publish({ ...message, device: device.id });
      for await (const message of messages) {
        if (message.topic === list && !message.isRetained) session.listChanged();
        const now = clock.now();
        for (const device of byTopic.get(message.topic) ?? []) {
          const before = heardOf(device);
          const reading = hear(device, message, now);
          if (reading === before) {
            if (!noted.has(message.topic))
              log.warn({ topic: message.topic }, 'a message of a device was not understood');
            noted.set(message.topic, true);
            continue;
          }
          if (waiting.has(device) && !isWhole(reading, 0)) continue;
          waiting.delete(device);
          session.observed(device.id, reading);
        }
      }
    } finally {
      cancel();
    }
  },
} satisfies Stream;

type Parts = Pick<DeviceKind<Reading>, 'controls'> &
  Partial<Pick<DeviceKind<Reading>, 'setPoints' | 'limits' | 'availableCapacity' | 'ranges'>>;

const READS = {
  read_power: (reading: Reading) => figureOf(reading, 'read_power'),
  read_energy: (reading: Reading) => figureOf(reading, 'read_energy'),
  read_temperature: (reading: Reading) => figureOf(reading, 'read_temperature'),
  read_production: (reading: Reading) => figureOf(reading, 'read_production'),
};
const CONTROLS = {
  on_off: 'on_off',
  set_limit: 'load_balancing',
  set_light: 'set_light',
  set_temperature: 'set_temperature',
} as const;

/** What the mapping of a device lacks. */
function withholds({ details }: Found): Capability[] {
  const { reads, controls = {} } = details as Mapping;
  const names = Object.keys(READS) as (keyof typeof READS)[];
  const has = (control: string): control is keyof typeof CONTROLS => control in CONTROLS;
  return [
    ...names.filter((name) => reads[name] === undefined),
    ...Object.keys(CONTROLS)
      .filter(has)
      .filter((control) => controls[control] === undefined)
      .map((control) => CONTROLS[control]),
  ];
}

/** What a thermostat of a mapping takes. */
function rangesOf({ details }: RangedDevice): Ranges {
  const { min_c, max_c } = (details as Mapping).controls?.set_temperature ?? {};
  return min_c === undefined || max_c === undefined
    ? {}
    : { min_milli_c: min_c * 1_000, max_milli_c: max_c * 1_000 };
}

/** A device of a mapping, with what its type can have. */
const mappedKind = (names: readonly (keyof typeof READS)[], parts: Parts) =>
  kind<Reading>({
    read,
    status: statusOf,
    observedAt,
    unrecognized: ({ unrecognized }) => unrecognized,
    reads: Object.fromEntries(names.map((name) => [name, READS[name]])),
    withholds,
    ...parts,
  });

/** Devices that report to an MQTT broker of their user: by topics that an app maps, and as Tasmota and Zigbee2MQTT have them. */
export const mqtt = {
  slug: 'mqtt',
  name: 'MQTT',
  isLocal: true,
  credentials: Credentials,
  words,
  ports: [PORT, TLS_PORT],
  deviceCertificates,
  pace: { active: 60, idle: 300, asleep: 900 },
  pushes: true,
  pollSeconds: 30,
  stream,
  localSimulator: () => import('./simulator.ts'),
  link,
  list: devicesOf,
  sweep,
  kinds: {
    smart_home_appliance: mappedKind(['read_power', 'read_energy', 'read_temperature'], {
      controls: { on_off: onOff },
    }),
    light: mappedKind(['read_power', 'read_energy'], {
      controls: { on_off: onOff, set_light: { set_light: setLight } },
    }),
    thermostat: mappedKind(['read_temperature'], {
      controls: { set_temperature: { set_temperature: setTemperature } },
      ranges: rangesOf,
    }),
    solar_inverter: mappedKind(['read_production', 'read_energy', 'read_temperature'], { controls: {} }),
    industrial: mappedKind(['read_power', 'read_energy', 'read_temperature'], {
      controls: { on_off: onOff, load_balancing: { set_limit: setLimit } },
      setPoints: { set_limit: noLimit },
      limits: limitsOf,
      availableCapacity: capacityOf,
    }),
  },
} satisfies Adapter;
