import type { SimulatorOptions, VendorSimulator } from '../../adapter/simulator.ts';
import { randomBase62 } from '../../core/ids.ts';
import type { Json } from '../../core/json.ts';
import { byClient, type Refusal, simulatedVendor } from '../../proof/simulation/index.ts';
import {
  change,
  NORMAL_MODE,
  newGroup,
  newLift,
  type SimulatedBuilding,
  type SimulatedGroup,
  type SimulatedLift,
} from './simulated-building.ts';
import { noCalls, simulatedStream } from './simulated-stream.ts';

const TOKEN_SECONDS = 3_600;
const MANY_GROUPS = 50;
const LIFTS_PER_GROUP = 10;

export interface KoneSimulator extends VendorSimulator {
  /** A lift of the user `home`, by the id of its device. */
  lift(id: string): SimulatedLift;
  group(id: string): SimulatedGroup;
  /** Changes a lift, as its controller reports it. */
  change(id: string, to: Partial<SimulatedLift>): void;
}

interface Place {
  readonly group: SimulatedGroup;
  readonly lift: SimulatedLift;
}

/** KONE's cloud with three buildings; each belongs to an application of its own. */
export function createSimulator(options: SimulatorOptions): KoneSimulator {
  const { clock, random } = options;
  const now = clock.now();
  const users = {
    home: {
      id: '9990000951',
      groups: [
        newGroup('1', [newLift(1, 'A', now), newLift(2, 'B', now)]),
        newGroup('2', [newLift(1, 'Goods', now, 2)]),
      ],
    },
    none: { id: '9990000952', groups: [newGroup('1', [])] },
    large: { id: '9990000953', groups: manyGroups(now) },
  } satisfies Record<string, SimulatedBuilding>;
  const open = simulatedStream({ clock, random, calls: noCalls(clock) });
  const vendor = simulatedVendor<SimulatedBuilding, Place>(options, {
    vendor: 'KONE',
    users,
    signIn: byClient({
      tokenPath: '/api/v2/oauth2/token',
      accessSeconds: TOKEN_SECONDS,
      fields: (user) => fieldsOf(users[user as keyof typeof users]),
      grants: (user, scope) => grants(users[user as keyof typeof users], scope),
      tokenOf: ({ query, headers }) =>
        query.get('accessToken') ?? /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '',
    }),
    refusal,
    routes: {
      'GET /api/v2/application/self/resources'({ home, scopes }) {
        if (!scopes.includes('application/inventory')) return refusal(403, 'Forbidden');
        return { status: 200, json: resourcesOf(home) };
      },
      'POST /api/v2/oauth2/limited-token': ({ scopes, body }) => {
        const wanted = Array.isArray(body.scopes) ? body.scopes : [];
        if (!wanted.every((one) => scopes.includes(String(one)))) return refusal(403, 'Forbidden');
        return {
          status: 200,
          json: { access_token: randomBase62(random, 64), expires_in: Number(body.maxAgeSeconds) },
        };
      },
    },
    stream: (socket, { home, scopes, request }) =>
      open(socket, { home, scopes, isAuthorized: () => vendor.refusal?.(request) === undefined }),
    refusesStream: ({ path, headers }) =>
      path === '/stream-v2' && headers['sec-websocket-protocol'] === 'koneapi'
        ? undefined
        : refusal(400, 'Bad Request'),
    devices: {
      find(home, { id }) {
        for (const group of home.groups)
          for (const lift of group.lifts)
            if (id === `${home.id}-${group.id}-${lift.id}`) return { group, lift };
        return undefined;
      },
      arrange: ({ group, lift }) =>
        change(group, lift, { mode: NORMAL_MODE, isFaulty: false, isAlarm: false }, clock.now()),
      reach({ group }, isReachable) {
        group.isReachable = isReachable;
      },
      remove(_home, { group, lift }) {
        group.lifts.splice(group.lifts.indexOf(lift), 1);
      },
      add: (_home, { group, lift }) => void group.lifts.push(lift),
    },
  });
  const place = (id: string): Place => {
    for (const group of users.home.groups)
      for (const lift of group.lifts)
        if (id === `${users.home.id}-${group.id}-${lift.id}`) return { group, lift };
    throw new Error(`KONE has no lift ${id}`);
  };
  return {
    ...vendor,
    lift: (id) => place(id).lift,
    group: (id) => place(id).group,
    change(id, to) {
      const { group, lift } = place(id);
      change(group, lift, to, clock.now());
    },
  };
}

const refusal: Refusal = (status, message) => ({ status, json: { message } });

const manyGroups = (now: number): SimulatedGroup[] =>
  Array.from({ length: MANY_GROUPS }, (_, index) =>
    newGroup(
      String(index + 1),
      Array.from({ length: LIFTS_PER_GROUP }, (_none, lift) =>
        newLift(lift + 1, `${index + 1}.${lift + 1}`, now),
      ),
    ),
  );

const fieldsOf = (building: SimulatedBuilding) => ({
  building: `building:${building.id}`,
  groups: building.groups.map(({ id }) => id).join(','),
});

/** What an application may ask for: the list of its buildings, and calls in them. */
function grants(building: SimulatedBuilding, scope: string): boolean {
  if (scope === 'application/inventory') return true;
  const what = /^(?:callgiving|robotcall)\/(.+)$/.exec(scope)?.[1];
  const groups = building.groups.map(({ id }) => `group:${building.id}:${id}`);
  return what !== undefined && [...groups, `building:${building.id}`, '*'].includes(what);
}

/** An application has a virtual building besides, as those of KONE's sandbox do. */
const resourcesOf = ({ id, groups }: SimulatedBuilding): Json => ({
  buildings: [
    { id: 'building:99900009301', apiKens: [] },
    {
      id: `building:${id}`,
      apiKens: groups.flatMap((group) => group.lifts.map((lift) => `ken:${group.id}${lift.id}`)),
    },
  ],
  equipments: [],
});
