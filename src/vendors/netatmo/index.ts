import { type Adapter, kind } from '../../adapter/adapter.ts';
import { LinkCode } from '../../adapter/login.ts';
import { homesData } from './client.ts';
import { isTokenRefused } from './failure.ts';
import { readRoom, readRooms, setTemperature, turnOff, turnOn } from './rooms.ts';
import { accountIn, type Reading, statusOf, temperatureOf, withheldFrom } from './translate.ts';
import { webhook } from './webhook.ts';

const SCOPES = ['read_thermostat', 'write_thermostat'];
const EVERY_CALL = { list: 1, read: 1, command: 1, wake: 1 };
const GUIDELINE = 'dev.netatmo.com/guideline, rate limits';

/** Thermostats and radiator valves of Netatmo (Legrand, BTicino), one device for each room that they heat. */
export const netatmo = {
  slug: 'netatmo',
  name: 'Netatmo',
  credentials: LinkCode,
  hosts: { api: 'https://api.netatmo.com' },
  oauth: {
    authorizeUrl: 'https://api.netatmo.com/oauth2/authorize',
    tokenUrl: 'https://api.netatmo.com/oauth2/token',
    scopes: SCOPES,
    pkce: false,
    clientAuthentication: 'body',
    // The code exchange wants the scopes once more.
    tokenParameters: { scope: SCOPES.join(' ') },
  },
  login: { isTokenRefused },
  budgets: [
    {
      name: 'user_burst',
      of: 'link',
      amount: 50,
      seconds: 10,
      unit: 'calls',
      costs: EVERY_CALL,
      reserve: 0.2,
      source: GUIDELINE,
    },
    {
      name: 'user_hour',
      of: 'link',
      amount: 500,
      seconds: 3_600,
      unit: 'calls',
      costs: EVERY_CALL,
      reserve: 0.2,
      source: GUIDELINE,
    },
    {
      name: 'app_hour',
      of: 'app',
      amount: 2_000,
      seconds: 3_600,
      unit: 'calls',
      costs: EVERY_CALL,
      reserve: 0.3,
      source: `${GUIDELINE}; grows with the app's users`,
    },
  ],
  // Valves and thermostats report every few minutes at most; changes by hand come as webhooks.
  pace: { active: 120, idle: 900, asleep: 1_800 },
  pushes: true,
  pollSeconds: 60,
  webhook,
  simulator: () => import('./simulator.ts'),
  async link(session) {
    const { user, devices } = accountIn(await homesData(session));
    return { vendorAccount: user, devices };
  },
  sweep: readRooms,
  kinds: {
    thermostat: kind<Reading>({
      read: readRoom,
      status: statusOf,
      reads: { read_temperature: temperatureOf },
      controls: {
        set_temperature: { set_temperature: setTemperature },
        on_off: { turn_on: turnOn, turn_off: turnOff },
      },
      withholds: withheldFrom,
    }),
  },
} satisfies Adapter;
