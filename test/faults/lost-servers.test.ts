import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { makePlace, type Place } from '../kit/databases.ts';
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
import { type TcpProxy, tcpProxy } from '../kit/tcp-proxy.ts';

const databaseUrl = process.env.TEST_DATABASE_URL;
const redisUrl = process.env.TEST_REDIS_URL;

interface Ready {
  readonly status: number;
  readonly body: { readonly status: string; readonly checks: Readonly<Record<string, string>> };
}

async function readiness(base: string): Promise<Ready> {
  const response = await fetch(`${base}/readyz`);
  return { status: response.status, body: (await response.json()) as Ready['body'] };
}

const readyAgain = (base: string) =>
  until('the service is ready again', async () =>
    (await readiness(base)).status === 200 ? true : undefined,
  );

describe('a lost PostgreSQL', {
  skip: databaseUrl === undefined ? 'TEST_DATABASE_URL is not set' : false,
}, () => {
  let place: Place;
  let wire: TcpProxy;
  let behindWire: Service;
  let other: Service;
  let call: Call;
  let device: string;
  let account: Awaited<ReturnType<typeof openAccount>>;

  before(async () => {
    place = await makePlace('postgres');
    wire = await tcpProxy(databaseUrl ?? '');
    other = await startService({ env: envOf(place) });
    behindWire = await startService({
      env: { ...envOf(place), DATABASE_URL: wire.through(place.url ?? ''), ELNAV_LOG_LEVEL: 'debug' },
    });
    account = await openAccount(other.grid);
    call = callWith(account.key);
    const body = { vendor: 'sandbox', user_ref: 'anna', credentials: { device_types: ['light'] } };
    const { body: linked } = await call(behindWire.connect, { path: '/link', body });
    device = (linked as { devices: { id: string }[] }).devices[0]?.id ?? '';
  });
  after(async () => {
    await wire.resume();
    await stopService(behindWire);
    await stopService(other);
    await wire.close();
    await place.remove();
  });

  /** Every kind of request returns 503 with the time to retry. */
  async function saysThatItIsAway(): Promise<void> {
    const body = { type: 'turn_off' };
    const link = { vendor: 'sandbox', user_ref: 'bo', credentials: {} };
    for (const request of [
      { path: '/devices' },
      { path: `/devices/${device}` },
      { path: '/links' },
      { path: `/devices/${device}/command`, body },
      { path: `/devices/${device}/command`, body, headers: { 'idempotency-key': 'away' } },
      { path: '/link', body: link, headers: { 'idempotency-key': 'away' } },
    ]) {
      const answer = await call(behindWire.connect, request);
      assert.equal(answer.status, 503, `${request.path} answered ${JSON.stringify(answer.body)}`);
      assert.equal(answer.headers.get('elnav-error'), 'database.unavailable');
      assert.ok(Number(answer.headers.get('retry-after')) >= 1);
      assert.deepEqual(Object.keys(answer.body as object), ['error']);
    }
    const users = await admin(behindWire.grid, 'GET', '/admin/users');
    assert.equal(users.status, 503);
    assert.deepEqual(Object.keys(users.body as object), ['detail']);
    // The response of a moment ago may be repeated.
    const ready = await until('it is not ready', async () => {
      const found = await readiness(behindWire.connect);
      return found.status === 503 ? found : undefined;
    });
    assert.equal(ready.body.status, 'not_ready');
    assert.equal((await fetch(`${behindWire.connect}/healthz`)).status, 200);
  }

  it('a lost PostgreSQL returns 503 with Retry-After, and is used again without a restart when it is back', async () => {
    assert.equal((await call(behindWire.connect, { path: `/devices/${device}` })).status, 200);
    for (let round = 0; round < 3; round += 1) {
      await wire.cut();
      await saysThatItIsAway();
      await wire.resume();
      await readyAgain(behindWire.connect);
      const path = `/devices/${device}/command`;
      const headers = { 'idempotency-key': `back-${round}` };
      const answer = await call(behindWire.connect, { path, body: { type: 'turn_on' }, headers });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
    }
  });

  it('a lost PostgreSQL leaves no stale cache: what was revoked, changed or deleted meanwhile applies afterwards', async () => {
    const { body: made } = await admin(
      other.grid,
      'POST',
      `/admin/users/${account.userId}/keys?label=second`,
    );
    const { id, api_key } = made as { id: string; api_key: string };
    const second = callWith(api_key);
    const credentials = { device_types: ['thermostat'] };
    const linked = await call(other.connect, {
      path: '/link',
      body: { vendor: 'sandbox', user_ref: 'cecilia', credentials },
    });
    const [gone] = (linked.body as { devices: { id: string }[] }).devices;
    // Both are cached in the disconnected instance.
    assert.equal((await second(behindWire.connect, { path: `/devices/${gone?.id}` })).status, 200);
    assert.equal((await second(behindWire.connect, { path: '/devices' })).status, 200);

    await wire.cut();
    assert.equal((await admin(other.grid, 'DELETE', `/admin/keys/${id}`)).status, 200);
    const links = (await call(other.connect, { path: '/links' })).body as { id: string; user_ref: string }[];
    const link = links.find(({ user_ref }) => user_ref === 'cecilia');
    const removed = await fetch(`${other.connect}/links/${link?.id}`, {
      method: 'DELETE',
      headers: { 'x-api-key': account.key },
    });
    assert.equal(removed.status, 204);
    assert.notEqual((await second(behindWire.connect, { path: '/devices' })).status, 200);
    await wire.resume();
    // The very first responses other than 503 must already be right.
    const first = await until('the key is looked at', async () => {
      const { status } = await second(behindWire.connect, { path: '/devices' });
      return status === 503 ? undefined : status;
    });
    assert.equal(first, 401);
    const device404 = await until('the device is looked at', async () => {
      const { status } = await call(behindWire.connect, { path: `/devices/${gone?.id}` });
      return status === 503 ? undefined : status;
    });
    assert.equal(device404, 404);
  });

  it('a lost PostgreSQL leaves no stale device in the cache: a command of another instance shows once changes arrive again', async () => {
    await readyAgain(behindWire.connect);
    const isOn = ({ state }: { state: { power_on?: boolean } }) => state.power_on;
    const read = async (): Promise<boolean | undefined> => {
      const { status, body } = await call(behindWire.connect, { path: `/devices/${device}` });
      assert.equal(status, 200, JSON.stringify(body));
      return isOn(body as never);
    };
    const listed = async (): Promise<boolean | undefined> => {
      const { status, body } = await call(behindWire.connect, { path: '/devices' });
      assert.equal(status, 200, JSON.stringify(body));
      const devices = body as { id: string; state: { power_on?: boolean } }[];
      return devices.filter(({ id }) => id === device).map(isOn)[0];
    };
    const heard = () => behindWire.output().split('listening to the other processes').length;
    const path = `/devices/${device}/command`;
    for (const on of [true, false]) {
      const type = on ? 'turn_off' : 'turn_on';
      assert.equal((await call(other.connect, { path, body: { type } })).status, 200);
      await until('the change has arrived', async () => ((await read()) === !on ? true : undefined));
      // Both are cached in the instance that is disconnected now.
      assert.deepEqual([await read(), await listed()], [!on, !on]);
      const before = heard();
      await wire.cut();
      const body = { type: on ? 'turn_on' : 'turn_off' };
      assert.equal((await call(other.connect, { path, body })).status, 200);
      await wire.resume();
      // Until then the cache is not used at all.
      await until('it listens again', async () => (heard() > before ? true : undefined));
      // The list first: a read may call the vendor again.
      assert.deepEqual([await listed(), await read()], [on, on]);
    }
  });

  it('a lost PostgreSQL returns 503 as well when it does not respond, and is used again when it does', async () => {
    await readyAgain(behindWire.connect);
    wire.freeze();
    const answer = await call(behindWire.connect, { path: '/links' });
    assert.equal(answer.status, 503, JSON.stringify(answer.body));
    await wire.resume();
    await readyAgain(behindWire.connect);
    assert.equal((await call(behindWire.connect, { path: '/links' })).status, 200);
  });
});

describe('a lost Redis', { skip: redisUrl === undefined ? 'TEST_REDIS_URL is not set' : false }, () => {
  it('a lost Redis does not stop requests or limits, degrades readiness, and is used again when it is back', async () => {
    const place = await makePlace('sqlite');
    const wire = await tcpProxy(redisUrl ?? '');
    const service = await startService({
      env: {
        ...envOf(place),
        REDIS_URL: `${wire.through(redisUrl ?? '')}?keyPrefix=test-${crypto.randomUUID()}:`,
      },
    });
    const { key } = await openAccount(service.grid, 'per_minute=1000&per_hour=1000&per_day=1000&burst=20');
    const call = callWith(key);
    const ask = async () => (await call(service.connect, { path: '/devices' })).status;
    await until('Redis is connected', async () => {
      const { body } = await readiness(service.connect);
      return body.checks.redis === 'ok' ? true : undefined;
    });
    assert.equal(await ask(), 200);

    for (const lose of [() => wire.cut(), () => wire.freeze()]) {
      await lose();
      // The calls before may have used up the present quota.
      await until('a call is let through', async () => ((await ask()) === 200 ? true : undefined));
      await until('the loss is reported', async () => {
        const { status, body } = await readiness(service.connect);
        assert.equal(status, 200);
        return body.status === 'degraded' && body.checks.redis?.includes('lost') ? true : undefined;
      });
      const statuses = await Promise.all(Array.from({ length: 60 }, ask));
      assert.deepEqual([...new Set(statuses)].sort(), [200, 429], 'limits hold without Redis');
      await isHalved(service);
      await wire.resume();
      await until('Redis is used again', async () =>
        (await readiness(service.connect)).body.checks.redis === 'ok' ? true : undefined,
      );
    }
    await stopService(service);
    await wire.close();
    await place.remove();
  });
});

/** Of a burst of 20 this process admits 10, and one more every two seconds; the header says so. */
async function isHalved(service: Service): Promise<void> {
  const { key } = await openAccount(service.grid, 'per_minute=60&per_hour=1000&per_day=1000&burst=20');
  const call = callWith(key);
  const begun = performance.now();
  const answers = await Promise.all(
    Array.from({ length: 60 }, () => call(service.connect, { path: '/devices' })),
  );
  const most = 11 + Math.floor((performance.now() - begun) / 2_000);
  const passed = answers.filter(({ status }) => status === 200).length;
  assert.ok(passed >= 10 && passed <= most, `${passed} calls were let through, and at most ${most} may be`);
  assert.match(answers[0]?.headers.get('ratelimit-policy') ?? '', /^"burst";q=10;.*"minute";q=30;/);
}
