import { type Adapter, kind } from '../../adapter/adapter.ts';
import { fits, limit, oauth2 } from '../../adapter/kit/index.ts';
import { link, list, readDevice } from './api.ts';
import { setTemperature, turnOff, turnOn } from './commands.ts';
import { BUY_SUBSCRIPTION } from './interventions.ts';
import * as translate from './translate.ts';

/** Heat pumps of NIBE and CTC, and water heaters of Høiax, through myUplink. */
export const myuplink = {
  slug: 'myuplink',
  name: 'myUplink',
  ...oauth2({
    authorizeUrl: 'https://api.myuplink.com/oauth/authorize',
    tokenUrl: 'https://api.myuplink.com/oauth/token',
    scopes: ['READSYSTEM', 'WRITESYSTEM', 'offline_access'],
    pkce: false,
    // The words of enumerations come in the language that is asked for; a state must not change with it.
    headers: ({ access }) => ({ authorization: `Bearer ${access}`, 'accept-language': 'en-GB' }),
  }),
  hosts: { api: 'https://api.myuplink.com' },
  budgets: [
    limit('app_minute', {
      of: 'app',
      calls: 25,
      seconds: 60,
      reserve: 0.4,
      share: 2,
      setting: {
        name: 'ELNAV_MYUPLINK_CALLS_PER_MINUTE',
        times: 1,
        description:
          'Calls in any minute that myUplink lets your client id make, for all users together; 25 unless myUplink has given you more',
      },
      source:
        'the vendor in 2026: "25 requests per minute" for clients of the public API, and the header RateLimit-Limit',
    }),
  ],
  // Points are some minutes old, and all users share the limit.
  pace: { active: 300, idle: 900, asleep: 3_600 },
  pushes: false,
  pollSeconds: 180,
  simulator: () => import('./simulator.ts'),
  link,
  list,
  kinds: {
    heat_pump: kind<translate.Reading>({
      read: readDevice,
      readCosts: { app_minute: 2 },
      status: translate.statusOf,
      unrecognized: translate.unrecognizedIn,
      observedAt: translate.observedAt,
      reads: {
        read_temperature: translate.temperatureOf,
        read_power: translate.powerOf,
        read_energy: translate.energyOf,
      },
      controls: {
        set_temperature: { set_temperature: setTemperature },
        on_off: { turn_on: turnOn, turn_off: turnOff },
      },
      ranges: ({ details }) => {
        const target = fits(translate.Details, details) ? details.target : null;
        const { min, max } = target === null || target.by === 'curve' ? { min: 5, max: 30 } : target;
        return { min_milli_c: min * 1_000, max_milli_c: max * 1_000 };
      },
      withholds: translate.withheldFrom,
      whyWithheld: translate.whyWithheld,
      interventions: { buy_subscription: BUY_SUBSCRIPTION },
    }),
  },
} satisfies Adapter;
