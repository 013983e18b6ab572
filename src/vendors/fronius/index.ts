import { type Adapter, kind } from '../../adapter/adapter.ts';
import { credentialsOf, deviceAddress, hostAt, httpAddressOf, limit } from '../../adapter/kit/index.ts';
import { identified, link, list } from './listing.ts';
import { readBattery, readInverter, readMeter, sweep } from './reading.ts';
import * as translate from './translate.ts';

const host = deviceAddress({
  en: 'You find it in the Solar.web app under the settings of your system, or in the list of devices of your router. On a GEN24 inverter, first switch on Solar API in its own web page, under Communication.',
  sv: 'Du hittar den i appen Solar.web under anläggningens inställningar, eller i routerns lista över enheter. På en växelriktare av typen GEN24 slår du först på Solar API på dess egen webbsida, under Kommunikation.',
});

/** Inverters of Fronius and the batteries at them, in the network of their owner: each inverter is a device, and so are all batteries together. */
export const fronius = {
  slug: 'fronius',
  name: 'Fronius',
  ...credentialsOf({ host }),
  isLocal: true,
  hosts: { api: 'http://fronius.invalid' },
  chosenAddress: httpAddressOf,
  discovers: {
    services: ['_Fronius-SE-Inverter._tcp'],
    ports: [80],
    credentialsAt: hostAt(80),
    identify: identified,
  },
  budgets: [
    limit('requests', {
      calls: 6,
      seconds: 12,
      for: ['read'],
      source: 'Fronius, Solar API V1, 2.6: two requests at a time, and 4 s from one to the next',
    }),
  ],
  // Twelve seconds between two readings of everything: before 1.40.7 GEN24 loses memory with each request.
  pace: { active: 12, idle: 30, asleep: 300 },
  pushes: false,
  pollSeconds: 5,
  listSeconds: 21_600,
  simulator: () => import('./simulator.ts'),
  link,
  list,
  sweep,
  kinds: {
    // The Solar API tells and takes nothing: no kind has a control.
    solar_inverter: kind<translate.InverterReading>({
      read: readInverter,
      status: translate.inverterStatus,
      observedAt: ({ flow }) => flow.at,
      reads: { read_production: translate.productionOf, read_energy: translate.energyOf },
      controls: {},
    }),
    battery: kind<translate.BatteryReading>({
      read: readBattery,
      status: translate.batteryStatus,
      observedAt: ({ flow }) => flow.at,
      unrecognized: translate.unrecognizedIn,
      reads: { read_battery_soc: translate.chargeOf, read_power: translate.batteryPowerOf },
      controls: {},
    }),
    industrial: kind<translate.MeterReading>({
      read: readMeter,
      status: translate.meterStatus,
      observedAt: ({ flow }) => flow.at,
      reads: { read_power: translate.houseMeterW },
      controls: {},
    }),
  },
} satisfies Adapter;
