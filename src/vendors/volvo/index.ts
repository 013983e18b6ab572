import { type Adapter, kind } from '../../adapter/adapter.ts';
import { limit, oauth2 } from '../../adapter/kit/index.ts';
import { isTokenRefused, link, list, readCar } from './client.ts';

import * as translate from './translate.ts';

/** Electric cars and plug-in hybrids of Volvo Cars, read only: its APIs have no command about charging. */
export const volvo = {
  slug: 'volvo',
  name: 'Volvo',
  ...oauth2({
    authorizeUrl: 'https://volvoid.eu.volvocars.com/as/authorization.oauth2',
    tokenUrl: 'https://volvoid.eu.volvocars.com/as/token.oauth2',
    scopes: [
      'openid',
      'conve:vehicle_relation',
      'conve:command_accessibility',
      'conve:fuel_status',
      'conve:battery_charge_level',
      'energy:capability:read',
      'energy:state:read',
    ],
    clientAuthentication: 'basic',
    isTokenRefused,
  }),
  apiKeyHeader: 'vcc-api-key',
  hosts: { api: 'https://api.volvocars.com' },
  budgets: [
    limit('app_day', {
      of: 'app',
      calls: 10_000,
      seconds: 86_400,
      share: 2,
      setting: {
        name: 'ELNAV_VOLVO_CALLS_PER_DAY',
        times: 1,
        description: 'Calls in a day that Volvo lets your app make, for all users together',
      },
      source: 'developer.volvocars.com: "up to 10,000 API calls per day" for an application',
    }),
    limit('user_minute', {
      calls: 100,
      seconds: 60,
      source: 'developer.volvocars.com, January 2025: 100 requests a minute for each Volvo ID and client id',
    }),
  ],
  pace: { active: 300, idle: 1_800, asleep: 3_600 },
  simulator: () => import('./simulator.ts'),
  pushes: false,
  pollSeconds: 120,
  link,
  list,
  kinds: {
    vehicle: kind<translate.CarReading>({
      read: readCar,
      readCosts: { app_day: 2, user_minute: 2 },
      status: translate.statusOf,
      observedAt: translate.observedAt,
      unrecognized: translate.unrecognizedIn,
      reads: { read_battery_soc: translate.socOf, read_power: translate.powerOf },
      controls: {},
      withholds: translate.withheldFrom,
      whyWithheld: translate.whyWithheld,
    }),
  },
} satisfies Adapter;
