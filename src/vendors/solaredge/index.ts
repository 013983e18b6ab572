import { type Adapter, kind } from '../../adapter/adapter.ts';
import { apiKey, limit, text } from '../../adapter/kit/index.ts';
import { failure, findDevices, readDevice, siteIdsIn, sweep } from './client.ts';
import type { Reading } from './translate.ts';

const calls = {
  for: ['login', 'list', 'read'],
  source: 'SolarEdge, Basic Monitoring API: free plan',
} as const;

const BOTH = {
  read: readDevice,
  unrecognized: ({ unrecognized = [] }: Reading) => unrecognized,
  observedAt: ({ observedAt = null }: Reading) => observedAt,
  controls: {},
};

/** Solar inverters and batteries of SolarEdge, through version 2 of its Monitoring API, which only reads. */
export const solaredge = {
  slug: 'solaredge',
  name: 'SolarEdge',
  ...apiKey({
    vendor: 'SolarEdge',
    headers: (key) => ({ 'x-api-key': key }),
    check: { path: '/v2/sites', query: { page: '1', 'sites-in-page': '1' } },
    failure,
    hint: {
      en: 'Made at developer.solaredge.com, often by your installer. Keys from before November 2026 no longer work.',
      sv: 'Skapas på developer.solaredge.com, ofta av din installatör. Nycklar från före november 2026 fungerar inte längre.',
    },
    fields: {
      site_ids: text(
        {
          en: {
            label: 'Site ID',
            hint: 'The number of your system in the SolarEdge app. If you have two systems, separate their numbers with a comma.',
            fault: 'Only the digits of the ID, such as 1234567.',
          },
          sv: {
            label: 'Anläggnings-ID (site ID)',
            hint: 'Anläggningens nummer i SolarEdges app. Har du två anläggningar skriver du ett kommatecken mellan numren.',
            fault: 'Bara siffrorna i numret, till exempel 1234567.',
          },
        },
        // A turn of polling takes up to four calls for each site, of the eight in a minute that the reserve leaves it.
        { pattern: '^ *\\d{1,12}(?: ?, ?\\d{1,12})? *$' },
      ),
    },
  }),
  hosts: { api: 'https://monitoringapi.solaredge.com' },
  budgets: [
    limit('minute', { calls: 10, seconds: 60, ...calls }),
    limit('month', {
      calls: 2_000,
      seconds: 30 * 86_400,
      setting: {
        name: 'ELNAV_SOLAREDGE_CALLS_PER_MONTH',
        times: 1,
        description:
          'Credits that each SolarEdge API key has in a month, one for each call; 2,000 in the free plan',
      },
      ...calls,
    }),
  ],
  // Telemetry comes in quarters of an hour; the credits of the free plan make it slower.
  pace: { active: 900, idle: 900, asleep: 3_600 },
  simulator: () => import('./simulator.ts'),
  pushes: false,
  pollSeconds: 900,
  async link(session) {
    return { vendorAccount: siteIdsIn(session.credentials).join(), devices: await findDevices(session) };
  },
  list: findDevices,
  sweep,
  kinds: {
    solar_inverter: kind<Reading>({
      ...BOTH,
      status: ({ online }) => ({ online }),
      reads: {
        read_energy: ({ energyWh = null }) => energyWh,
        read_production: ({ productionW = null }) => productionW,
      },
      // Half of the time no inverter reports, and the site itself is asked too.
      readCosts: { month: 2.5 },
    }),
    battery: kind<Reading>({
      ...BOTH,
      status: ({ online, powerW = null }) => ({ online, charging: powerW === null ? null : powerW > 0 }),
      reads: { read_battery_soc: ({ soc = null }) => soc, read_power: ({ powerW = null }) => powerW },
    }),
  },
} satisfies Adapter;
