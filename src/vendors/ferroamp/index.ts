import { type Adapter, kind } from '../../adapter/adapter.ts';
import { automatic, setBatteryPower } from './control.ts';
import {
  batteryLimits,
  batteryStatus,
  Credentials,
  identified,
  link,
  list,
  PORT,
  type Reading,
  read,
  solarStatus,
  sweep,
} from './hub.ts';
import { stream } from './stream.ts';
import { words } from './words.ts';

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
      reads: { read_production: ({ hub }) => hub.productionW, read_energy: ({ hub }) => hub.solarWh },
      controls: {},
    }),
    battery: kind<Reading>({
      read,
      status: batteryStatus,
      reads: { read_battery_soc: ({ soc }) => soc, read_power: ({ hub }) => hub.batteryW },
      controls: { set_battery_power: { set_battery_power: setBatteryPower } },
      setPoints: { set_battery_power: automatic },
      limits: batteryLimits,
    }),
  },
} satisfies Adapter;
