import assert from 'node:assert/strict';
import { systemClock } from '../../src/core/clock.ts';
import { ask, hangUp, type Reply } from '../kit/ask.ts';
import type { Engine } from '../kit/databases.ts';
import { fakeSource, scriptedSource } from '../kit/market.ts';
import { consoleCookie, signUp } from '../kit/people.ts';
import { until } from '../kit/until.ts';
import { ADMIN_TOKEN, type Caller, makeWorld, type World } from '../kit/world.ts';
import { type Route, routesOf } from './route-table.ts';

/** The things that the samples refer to. */
export interface Things {
  readonly owner: Caller;
  /** Devices and a link of the owner. */
  readonly light: string;
  readonly link: string;
  /** The id of a request of the owner. */
  readonly request: string;
  /** A charging station of the owner that has never connected, and its link. */
  readonly station: string;
  readonly stationLink: string;
  /** An application that waits for its decision, created for each call. */
  application(): Promise<string>;
  /** A link that may be deleted, created for each call. */
  spareLink(): Promise<string>;
  /** A gateway that may be removed, created for each call. */
  spareGateway(): Promise<string>;
  /** A subscription of the owner, whose receiver does not exist. */
  readonly subscription: string;
  /** One that may be deleted, created for each call. */
  spareSubscription(): Promise<string>;
  spareKey(): Promise<string>;
  spareUser(): Promise<string>;
  /** Cookie of a signed-in person. */
  readonly session: string;
  /** Cookie of the owner in the console. */
  readonly console: string;
  /** Resolves when no back-fill runs. */
  noBackfill(): Promise<void>;
  email(): string;
}

/** A valid request of a route, and the status of its response. */
export interface Sample {
  /** Path with its query. */
  readonly path: (things: Things) => string | Promise<string>;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly good: number;
  /** The status where it cannot be done at once, or is done already. */
  readonly later?: 202 | 204;
  /** Further statuses of bodies that match the schema, since some fields are validated beyond it. */
  readonly also?: readonly number[];
  /** Size of the largest accepted body, bytes; 16 KiB by default. */
  readonly largest?: number;
  /** A form is accepted as well as JSON. */
  readonly takesForms?: true;
  /** Unknown fields in the body are refused. */
  readonly strict?: true;
  /** A GET that changes something, and so is not available as HEAD. */
  readonly hasHead?: false;
  /** The status for an id in the path that does not exist; 404 by default. */
  readonly unknown?: number;
}

const at =
  (path: string): Sample['path'] =>
  () =>
    path;
const FLEET = [{ id: 'a', baseline_w: 4_000, min_w: 1_380, max_w: 11_000, priority: 1 }];
const TASK = {
  current_soc: 20,
  target_soc: 80,
  capacity_wh: 10_000,
  max_power_w: 5_000,
  min_power_w: 0,
  deadline_slot_index: 0,
};
const POLICY = 'per_minute=100000&per_hour=1000000&per_day=10000000&burst=10000';
const QUOTAS = 'anon_per_ip_per_day=100000000&anon_global_per_day=100000000';

let emails = 0;
function anyEmail(): string {
  emails += 1;
  return `any-${emails}@example.com`;
}

/** One for every route: a route without a sample fails the tests. */
const SAMPLES: Readonly<Record<string, Sample>> = {
  'GET /healthz': { path: at('/healthz'), good: 200 },
  'GET /readyz': { path: at('/readyz'), good: 200 },
  'GET /metrics': { path: at('/metrics'), good: 200 },
  'GET /status': { path: at('/status'), good: 200 },
  'GET /openapi.json': { path: at('/openapi.json'), good: 200 },
  'POST /link': {
    path: at('/link'),
    body: { vendor: 'sandbox', user_ref: 'samples', credentials: { device_types: ['light'], seed: 's' } },
    good: 200,
    also: [400],
  },
  'POST /gateways': { path: at('/gateways'), body: { name: 'Storgatan 1' }, good: 200 },
  'GET /gateways': { path: at('/gateways'), good: 200 },
  'GET /gateways/{id}': { path: async (things) => `/gateways/${await things.spareGateway()}`, good: 200 },
  'POST /gateways/{id}/pairing-code': {
    path: async (things) => `/gateways/${await things.spareGateway()}/pairing-code`,
    good: 200,
  },
  // It is not connected.
  'POST /gateways/{id}/discover': {
    path: async (things) => `/gateways/${await things.spareGateway()}/discover`,
    good: 502,
  },
  'DELETE /gateways/{id}': { path: async (things) => `/gateways/${await things.spareGateway()}`, good: 204 },
  'POST /subscriptions': {
    path: at('/subscriptions'),
    body: { url: 'https://127.0.0.1:1/events', types: ['device.linked'], signature: 'ed25519' },
    good: 201,
    // The url and the types are judged beyond the schema, and an account has 20.
    also: [400, 403, 409],
  },
  'GET /subscriptions': { path: at('/subscriptions'), good: 200 },
  'GET /subscriptions/{id}': { path: ({ subscription }) => `/subscriptions/${subscription}`, good: 200 },
  'PATCH /subscriptions/{id}': {
    path: ({ subscription }) => `/subscriptions/${subscription}`,
    body: { types: null },
    good: 200,
    also: [400, 403],
  },
  'DELETE /subscriptions/{id}': {
    path: async (things) => `/subscriptions/${await things.spareSubscription()}`,
    good: 204,
  },
  'POST /subscriptions/{id}/rotate': {
    path: ({ subscription }) => `/subscriptions/${subscription}/rotate`,
    good: 200,
  },
  'POST /subscriptions/{id}/test': {
    path: ({ subscription }) => `/subscriptions/${subscription}/test`,
    good: 200,
  },
  'POST /subscriptions/{id}/replay': {
    path: ({ subscription }) => `/subscriptions/${subscription}/replay`,
    body: { after: null },
    good: 200,
    also: [400],
  },
  'POST /subscriptions/{id}/resume': {
    path: ({ subscription }) => `/subscriptions/${subscription}/resume`,
    good: 200,
  },
  'GET /subscriptions/{id}/attempts': {
    path: ({ subscription }) => `/subscriptions/${subscription}/attempts`,
    good: 200,
  },
  'GET /account': { path: at('/account'), good: 200 },
  'GET /account/usage': { path: at('/account/usage?from=2026-11-01&to=2026-11-30'), good: 200 },
  'GET /account/brand': { path: at('/account/brand'), good: 200 },
  'PUT /account/brand': {
    path: at('/account/brand'),
    body: { name: 'Solbilar', color: '#0b5d48' },
    good: 200,
    // What a name and a colour may be is judged beyond the schema.
    also: [400],
  },
  'DELETE /account/brand': { path: at('/account/brand'), good: 204 },
  'GET /account/keys': { path: at('/account/keys'), good: 200 },
  'POST /account/keys': {
    path: at('/account/keys'),
    body: { label: 'sample', scopes: ['devices:read'] },
    good: 201,
    // The label is judged beyond the schema, and an account has 50.
    also: [400, 409],
  },
  'DELETE /account/keys/{key_id}': {
    path: async (things) => `/account/keys/${await things.spareKey()}`,
    good: 200,
  },
  'GET /links': { path: at('/links'), good: 200 },
  'DELETE /links/{id}': {
    path: async (things) => `/links/${await things.spareLink()}`,
    good: 204,
    later: 202,
  },
  'PATCH /links/{id}': {
    path: ({ stationLink }) => `/links/${stationLink}`,
    body: { price_area: 'SE3' },
    good: 200,
  },
  'POST /links/{id}/refresh': {
    path: async (things) => `/links/${await things.spareLink()}/refresh`,
    good: 200,
  },
  'GET /links/{id}/cards': { path: ({ stationLink }) => `/links/${stationLink}/cards`, good: 200 },
  'PUT /links/{id}/cards': {
    path: ({ stationLink }) => `/links/${stationLink}/cards`,
    body: { accept: 'list', cards: [{ id: '04E91C5A' }] },
    good: 200,
    strict: true,
  },
  'DELETE /links/{id}/cards': { path: ({ stationLink }) => `/links/${stationLink}/cards`, good: 200 },
  'GET /vendors': { path: at('/vendors'), good: 200 },
  'GET /vendors/{vendor}/budget': { path: at('/vendors/sandbox/budget'), good: 200, unknown: 400 },
  'POST /link/sessions': {
    path: at('/link/sessions'),
    body: { user_ref: 'samples', vendor: 'sandbox', redirect_uri: 'https://app.example.com/' },
    good: 200,
    also: [400],
  },
  // Sessions and sign-ins are started by a browser; without one the good response is a refusal.
  'GET /link/sessions/{session}': { path: at('/link/sessions/unknown'), good: 400, unknown: 400 },
  'GET /oauth/{vendor}/authorize': {
    path: at('/oauth/sandbox/authorize'),
    good: 400,
    unknown: 400,
    hasHead: false,
  },
  'GET /oauth/{vendor}/callback': {
    path: at('/oauth/sandbox/callback?state=unknown'),
    good: 400,
    unknown: 400,
    hasHead: false,
  },
  'GET /devices': { path: at('/devices?limit=2'), good: 200 },
  'GET /devices/{id}': { path: ({ light }) => `/devices/${light}`, good: 200 },
  'GET /events': {
    path: ({ light }) => `/events?types=device.linked,link.linked&device=${light}&limit=2`,
    good: 200,
  },
  'GET /events/stream': { path: at('/events/stream'), good: 200 },
  'POST /devices/{id}/command': {
    path: ({ light }) => `/devices/${light}/command`,
    body: { type: 'set_light', dim: 40, color: [1, 2, 3] },
    good: 200,
    also: [400, 422],
    strict: true,
  },
  'GET /devices/{id}/transactions': { path: ({ light }) => `/devices/${light}/transactions`, good: 200 },
  'GET /devices/{id}/readings': { path: ({ light }) => `/devices/${light}/readings`, good: 200 },
  'GET /devices/{id}/history': {
    path: ({ light }) => `/devices/${light}/history?resolution=1h&fields=power_on&timezone=UTC`,
    good: 200,
  },
  'GET /history/today': { path: at('/history/today?timezone=UTC'), good: 200 },
  'GET /sessions': { path: at('/sessions?user_ref=anna&limit=2'), good: 200 },
  'GET /devices/{id}/sessions': { path: ({ light }) => `/devices/${light}/sessions`, good: 200 },
  'GET /requests': { path: at('/requests?status=failed&route=GET%20/devices/{id}&limit=2'), good: 200 },
  'GET /requests/{request_id}': { path: ({ request }) => `/requests/${request}`, good: 200 },
  'GET /users/{user_ref}/export': { path: at('/users/nobody/export'), good: 200, unknown: 200 },
  'DELETE /users/{user_ref}': { path: at('/users/nobody'), good: 204, unknown: 204 },
  'GET /interventions': { path: at('/interventions?state=all&limit=2'), good: 200 },
  'GET /devices/{id}/set-points': { path: ({ light }) => `/devices/${light}/set-points`, good: 200 },
  // A light has none, so its good response says so.
  'DELETE /devices/{id}/set-points/{type}': {
    path: ({ light }) => `/devices/${light}/set-points/set_battery_power`,
    good: 422,
  },
  'GET /devices/{id}/station': { path: ({ station }) => `/devices/${station}/station`, good: 200 },
  // The station has never connected, so its good response is that it is offline.
  'POST /devices/{id}/station': {
    path: ({ station }) => `/devices/${station}/station`,
    body: { type: 'trigger', message: 'Heartbeat' },
    good: 502,
    also: [400, 422],
    strict: true,
  },
  'POST /sandbox/devices/{id}': {
    path: ({ light }) => `/sandbox/devices/${light}`,
    body: { online: true, time_scale: 1 },
    good: 200,
    also: [400],
    strict: true,
  },
  'POST /optimize/plan': {
    path: at('/optimize/plan'),
    body: {
      prices: [{ duration_min: 60, price: '0.4213' }],
      task: TASK,
      device_profile: { kind: 'battery' },
    },
    good: 200,
    // Either prices or an area, which the schema cannot express.
    also: [400],
    largest: 16 * 1024 * 1024,
  },
  'POST /flex/dispatch': {
    path: at('/flex/dispatch'),
    body: { fleet: FLEET, request: { direction: 'down', amount_w: 1_000 } },
    good: 200,
    largest: 96 * 1024 * 1024,
  },
  'POST /flex/flexibility': {
    path: at('/flex/flexibility'),
    body: { fleet: FLEET, period: { index: 3, duration_min: 60 } },
    good: 200,
    largest: 96 * 1024 * 1024,
  },
  // The sandbox posts nothing.
  'POST /webhooks/{vendor}': { path: at('/webhooks/sandbox'), good: 400, unknown: 400 },
  'POST /partners/apply': {
    path: at('/partners/apply'),
    body: { company: 'Example AB', email: 'a@example.com', vendors: ['sandbox'] },
    largest: 32 * 1024,
    good: 202,
    also: [400],
  },
  'GET /api/v1/lookup/postal': { path: at('/api/v1/lookup/postal?code=11122'), good: 200 },
  'GET /api/v1/lookup/grid-area': { path: at('/api/v1/lookup/grid-area?code=STH'), good: 200 },
  'GET /api/v1/search/ort': { path: at('/api/v1/search/ort?q=stock'), good: 200 },
  'GET /api/v1/lookup/ort': { path: at('/api/v1/lookup/ort?ort=Malm%C3%B6'), good: 200 },
  'GET /api/v1/lookup/address': {
    path: at('/api/v1/lookup/address?adress=Storgatan%201&postnr=11122'),
    good: 200,
  },
  'GET /api/v1/lookup/coordinate': { path: at('/api/v1/lookup/coordinate?lat=59.33&lon=18.06'), good: 200 },
  'GET /api/v1/regions/elomraden': { path: at('/api/v1/regions/elomraden'), good: 200 },
  'GET /api/v1/regions/grid-owners': { path: at('/api/v1/regions/grid-owners?limit=3'), good: 200 },
  'GET /api/v1/tax': { path: at('/api/v1/tax?kommun=0180'), good: 200 },
  'GET /api/v1/prices/spot': { path: at('/api/v1/prices/spot?area=SE3'), good: 200 },
  'GET /api/v1/prices/current': { path: at('/api/v1/prices/current'), good: 200 },
  'GET /api/v1/prices/history': {
    path: at('/api/v1/prices/history?area=SE3&from=2026-11-21&to=2026-11-21'),
    good: 200,
  },
  'GET /api/v1/prices/stream': { path: at('/api/v1/prices/stream?area=SE3'), good: 200 },
  'GET /api/v1/production/current': { path: at('/api/v1/production/current'), good: 200 },
  'GET /api/v1/production/history': {
    path: at('/api/v1/production/history?from=2026-11-21&resolution=day'),
    good: 200,
  },
  'POST /admin/prices/backfill': {
    async path(things) {
      await things.noBackfill();
      return '/admin/prices/backfill?from=2026-01-01&to=2026-01-01&area=SE3';
    },
    good: 200,
  },
  'GET /admin/prices/backfill': { path: at('/admin/prices/backfill'), good: 200 },
  'GET /admin/prices/backfill/{backfill_id}': { path: at('/admin/prices/backfill/none'), good: 404 },
  'DELETE /admin/prices/backfill/{backfill_id}': { path: at('/admin/prices/backfill/none'), good: 404 },
  'GET /auth/login': { path: at('/auth/login'), good: 200 },
  'GET /auth/signup': { path: at('/auth/signup'), good: 200 },
  // A new unknown address each time, since an address has ten attempts.
  'POST /auth/login': {
    path: at('/auth/login'),
    get body() {
      return { email: anyEmail(), password: 'a password that nobody has' };
    },
    good: 401,
    // An empty password is refused beyond the schema.
    also: [422],
    takesForms: true,
  },
  'POST /auth/signup': {
    path: at('/auth/signup'),
    get body() {
      return { email: anyEmail(), password: 'flod gardin nyckel', name: 'Anna' };
    },
    good: 200,
    // Passwords are validated beyond the schema.
    also: [422, 429],
    takesForms: true,
  },
  'POST /auth/magic': {
    path: at('/auth/magic'),
    get body() {
      return { email: anyEmail() };
    },
    good: 200,
    takesForms: true,
  },
  'POST /auth/logout': { path: at('/auth/logout'), good: 200 },
  'GET /auth/me': { path: at('/auth/me'), good: 200 },
  'GET /auth/magic/verify/{token}': {
    path: at('/auth/magic/verify/unknown'),
    good: 400,
    unknown: 400,
    hasHead: false,
  },
  'POST /auth/magic/verify/{token}': { path: at('/auth/magic/verify/unknown'), good: 400, unknown: 400 },
  'GET /admin/policy/global': { path: at('/admin/policy/global'), good: 200 },
  'POST /admin/policy/global': { path: at(`/admin/policy/global?${QUOTAS}`), good: 200 },
  'GET /admin/usage': { path: at('/admin/usage?limit=5'), good: 200 },
  'GET /admin/audit': { path: at('/admin/audit?limit=5'), good: 200 },
  'GET /admin/requests': { path: at('/admin/requests?status=4xx&limit=2'), good: 200 },
  'GET /admin/requests/{request_id}': { path: ({ request }) => `/admin/requests/${request}`, good: 200 },
  'GET /admin/bans': { path: at('/admin/bans'), good: 200 },
  'POST /admin/bans': {
    path: at('/admin/bans?ip=198.51.100.77&reason=samples&expires_at=2100-01-01T00:00:00Z'),
    good: 200,
  },
  'GET /admin/health': { path: at('/admin/health'), good: 200 },
  // There is no ban to lift, so its good response is the one for an unknown id.
  'DELETE /admin/bans/{ban_id}': { path: at('/admin/bans/987654321'), good: 404 },
  'GET /admin/users': { path: at('/admin/users'), good: 200 },
  'POST /admin/users': {
    path: ({ email }) => `/admin/users?email=${encodeURIComponent(email())}`,
    good: 200,
  },
  'GET /admin/users/{user_id}': { path: ({ owner }) => `/admin/users/${owner.userId}`, good: 200 },
  'PATCH /admin/users/{user_id}': {
    path: ({ owner }) => `/admin/users/${owner.userId}?suspended=false`,
    good: 200,
  },
  'DELETE /admin/users/{user_id}': {
    path: async (things) => `/admin/users/${await things.spareUser()}`,
    good: 202,
    later: 204,
  },
  'POST /admin/users/{user_id}/role': {
    path: ({ owner }) => `/admin/users/${owner.userId}/role?role=none`,
    good: 200,
  },
  'POST /admin/users/{user_id}/policy': {
    path: ({ owner }) => `/admin/users/${owner.userId}/policy?${POLICY}`,
    good: 200,
  },
  'POST /admin/users/{user_id}/keys': {
    path: ({ owner }) => `/admin/users/${owner.userId}/keys?label=sample`,
    good: 200,
  },
  'POST /admin/users/{user_id}/sign-in-link': {
    path: ({ owner }) => `/admin/users/${owner.userId}/sign-in-link`,
    good: 200,
  },
  'DELETE /admin/keys/{key_id}': {
    path: async (things) => `/admin/keys/${await things.spareKey()}`,
    good: 200,
  },
  'GET /admin/partners': { path: at('/admin/partners'), good: 200 },
  'POST /admin/partners/{application_id}/approve': {
    path: async (things) => `/admin/partners/${await things.application()}/approve`,
    good: 200,
  },
  'POST /admin/partners/{application_id}/reject': {
    path: async (things) => `/admin/partners/${await things.application()}/reject`,
    good: 200,
  },
};

export const SAMPLES_ENV = { ELNAV_TRUST_PROXY: '127.0.0.1', ELNAV_LOCAL_NETWORKS: '127.0.0.0/8' };

/** Both services with an owner of things, another account, and every route with its sample. */
export interface RouteWorld {
  readonly world: World;
  readonly things: Things;
  readonly stranger: Caller;
  readonly routes: readonly (Route & { readonly sample: Sample })[];
  /** Routes without a sample. */
  readonly lacking: readonly string[];
  /** Sends the route's sample with a right key or token, with parts of it replaced. */
  good(route: Route & { sample: Sample }, changed?: Changed): Promise<Reply>;
  close(): Promise<void>;
}

export interface Changed {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

export async function makeRouteWorld(
  engine: Engine,
  options: Partial<Parameters<typeof makeWorld>[0]> = {},
): Promise<RouteWorld> {
  const world = await makeWorld({
    engine,
    env: SAMPLES_ENV,
    priceSources: [fakeSource(options.clock ?? systemClock, 'told')],
    productionSource: scriptedSource(),
    ...options,
  });
  await world.admin('POST', `/admin/policy/global?${QUOTAS}`);
  const owner = await world.newAccount();
  const stranger = await world.newAccount();
  const things = await thingsOf(world, owner);
  for (const what of ['prices', 'production']) {
    await until(`${what} are there`, async () => (await fetch(`${world.grid}/api/v1/${what}/current`)).ok);
  }
  const table = [...(await routesOf('connect', world.connect)), ...(await routesOf('grid', world.grid))];
  const routes = table.flatMap((route) => {
    const sample = SAMPLES[route.name];
    return sample === undefined ? [] : [{ ...route, sample }];
  });
  return {
    world,
    things,
    stranger,
    routes,
    lacking: table.map(({ name }) => name).filter((name) => !Object.hasOwn(SAMPLES, name)),
    async good(route, changed = {}) {
      const { sample } = route;
      const body = changed.body ?? (sample.body === undefined ? undefined : JSON.stringify(sample.body));
      return ask(route.base, {
        method: changed.method ?? route.method,
        path: changed.path ?? (await sample.path(things)),
        headers: {
          ...rightHeaders(route, things),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...changed.headers,
        },
        body,
      });
    },
    async close() {
      hangUp();
      await world.close();
    },
  };
}

/** The headers that authenticate a request. */
function rightHeaders(
  { access }: Pick<Route, 'access'>,
  { owner, session, console }: Pick<Things, 'owner' | 'session' | 'console'>,
): Record<string, string> {
  if (access === 'admin' || access === 'operator') return { 'x-admin-token': ADMIN_TOKEN };
  if (access === 'session') return { cookie: session };
  if (access === 'console') return { cookie: console };
  return access === 'key' ? { 'x-api-key': owner.key } : {};
}

async function thingsOf(world: World, owner: Caller): Promise<Things> {
  let count = 0;
  const linkOne = async (seed: string, types: readonly string[]) => {
    const credentials = { seed, device_types: types };
    const answer = await owner.call('POST', '/link', { vendor: 'sandbox', user_ref: 'things', credentials });
    assert.equal(answer.status, 200);
    return answer.body as { devices: { id: string }[] };
  };
  const links = async () => (await owner.call('GET', '/links')).body as { id: string }[];
  const { devices } = await linkOne('kept', ['light']);
  const [kept] = await links();
  const credentials = { identity: 'SAMPLE', password: 'a-station-password' };
  await owner.call('POST', '/link', { vendor: 'ocpp', user_ref: 'things', credentials });
  const subscribe = async (): Promise<string> => {
    const body = { url: 'https://127.0.0.1:1/events' };
    const made = (await owner.call('POST', '/subscriptions', body)).body as { id: string };
    return made.id;
  };
  const request = 'a-request-of-the-owner';
  await owner.call('GET', '/devices/none', undefined, { 'x-request-id': request });
  const dialing = (await links()).find(({ id }) => id !== kept?.id);
  return {
    owner,
    light: devices[0]?.id ?? '',
    link: kept?.id ?? '',
    request,
    station: 'SAMPLE',
    stationLink: dialing?.id ?? '',
    session: await signUp(world, anyEmail()),
    console: await consoleCookie(world, owner.userId),
    async application() {
      count += 1;
      const { text } = await ask(world.connect, {
        method: 'POST',
        path: '/partners/apply',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ company: 'Example AB', email: `partner-${count}-${process.pid}@example.com` }),
      });
      return (JSON.parse(text) as { application_id: string }).application_id;
    },
    async spareLink() {
      count += 1;
      const before = new Set((await links()).map(({ id }) => id));
      await linkOne(`spare-${count}`, ['thermostat']);
      return (await links()).find(({ id }) => !before.has(id))?.id ?? '';
    },
    async spareGateway() {
      return ((await owner.call('POST', '/gateways', { name: 'Spare' })).body as { id: string }).id;
    },
    subscription: await subscribe(),
    spareSubscription: subscribe,
    async spareUser() {
      const email = encodeURIComponent(`spare-${Math.random()}@example.com`);
      const made = (await (await world.admin('POST', `/admin/users?email=${email}`)).json()) as {
        id: number;
      };
      return `${made.id}?confirm=${email}`;
    },
    async spareKey() {
      const path = `/admin/users/${owner.userId}/keys?label=spare`;
      return ((await (await world.admin('POST', path)).json()) as { id: string }).id;
    },
    noBackfill: () =>
      until('back-fills are over', async () => {
        const list = (await (await world.admin('GET', '/admin/prices/backfill')).json()) as {
          status: string;
        }[];
        return list.every(({ status }) => status !== 'running');
      }),
    email() {
      count += 1;
      return `sample-${count}-${process.pid}@example.com`;
    },
  };
}
