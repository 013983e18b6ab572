import { type Adapter, type DeviceKind, type Found, kind } from '../../adapter/adapter.ts';
import type { Capability } from '../../adapter/capabilities.ts';
import { noLimit, onOff, read, setLight, setLimit, sweep } from './devices.ts';
import { deviceCertificates, devicesOf, link, PORT, TLS_PORT } from './link.ts';
import { capacityOf, figureOf, limitsOf, observedAt, type Reading, statusOf } from './reading.ts';
import { Credentials, type Mapping, words } from './schemas.ts';
import { stream } from './stream.ts';

type Parts = Pick<DeviceKind<Reading>, 'controls'> &
  Partial<Pick<DeviceKind<Reading>, 'setPoints' | 'limits' | 'availableCapacity'>>;

const READS = {
  read_power: (reading: Reading) => figureOf(reading, 'read_power'),
  read_energy: (reading: Reading) => figureOf(reading, 'read_energy'),
  read_temperature: (reading: Reading) => figureOf(reading, 'read_temperature'),
  read_production: (reading: Reading) => figureOf(reading, 'read_production'),
};
const CONTROLS = { on_off: 'on_off', set_limit: 'load_balancing', set_light: 'set_light' } as const;

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
    thermostat: mappedKind(['read_temperature'], { controls: {} }),
    solar_inverter: mappedKind(['read_production', 'read_energy', 'read_temperature'], { controls: {} }),
    industrial: mappedKind(['read_power', 'read_energy', 'read_temperature'], {
      controls: { on_off: onOff, load_balancing: { set_limit: setLimit } },
      setPoints: { set_limit: noLimit },
      limits: limitsOf,
      availableCapacity: capacityOf,
    }),
  },
} satisfies Adapter;
