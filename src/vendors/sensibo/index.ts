import { type Adapter, kind } from '../../adapter/adapter.ts';
import { apiKey, limit, sweepBy } from '../../adapter/kit/index.ts';
import { accountOf, findPods, readPod, readPods } from './api.ts';
import { setTemperature, turnOff, turnOn } from './commands.ts';
import * as listing from './listing.ts';
import * as translate from './translate.ts';

const linking = apiKey({
  vendor: 'Sensibo',
  query: (key) => ({ apiKey: key }),
  check: { path: '/api/v1/users/me' },
  hint: {
    en: 'You make it at home.sensibo.com/me/api, signed in to your Sensibo account.',
    sv: 'Du skapar den på home.sensibo.com/me/api, inloggad på ditt konto hos Sensibo.',
  },
});

/** Air conditioners and air-to-air heat pumps behind a controller of Sensibo (Sky, Air), one device for each controller. */
export const sensibo = {
  slug: 'sensibo',
  name: 'Sensibo',
  ...linking,
  hosts: { api: 'https://home.sensibo.com' },
  budgets: [
    limit('calls', {
      calls: 10,
      seconds: 10,
      source: 'Sensibo in 2024: 5 calls in 5 s, 10 in 10 s for clients that accept gzip, as elnav does',
    }),
  ],
  // A controller measures every 90 s; one call reads all of an account.
  pace: { active: 60, idle: 120, asleep: 600 },
  pushes: false,
  pollSeconds: 30,
  simulator: () => import('./simulator.ts'),
  async link(session) {
    return { vendorAccount: await accountOf(session), devices: await findPods(session) };
  },
  list: findPods,
  sweep: sweepBy({
    by: () => 'all',
    call: readPods,
    pick: (pods, { id }) => pods.find((pod) => pod.id === id),
  }),
  nextSteps: listing.nextSteps,
  kinds: {
    heat_pump: kind<translate.Pod>({
      read: (session, device) => readPod(session, device),
      status: translate.statusOf,
      observedAt: translate.observedAt,
      unrecognized: translate.unrecognizedIn,
      reads: { read_temperature: translate.temperatureOf },
      controls: {
        on_off: { turn_on: turnOn, turn_off: turnOff },
        set_temperature: { set_temperature: setTemperature },
      },
      ranges: listing.rangesOf,
      withholds: listing.withheldFrom,
      whyWithheld: listing.whyWithheld,
    }),
  },
} satisfies Adapter;
