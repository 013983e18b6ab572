import { type Adapter, kind } from '../../adapter/adapter.ts';
import { apiKey, deviceAddress, hostAt, httpAddressOf, sweepBy } from '../../adapter/kit/index.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import { forbidden, identified, meters, readStatus, tokenHeader } from './api.ts';
import { automatic, setBatteryPower } from './commands.ts';
import { keptMaxW, link, list } from './listing.ts';
import * as translate from './translate.ts';

const linking = apiKey({
  vendor: 'sonnen',
  headers: tokenHeader,
  fields: {
    host: deviceAddress({
      en: 'You find it at find-my.sonnen-batterie.com while you are at home, or in the list of devices of your router.',
      sv: 'Du hittar den på find-my.sonnen-batterie.com när du är hemma, eller i routerns lista över enheter.',
    }),
  },
  check: { path: '/api/v2/latestdata' },
  failure: forbidden,
  hint: {
    en: 'Open the web page of the battery and go to Software-Integration. Switch on JSON API, Read API and Write API there, and copy the token.',
    sv: 'Öppna batteriets webbsida och gå till Software-Integration. Slå på JSON API, Read API och Write API där, och kopiera token.',
  },
});

/** One request; two with the meters. */
async function readBattery(session: Session, device: DeviceRef): Promise<translate.Reading> {
  return { status: await readStatus(session, device), maxW: keptMaxW(device), meters: [] };
}

async function readPanels(session: Session, device: DeviceRef): Promise<translate.Reading> {
  return { ...(await readBattery(session, device)), meters: await meters(session, 'read') };
}

/** The battery of a home, in the network of its owner, and the panels that it measures. */
export const sonnen = {
  slug: 'sonnen',
  name: 'sonnen',
  ...linking,
  isLocal: true,
  hosts: { api: 'http://sonnen.invalid' },
  chosenAddress: httpAddressOf,
  discovers: { ports: [80], credentialsAt: hostAt(80), identify: identified },
  pace: { active: 10, idle: 30, asleep: 120 },
  pushes: false,
  pollSeconds: 5,
  simulator: () => import('./simulator.ts'),
  link,
  list,
  sweep: sweepBy<translate.Reading, translate.Reading>({
    by: () => 'all',
    call: (session, _all, [first, ...others]) =>
      [first, ...others].some(({ type }) => type === 'solar_inverter')
        ? readPanels(session, first)
        : readBattery(session, first),
    pick: (reading, device) => ({ ...reading, maxW: keptMaxW(device) }),
  }),
  kinds: {
    battery: kind<translate.Reading>({
      read: readBattery,
      status: translate.batteryStatus,
      unrecognized: translate.unrecognizedIn,
      reads: { read_battery_soc: translate.socOf, read_power: translate.batteryPowerOf },
      controls: { set_battery_power: { set_battery_power: setBatteryPower } },
      setPoints: { set_battery_power: automatic },
      limits: translate.limitsOf,
      withholds: (found) => (keptMaxW(found) === null ? ['set_battery_power'] : []),
      whyWithheld: (found) =>
        keptMaxW(found) === null ? 'it does not say how much power it can take' : undefined,
    }),
    solar_inverter: kind<translate.Reading>({
      read: readPanels,
      status: () => ({ online: true }),
      unrecognized: translate.unrecognizedMetersIn,
      reads: {
        read_production: translate.productionOf,
        read_energy: ({ meters: all }) => translate.producedWh(all),
      },
      controls: {},
    }),
  },
} satisfies Adapter;
