import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { systemClock } from '../../src/core/clock.ts';
import { vendors } from '../../src/vendors/index.ts';
import { netatmo } from '../../src/vendors/netatmo/index.ts';
import { SimulatedStation } from '../../src/vendors/ocpp/simulator/simulator.ts';
import { ask, type Reply } from '../kit/ask.ts';
import { CookieBrowser } from '../kit/cookie-browser.ts';
import { pairedGateway } from '../kit/gateways.ts';
import { nextEmail } from '../kit/people.ts';
import { responses } from '../kit/responses.ts';
import { SERVED_PARTNER, type ServedVendor, serveVendor } from '../kit/served-vendor.ts';
import { testVendor } from '../kit/vendor-for-tests.ts';
import type { Route } from './route-table.ts';
import { makeRouteWorld, type RouteWorld, SAMPLES_ENV, type Sample } from './samples.ts';

const JSON_BODY = { 'content-type': 'application/json' };
const PASSWORD = 'flod gardin nyckel';

/** The routes whose sample is no success: what has to be there first is made here. */
const successes = ({ world, things }: RouteWorld, { vendor: { user } }: ServedVendor) => {
  const { connect, grid } = world;
  const { owner } = things;
  const get = (base: string, path: string, headers: Record<string, string> = {}) =>
    ask(base, { method: 'GET', path, headers });
  const post = (base: string, path: string, body: object, headers: Record<string, string> = {}) =>
    ask(base, { method: 'POST', path, headers: { ...JSON_BODY, ...headers }, body: JSON.stringify(body) });
  const begin = () => get(connect, '/oauth/netatmo/authorize');
  /** Signs in on the vendor's page; the address that it leads back to. */
  const signIn = async ({ headers }: Reply): Promise<string> => {
    const body = new URLSearchParams({ username: user.name, password: user.password });
    const answer = await fetch(String(headers.location), { method: 'POST', redirect: 'manual', body });
    const { pathname, search } = new URL(answer.headers.get('location') ?? '');
    return `${pathname}${search}`;
  };
  const newLink = async (): Promise<string> => {
    const email = things.email();
    await post(grid, '/auth/signup', { email, password: PASSWORD, name: 'Anna' });
    const { path } = await nextEmail(world, email);
    return path;
  };
  const ban = async (): Promise<number> => {
    const headers = { 'x-forwarded-for': '203.0.113.77', 'x-admin-token': 'wrong' };
    for (let count = 0; count < 10; count += 1) await get(grid, '/admin/bans', headers);
    const bans = (await (await world.admin('GET', '/admin/bans')).json()) as { id: number }[];
    return bans[0]?.id ?? 0;
  };
  const backfill = async (day: string): Promise<string> => {
    await things.noBackfill();
    const path = `/admin/prices/backfill?from=${day}&to=${day}&area=SE3`;
    return ((await (await world.admin('POST', path)).json()) as { id: string }).id;
  };
  return {
    async 'GET /link/sessions/{session}'() {
      const { body } = await owner.call('POST', '/link/sessions', { user_ref: 'anna' });
      return get(connect, `/link/sessions/${(body as { session: string }).session}`, {
        'x-api-key': owner.key,
        accept: 'application/json',
      });
    },
    'GET /oauth/{vendor}/authorize': begin,
    async 'GET /oauth/{vendor}/callback'() {
      return get(connect, await signIn(await begin()));
    },
    async 'POST /webhooks/{vendor}'() {
      const secret = createHmac('sha256', SERVED_PARTNER.clientSecret).update('{}').digest('hex');
      return post(connect, '/webhooks/netatmo', {}, { 'x-netatmo-secret': secret });
    },
    async 'DELETE /devices/{id}/set-points/{type}'() {
      const credentials = { user: 'u', password: 'p' };
      await owner.call('POST', '/link', { vendor: 'testvendor', user_ref: 'set points', credentials });
      const command = { type: 'set_battery_power', power_w: -3_000, for_seconds: 3_600 };
      await owner.call('POST', '/devices/battery-1/command', command);
      const path = '/devices/battery-1/set-points/set_battery_power';
      return ask(connect, { method: 'DELETE', path, headers: { 'x-api-key': owner.key } });
    },
    async 'POST /devices/{id}/station'() {
      const url = `${connect.replace('http', 'ws')}/ocpp`;
      const station = new SimulatedStation({
        ...{ url, identity: things.station, password: 'a-station-password' },
        ...{ protocol: 'ocpp1.6', clock: systemClock },
      });
      await station.connect();
      return post(
        connect,
        `/devices/${things.station}/station`,
        { type: 'reset' },
        { 'x-api-key': owner.key },
      );
    },
    async 'POST /gateways/{id}/discover'() {
      const gateway = await pairedGateway(owner, connect);
      return post(connect, `/gateways/${gateway.id}/discover`, {}, { 'x-api-key': owner.key });
    },
    async 'GET /auth/magic/verify/{token}'() {
      return get(grid, await newLink(), { accept: 'text/html' });
    },
    async 'POST /auth/magic/verify/{token}'() {
      return post(grid, await newLink(), {});
    },
    async 'POST /auth/login'() {
      const email = things.email();
      // The password holds in the browser that asked for it.
      const browser = new CookieBrowser();
      await browser.post(`${grid}/auth/signup`, { email, password: PASSWORD, name: 'Anna' });
      await browser.get((await nextEmail(world, email)).link);
      return post(grid, '/auth/login', { email, password: PASSWORD });
    },
    async 'DELETE /admin/bans/{ban_id}'() {
      const response = await world.admin('DELETE', `/admin/bans/${await ban()}`);
      return { status: response.status };
    },
    async 'GET /admin/prices/backfill/{backfill_id}'() {
      const response = await world.admin('GET', `/admin/prices/backfill/${await backfill('2026-01-02')}`);
      return { status: response.status };
    },
    async 'DELETE /admin/prices/backfill/{backfill_id}'() {
      const response = await world.admin('DELETE', `/admin/prices/backfill/${await backfill('2026-01-03')}`);
      return { status: response.status };
    },
  } satisfies Record<string, () => Promise<Pick<Reply, 'status'>>>;
};

describe('every route', () => {
  let here: RouteWorld;
  let served: ServedVendor;
  before(async () => {
    served = await serveVendor(netatmo, systemClock);
    const vendor = testVendor({ revertSeconds: null });
    vendor.devices = ['battery-1'];
    here = await makeRouteWorld('sqlite', {
      env: { ...SAMPLES_ENV, ...served.env },
      adapters: [...vendors, vendor.adapter],
    });
  });
  after(async () => {
    await here.close();
    await served.close();
  });

  it('every route responds as documented to a request that succeeds, and to one that fails', async () => {
    const others: Readonly<Record<string, () => Promise<unknown>>> = successes(here, served);
    const fail = async (route: Route & { sample: Sample }): Promise<Reply> => {
      const { access, body, base, method, sample } = route;
      const wrong = { 'x-api-key': 'wrong', 'x-admin-token': 'wrong', cookie: '' };
      if (access !== 'public') return here.good(route, { headers: wrong });
      if (body !== undefined) return here.good(route, { body: '{' });
      return ask(base, { method, path: await sample.path(here.things), isWithoutHost: true });
    };
    assert.deepEqual(here.lacking, [], 'routes without a sample');
    assert.ok(here.routes.length > 110, `only ${here.routes.length} routes`);
    const lacking: string[] = [];
    for (const route of here.routes) {
      const before = new Map(responses.checked);
      await (others[route.name] ?? (() => here.good(route)))();
      await fail(route);
      const fresh = [...responses.checked].filter(([key, count]) => count > (before.get(key) ?? 0));
      const statuses = fresh
        .filter(([key]) => key.startsWith(`${route.name} `))
        .map(([key]) => Number(key.slice(-3)));
      if (!statuses.some((status) => status < 400)) lacking.push(`${route.name} has no success: ${statuses}`);
      if (!statuses.some((status) => status >= 400))
        lacking.push(`${route.name} has no failure: ${statuses}`);
    }
    assert.deepEqual(lacking, []);
    assert.deepEqual(responses.faults, []);
  });
});
