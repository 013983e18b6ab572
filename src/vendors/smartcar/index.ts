import { type Adapter, kind } from '../../adapter/adapter.ts';
import { limit, oauth2 } from '../../adapter/kit/index.ts';
import { link, list, unlink, withheldFrom } from './account.ts';
import { readCar, setChargeLimit, startCharge, stopCharge } from './car.ts';
import { login, TOKEN_PATH, withoutCode } from './sign-in.ts';
import * as translate from './translate.ts';
import { webhook } from './webhook.ts';

/** What each of a car's limits counts: lists are counted as far as they are about a car. */
const ofCar = { of: 'device', for: ['list', 'read', 'command'] } as const;
const source = 'smartcar.com/docs/help/api-limits; both can be raised by Smartcar';

/** Cars of some forty makers over Smartcar's API, version 3. */
export const smartcar = {
  slug: 'smartcar',
  name: 'Smartcar',
  hosts: { api: 'https://vehicle.api.smartcar.com' },
  ...oauth2({
    authorizeUrl: 'https://connect.smartcar.com/oauth/authorize',
    tokenUrl: `https://iam.smartcar.com${TOKEN_PATH}`,
    scopes: ['read_vehicle_info'],
    pkce: false,
    // A user who links again may grant more, or another car.
    authorizeParameters: { mode: 'live', approval_prompt: 'force' },
    withoutCode,
  }),
  login,
  partnerSettings: [
    {
      name: 'application_id',
      description: 'Application ID of your app at Smartcar, which its sign-in page is opened with',
      isSecret: false,
      isRequired: true,
    },
    {
      name: 'management_token',
      description:
        'Application Management Token of your app at Smartcar, which signs its webhooks; without it they are refused',
      isSecret: true,
      isRequired: false,
    },
  ],
  budgets: [
    limit('vehicle_month', {
      ...ofCar,
      calls: 500,
      seconds: 30 * 86_400,
      setting: {
        name: 'ELNAV_SMARTCAR_MONTHLY_CALLS',
        times: 1,
        description: 'Calls about one car that your plan at Smartcar allows in a month',
      },
      source,
    }),
    limit('vehicle_hour', {
      ...ofCar,
      calls: 20,
      seconds: 3_600,
      source: 'Smartcar recommends fewer than 20 calls about a car in an hour; its limits differ by make',
    }),
    limit('app_hour', {
      of: 'app',
      calls: 120,
      seconds: 3_600,
      reserve: 0.3,
      share: 4,
      setting: {
        name: 'ELNAV_SMARTCAR_HOURLY_CALLS',
        times: 1,
        description: 'Calls for all cars together that Smartcar allows your app in an hour',
      },
      source,
    }),
  ],
  // Webhooks cost nothing, and a car without them is updated once a day: background reads find what was missed.
  pace: { active: 3_600, idle: 21_600, asleep: 43_200 },
  pushes: true,
  // Smartcar recommends this for all makes.
  pollSeconds: 1_800,
  // A list costs a call for each car; what changes sooner comes by webhook.
  listSeconds: 7 * 86_400,
  webhook,
  simulator: () => import('./simulator.ts'),
  link,
  list,
  unlink,
  kinds: {
    vehicle: kind<translate.Reading>({
      read: readCar,
      status: translate.statusOf,
      observedAt: translate.observedAt,
      unrecognized: translate.unrecognizedIn,
      reads: {
        read_battery_soc: (reading) => translate.socOf(reading).value,
        read_power: (reading) => translate.powerOf(reading).value,
        read_energy: (reading) => translate.energyOf(reading).value,
      },
      energyOfSession: true,
      controls: {
        charge_control: { start_charge: startCharge, stop_charge: stopCharge },
        charge_limit: { set_charge_limit: setChargeLimit },
      },
      ranges: { min_percent: 50, max_percent: 100 },
      needs: {
        read_battery_soc: ['read_battery'],
        read_power: ['read_charge'],
        read_energy: ['read_charge'],
        charge_control: ['control_charge'],
        charge_limit: ['control_charge'],
      },
      withholds: withheldFrom,
    }),
  },
} satisfies Adapter;
