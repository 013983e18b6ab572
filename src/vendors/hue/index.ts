import type { Adapter } from '../../adapter/adapter.ts';
import { limit, notUnderstood, oauth2, sweepBy } from '../../adapter/kit/index.ts';
import * as resources from './bridge/resources.ts';
import { lights } from './bridge/resources.ts';
import { applicationKey, headers, reachedBridge, readBridge, setLight } from './client.ts';

/** Lamps and plugs of a Philips Hue bridge, over Hue's remote API. */
export const hue = {
  slug: 'hue',
  name: 'Philips Hue',
  ...oauth2({
    authorizeUrl: 'https://api.meethue.com/v2/oauth2/authorize',
    tokenUrl: 'https://api.meethue.com/v2/oauth2/token',
    scopes: [],
    clientAuthentication: 'basic',
    extra: applicationKey,
    headers,
  }),
  hosts: { api: 'https://api.meethue.com' },
  budgets: [
    limit('app_day', {
      of: 'app',
      calls: 50_000,
      seconds: 86_400,
      reserve: 0.3,
      share: 1,
      setting: {
        name: 'ELNAV_HUE_CALLS_PER_DAY',
        times: 1,
        description:
          'Calls in a day that Hue lets your client id make, for all users together; 50,000 unless Hue has given you more',
      },
      source: 'a client in 2026: 50,000 calls a day for each app',
    }),
    limit('commands', {
      calls: 10,
      seconds: 1,
      for: ['command'],
      reserve: 0,
      source: 'developers.meethue.com, core concepts: about 10 commands to lights in a second',
    }),
  ],
  // There are no events over the remote API, and all users share the calls: one reads a whole bridge.
  pace: { active: 300, idle: 900, asleep: 3_600 },
  pushes: false,
  pollSeconds: 30,
  simulator: () => import('./simulator.ts'),
  async link(session) {
    const all = await readBridge(session, 'list');
    const vendorAccount = resources.bridgeIn(all);
    if (vendorAccount === undefined) throw notUnderstood('Hue', 'which bridge it is');
    return { vendorAccount, devices: resources.lightsIn(all) };
  },
  list: async (session) => resources.lightsIn(await readBridge(session, 'list')),
  sweep: sweepBy({
    by: () => 'bridge',
    call: reachedBridge,
    pick: (all, { id }) => resources.readingIn(all, id),
  }),
  kinds: { light: lights({ read: reachedBridge, set: setLight }) },
} satisfies Adapter;
