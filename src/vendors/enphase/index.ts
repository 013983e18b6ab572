import { type Adapter, kind } from '../../adapter/adapter.ts';
import { limit, oauth2 } from '../../adapter/kit/index.ts';
import { isTokenRefused, link, list, readBattery, readSolar } from './client.ts';

import * as translate from './translate.ts';

const ofApp = { of: 'app', share: 4, source: 'developer-v4.enphase.com/developer-plans' } as const;
const plan = (plans: Readonly<Record<string, number>>) => ({
  name: 'ELNAV_ENPHASE_PLAN',
  description: 'Plan of your app at Enphase, which limits its calls by the minute and by the month',
  plans,
});

/** Solar systems with Enphase microinverters, and their batteries, through the Enphase cloud (API v4). */
export const enphase = {
  slug: 'enphase',
  name: 'Enphase',
  ...oauth2({
    authorizeUrl: 'https://api.enphaseenergy.com/oauth/authorize',
    tokenUrl: 'https://api.enphaseenergy.com/oauth/token',
    // What an app may read is chosen once, where it is registered.
    scopes: [],
    pkce: false,
    clientAuthentication: 'basic',
    // A refresh token that is older than a month.
    lostLoginErrors: ['invalid_token'],
    isTokenRefused,
  }),
  apiKeyHeader: 'key',
  hosts: { api: 'https://api.enphaseenergy.com' },
  budgets: [
    limit('app_minute', {
      ...ofApp,
      calls: 10,
      seconds: 60,
      setting: plan({ watt: 10, kilowatt: 50, megawatt: 100, partner: 300 }),
    }),
    limit('app_month', {
      ...ofApp,
      calls: 1_000,
      // The longest month, so that no calendar month has more.
      seconds: 31 * 86_400,
      setting: plan({ watt: 1_000, kilowatt: 50_000, megawatt: 300_000, partner: 1_500_000 }),
    }),
  ],
  // A gateway reports every 15 minutes.
  pace: { active: 900, idle: 900, asleep: 3_600 },
  pushes: false,
  pollSeconds: 900,
  simulator: () => import('./simulator.ts'),
  link,
  list,
  // A list costs two calls of the month, and systems seldom change.
  listSeconds: 7 * 86_400,
  kinds: {
    solar_inverter: kind<translate.Reading>({
      read: readSolar,
      readCosts: { app_minute: 2, app_month: 2 },
      status: translate.solarStatus,
      observedAt: translate.observedAt,
      unrecognized: translate.unrecognizedIn,
      reads: { read_production: translate.productionW, read_energy: translate.energyWh },
      controls: {},
    }),
    battery: kind<translate.Reading>({
      read: readBattery,
      status: translate.batteryStatus,
      observedAt: translate.observedAt,
      reads: { read_battery_soc: translate.socPercent, read_power: translate.batteryPowerW },
      // Enphase takes a mode and a reserve for a battery, never a power.
      controls: {},
    }),
  },
} satisfies Adapter;
