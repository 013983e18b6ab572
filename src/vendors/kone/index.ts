import { type Adapter, kind } from '../../adapter/adapter.ts';
import { clientCredentials, limit } from '../../adapter/kit/index.ts';
import { buildingIn, findLifts, list, scopeFor } from './building.ts';
import * as lift from './lift.ts';
import { readLift, sweep } from './reading.ts';
import { stream } from './stream.ts';
import { fields } from './words.ts';

/** Lifts of KONE in buildings that are connected to its cloud, one device for each lift. */
export const kone = {
  slug: 'kone',
  name: 'KONE',
  ...clientCredentials({
    vendor: 'KONE',
    // The id of a building can be guessed: only an application that KONE has given the building proves that it may be used.
    client: 'user',
    fields,
    tokenPath: '/api/v2/oauth2/token',
    clientAuthentication: 'basic',
    scope: scopeFor,
  }),
  hosts: { api: 'https://dev.kone.com' },
  budgets: [
    limit('calls', {
      calls: 60,
      seconds: 60,
      source: 'half of what a validation run of a client sent without a refusal; KONE states no figure',
    }),
  ],
  // The stream reports what changes.
  pace: { active: 300, idle: 300, asleep: 900 },
  pushes: true,
  pollSeconds: 15,
  stream,
  simulator: () => import('./simulator.ts'),
  async link(session) {
    return { vendorAccount: buildingIn(session.credentials), devices: await findLifts(session) };
  },
  list,
  sweep,
  kinds: {
    elevator: kind<lift.LiftRaw>({
      read: readLift,
      status: lift.statusOf,
      observedAt: lift.observedAt,
      unrecognized: lift.unrecognized,
      reads: {},
      controls: {},
      whyWithheld: () =>
        "KONE's API calls lifts and reports their state; it has nothing that takes a lift out of service, and no power or energy",
    }),
  },
} satisfies Adapter;
