import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { makeEmptyPlace, makePlace, type Place } from '../kit/databases.ts';
import {
  admin,
  type Call,
  callWith,
  envOf,
  openAccount,
  type Service,
  startService,
  stopService,
  until,
} from '../kit/service.ts';

const skip = process.env.TEST_DATABASE_URL === undefined ? 'TEST_DATABASE_URL is not set' : false;
/** Redis is shared with other tests, and account ids start at 1 in each of them. */
const redisUrl =
  process.env.TEST_REDIS_URL === undefined
    ? undefined
    : `${process.env.TEST_REDIS_URL}?keyPrefix=test-${crypto.randomUUID()}:`;

async function linkLamp(call: Call, base: string, userRef: string): Promise<string> {
  const body = { vendor: 'sandbox', user_ref: userRef, credentials: { device_types: ['light'] } };
  const { body: linked, status } = await call(base, { path: '/link', body });
  assert.equal(status, 200, JSON.stringify(linked));
  return (linked as { devices: { id: string }[] }).devices[0]?.id ?? '';
}

/** Creates keys and revokes them on one instance; the other must refuse each from the next request on. */
async function revokedOnTheOther(
  grid: string,
  { connect, userId }: { connect: string; userId: number },
): Promise<void> {
  for (let round = 0; round < 20; round += 1) {
    const { body } = await admin(grid, 'POST', `/admin/users/${userId}/keys?label=round-${round}`);
    const { id, api_key } = body as { id: string; api_key: string };
    const ask = callWith(api_key);
    assert.equal((await ask(connect, { path: '/devices' })).status, 200);
    assert.equal((await admin(grid, 'DELETE', `/admin/keys/${id}`)).status, 200);
    assert.equal((await ask(connect, { path: '/devices' })).status, 401, `round ${round}`);
  }
}

describe('two instances on one PostgreSQL', { skip }, () => {
  let place: Place;
  let a: Service;
  let b: Service;
  let call: Call;
  let userId: number;

  before(async () => {
    place = await makeEmptyPlace('postgres');
    const env = { ...envOf(place), ...(redisUrl === undefined ? {} : { REDIS_URL: redisUrl }) };
    // Both at once: one runs the migrations, and the other waits.
    [a, b] = await Promise.all([startService({ env }), startService({ env })]);
    const account = await openAccount(a.grid);
    call = callWith(account.key);
    userId = account.userId;
  });
  after(async () => {
    await Promise.all([stopService(a), stopService(b)]);
    await place.remove();
  });

  it('two instances on one PostgreSQL refuse a revoked key from the next request on', async () => {
    await revokedOnTheOther(a.grid, { connect: b.connect, userId });
    await revokedOnTheOther(b.grid, { connect: a.connect, userId });
  });

  it('two instances on one PostgreSQL apply a changed policy at once', async () => {
    const other = await openAccount(a.grid);
    const ask = callWith(other.key);
    for (let round = 0; round < 10; round += 1) {
      const perMinute = 5_000 + round;
      const policy = `per_minute=${perMinute}&per_hour=100000&per_day=1000000&burst=1000`;
      await admin(a.grid, 'POST', `/admin/users/${other.userId}/policy?${policy}`);
      const { headers } = await ask(b.connect, { path: '/devices' });
      assert.match(headers.get('ratelimit-policy') ?? '', new RegExp(`q=${perMinute}\\b`));
    }
  });

  it('two instances on one PostgreSQL read through one what was changed through the other', async () => {
    const lamp = await linkLamp(call, a.connect, 'anna');
    for (let dim = 1; dim <= 20; dim += 1) {
      const [to, from] = dim % 2 === 0 ? [a, b] : [b, a];
      const path = `/devices/${lamp}/command`;
      const done = await call(to.connect, { path, body: { type: 'set_light', dim } });
      assert.equal(done.status, 200, JSON.stringify(done.body));
      const read = JSON.stringify((await call(from.connect, { path: `/devices/${lamp}` })).body);
      assert.match(read, new RegExp(`"dim ${dim},`));
      const listed = JSON.stringify((await call(from.connect, { path: '/devices' })).body);
      assert.match(listed, new RegExp(`"dim ${dim},`), 'and in the list');
    }
  });

  it('two instances on one PostgreSQL drop on one what was unlinked on the other', async () => {
    for (let round = 0; round < 10; round += 1) {
      const [here, there] = round % 2 === 0 ? [a, b] : [b, a];
      const userRef = `gone-${round}`;
      const lamp = await linkLamp(call, here.connect, userRef);
      assert.equal((await call(there.connect, { path: `/devices/${lamp}` })).status, 200);
      assert.match(JSON.stringify((await call(there.connect, { path: '/devices' })).body), new RegExp(lamp));
      const links = (await call(there.connect, { path: '/links' })).body as {
        id: string;
        user_ref: string;
      }[];
      const id = links.find(({ user_ref }) => user_ref === userRef)?.id ?? '';
      const removed = await call(here.connect, { method: 'DELETE', path: `/links/${id}` });
      assert.equal(removed.status, 204);
      assert.equal((await call(there.connect, { path: `/devices/${lamp}` })).status, 404);
      const command = { path: `/devices/${lamp}/command`, body: { type: 'turn_off' } };
      assert.equal((await call(there.connect, command)).status, 404);
      const listed = JSON.stringify((await call(there.connect, { path: '/devices' })).body);
      assert.equal(listed.includes(lamp), false);
    }
  });

  it('two instances on one PostgreSQL see each other in the health, and which of them does the work of all', async () => {
    interface Seen {
      readonly id: string;
      readonly is_self: boolean;
      readonly is_alive: boolean;
      readonly leads: readonly string[];
      readonly report: { readonly log_lag_ms: number | null } | null;
    }
    const healthOf = async (service: Service) =>
      ((await admin(service.grid, 'GET', '/admin/health')).body as { instances: readonly Seen[] }).instances;
    const seen = await Promise.all([healthOf(a), healthOf(b)]);
    const [first, second] = seen.map((all) => all.find(({ is_self }) => is_self)?.id);
    assert.ok(first !== undefined && second !== undefined && first !== second);
    for (const all of seen) {
      assert.deepEqual(all.map(({ id }) => id).toSorted(), [first, second].toSorted());
      assert.ok(all.every(({ is_alive, report }) => is_alive && report !== null));
      const led = all.flatMap(({ leads }) => leads);
      assert.ok(led.includes('projection.history'), `${led}`);
      assert.equal(new Set(led).size, led.length, 'by one of them each');
    }
    const c = await startService({ env: envOf(place) });
    await until('the third is seen', async () => ((await healthOf(a)).length === 3 ? true : undefined));
    await stopService(c);
    await until('it is gone', async () => ((await healthOf(a)).length === 2 ? true : undefined));
  });

  it('two instances on one PostgreSQL create one link when both link the same vendor account at once', async () => {
    for (let round = 0; round < 5; round += 1) {
      const userRef = `both-${round}`;
      const ids = await Promise.all([a, b, a, b].map(({ connect }) => linkLamp(call, connect, userRef)));
      assert.equal(new Set(ids).size, 1);
      const links = (await call(a.connect, { path: '/links' })).body as { user_ref: string }[];
      assert.equal(links.filter(({ user_ref }) => user_ref === userRef).length, 1);
    }
  });

  it('two instances on one PostgreSQL run a request with an idempotency key once, whichever of them receives it', async () => {
    const lamp = await linkLamp(call, a.connect, 'once');
    for (let round = 0; round < 10; round += 1) {
      const request = {
        path: `/devices/${lamp}/command`,
        body: { type: 'set_light', color: [7, 7, round] },
        headers: { 'idempotency-key': `once-${round}` },
      };
      const answers = await Promise.all([a, b, a, b].map(({ connect }) => call(connect, request)));
      const statuses = answers.map(({ status }) => status);
      assert.ok(
        statuses.includes(200) && statuses.every((status) => [200, 409].includes(status)),
        `${statuses}`,
      );
    }
    const database = await place.open();
    const rows = await database.queries
      .selectFrom('commands')
      .select('command_json')
      .where('device_id', '=', lamp)
      .execute();
    await database.close();
    assert.equal(rows.length, 10);
  });
});

describe('the limits of three instances', {
  skip: skip === false && redisUrl === undefined ? 'TEST_REDIS_URL is not set' : skip,
}, () => {
  it('the limits of three instances are shared through Redis', async () => {
    const place = await makePlace('postgres');
    const env = { ...envOf(place), REDIS_URL: `${redisUrl}limits:` };
    const all = await Promise.all([startService({ env }), startService({ env }), startService({ env })]);
    // Counting separately, halved, the three would admit 30.
    const grid = all[0]?.grid ?? '';
    const { key } = await openAccount(grid, 'per_minute=60&per_hour=1000&per_day=1000&burst=20');
    const call = callWith(key);
    for (const { connect } of all) {
      await until('Redis is connected', async () => {
        const { checks } = (await (await fetch(`${connect}/readyz`)).json()) as { checks: { redis: string } };
        return checks.redis === 'ok' ? true : undefined;
      });
    }
    const asked = Array.from({ length: 60 }, (_, index) => all[index % all.length]?.connect ?? '');
    const begun = performance.now();
    const statuses = await Promise.all(
      asked.map(async (base) => (await call(base, { path: '/devices' })).status),
    );
    const taken = statuses.filter((status) => status === 200).length;
    // One more every second, and one for those that were in transit.
    const most = 21 + Math.ceil((performance.now() - begun) / 1_000);
    assert.ok(taken >= 20 && taken <= most, `${taken} calls were let through, and at most ${most} may be`);
    await Promise.all(all.map(stopService));
    await place.remove();
  });
});

describe('Connect and Grid as separate processes', { skip }, () => {
  it('Connect and Grid as separate processes refuse a revoked key from the next request on, without Redis', async () => {
    const place = await makePlace('postgres');
    const env = envOf(place);
    const [connect, grid] = await Promise.all([
      startService({ bin: 'connect', env }),
      startService({ bin: 'grid', env }),
    ]);
    assert.equal(connect.grid, '');
    const { userId } = await openAccount(grid.grid);
    await revokedOnTheOther(grid.grid, { connect: connect.connect, userId });
    await Promise.all([stopService(connect), stopService(grid)]);
    await place.remove();
  });
});
