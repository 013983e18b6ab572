import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { unknownKey } from '../kit/accounts.ts';
import { ask } from '../kit/ask.ts';
import { ADMIN_TOKEN, makeWorld, type World } from '../kit/world.ts';

const LOOK_UP = '/api/v1/lookup/postal?code=11122';
const PER_ADDRESS = 3;

/** A request as if a proxy on this machine had forwarded it. */
interface Forwarded {
  readonly path: string;
  /** Value of X-Forwarded-For. */
  readonly by: string;
  readonly headers?: Record<string, string>;
}

/** A world whose anonymous callers have few calls per address. */
async function limitedWorld(env: Readonly<Record<string, string>>) {
  const world = await makeWorld({ engine: 'sqlite', env });
  const quotas = `anon_per_ip_per_day=${PER_ADDRESS}&anon_global_per_day=10000`;
  assert.equal((await world.admin('POST', `/admin/policy/global?${quotas}`)).status, 200);
  const get = async (base: string, { path, by, headers = {} }: Forwarded): Promise<number> =>
    (await ask(base, { method: 'GET', path, headers: { 'x-forwarded-for': by, ...headers } })).status;
  return {
    world,
    onGrid: (forwarded: Forwarded) => get(world.grid, forwarded),
    onConnect: (forwarded: Forwarded) => get(world.connect, forwarded),
    /** The banned addresses. */
    async banned(): Promise<string[]> {
      const bans = (await (await world.admin('GET', '/admin/bans')).json()) as { ip: string }[];
      return bans.map(({ ip }) => ip);
    },
  };
}

type Limited = Awaited<ReturnType<typeof limitedWorld>>;

/** One call more than an address may make, each with another address in front; returns the statuses. */
async function callsOf({ onGrid }: Limited, rest: string): Promise<number[]> {
  const statuses: number[] = [];
  for (let count = 0; count <= PER_ADDRESS; count += 1)
    statuses.push(await onGrid({ path: LOOK_UP, by: `198.51.100.${count}${rest}` }));
  return statuses;
}

describe('without a trusted proxy', () => {
  let here: Limited;
  let world: World;
  before(async () => {
    here = await limitedWorld({});
    world = here.world;
  });
  after(() => world.close());

  it('X-Forwarded-For gives no caller a limit of its own', async () => {
    assert.deepEqual(await callsOf(here, ''), [200, 200, 200, 429]);
  });

  it('X-Forwarded-For cannot have another address banned', async () => {
    for (let count = 0; count < 12; count += 1) {
      const headers = { 'x-api-key': unknownKey() };
      assert.equal(await here.onGrid({ path: LOOK_UP, by: '203.0.113.5', headers }), 401);
    }
    assert.deepEqual(await here.banned(), []);
  });

  it('X-Forwarded-For cannot pretend to be this machine or a listed address to read metrics', async () => {
    for (const path of ['/metrics', '/readyz']) {
      for (const by of ['127.0.0.1', '203.0.113.5', '::1']) {
        assert.equal(await here.onGrid({ path, by }), 404, `${path} ${by}`);
        assert.equal(await here.onConnect({ path, by }), 404, `${path} ${by}`);
      }
      assert.equal((await fetch(`${world.grid}${path}`)).status, 200);
      assert.equal((await fetch(`${world.connect}${path}`)).status, 200);
    }
  });
});

describe('behind a trusted proxy', () => {
  let here: Limited;
  let world: World;
  before(async () => {
    here = await limitedWorld({ ELNAV_TRUST_PROXY: '127.0.0.1', ELNAV_METRICS_FROM: '192.0.2.0/24' });
    world = here.world;
  });
  after(() => world.close());

  it('an address has a limit of its own, whatever callers put in front of it', async () => {
    assert.deepEqual(await callsOf(here, ', 203.0.113.4'), [200, 200, 200, 429]);
    assert.deepEqual(await callsOf(here, ''), [200, 200, 200, 200]);
  });

  it('the address that sent wrong keys is banned, and no other', async () => {
    for (let count = 0; count < 10; count += 1) {
      const headers = { 'x-api-key': unknownKey() };
      await here.onGrid({ path: LOOK_UP, by: `198.51.100.${100 + count}, 203.0.113.6`, headers });
    }
    assert.deepEqual(await here.banned(), ['203.0.113.6']);
    assert.equal(await here.onConnect({ path: '/devices', by: '203.0.113.6' }), 403);
    assert.equal(await here.onConnect({ path: '/devices', by: '203.0.113.6, 203.0.113.7' }), 401);
    assert.equal(await here.onConnect({ path: '/healthz', by: '203.0.113.6' }), 200);
  });

  it('behind a trusted proxy metrics are for the listed networks, this machine and the admin token', async () => {
    for (const path of ['/metrics', '/readyz']) {
      for (const get of [here.onGrid, here.onConnect]) {
        assert.equal(await get({ path, by: '192.0.2.7' }), 200);
        assert.equal(await get({ path, by: '203.0.113.8' }), 404);
        assert.equal(await get({ path, by: '192.0.2.7, 203.0.113.8' }), 404);
        assert.equal(await get({ path, by: '127.0.0.1, 203.0.113.8' }), 404);
        const headers = { 'x-admin-token': ADMIN_TOKEN };
        assert.equal(await get({ path, by: '203.0.113.8', headers }), 200);
        const wrong = { 'x-admin-token': 'guess' };
        assert.equal(await get({ path, by: '203.0.113.8', headers: wrong }), 404);
      }
    }
  });

  it('a browser gets the usual page for an unknown path', async () => {
    const ofUnknown = async (path: string) => {
      const headers = { accept: 'text/html', 'x-forwarded-for': '203.0.113.9' };
      const {
        status,
        headers: responseHeaders,
        text,
      } = await ask(world.grid, { method: 'GET', path, headers });
      return { status, code: responseHeaders['elnav-error'], type: responseHeaders['content-type'], text };
    };
    const page = await ofUnknown('/nothing');
    assert.equal(page.status, 404);
    assert.match(page.text, /<h1>/);
    assert.deepEqual(await ofUnknown('/metrics'), page);
  });
});

describe('applications of partners', () => {
  it('applications of partners are limited to five a day per address, and only accepted ones count', async () => {
    const { world } = await limitedWorld({ ELNAV_TRUST_PROXY: '127.0.0.1' });
    const apply = async (by: string, application: object) => {
      const { status, headers } = await ask(world.connect, {
        method: 'POST',
        path: '/partners/apply',
        headers: { 'x-forwarded-for': by, 'content-type': 'application/json' },
        body: JSON.stringify(application),
      });
      return { status, code: headers['elnav-error'], wait: Number(headers['retry-after']) };
    };
    const good = { company: 'Sol AB', email: 'a@example.com' };
    assert.equal((await apply('203.0.113.20', { company: 'Sol AB' })).status, 400);
    for (let count = 0; count < 5; count += 1)
      assert.equal((await apply('203.0.113.20', good)).status, 202, `number ${count + 1}`);
    const more = await apply('203.0.113.20', good);
    assert.deepEqual([more.status, more.code], [429, 'limit.exceeded']);
    assert.ok(more.wait > 0 && more.wait <= 86_400);
    assert.equal((await apply('203.0.113.20', {})).status, 429, 'before it is validated');
    assert.equal((await apply('203.0.113.21', good)).status, 202);
    await world.close();
  });
});
