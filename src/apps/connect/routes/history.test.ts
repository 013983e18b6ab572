import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { onEachEngine } from '../../../../test/kit/databases.ts';
import { until } from '../../../../test/kit/until.ts';
import { testVendor } from '../../../../test/kit/vendor-for-tests.ts';
import { type Caller, makeWorld, type World } from '../../../../test/kit/world.ts';

interface History {
  readonly device: string;
  readonly resolution: string;
  readonly points: readonly Record<string, unknown>[];
  readonly gaps: readonly { readonly from: string; readonly to: string }[];
  readonly cursor: string | null;
}

onEachEngine('GET /devices/{id}/history', (engine) => {
  const vendor = testVendor();
  let world: World;
  let caller: Caller;
  before(async () => {
    world = await makeWorld({ engine, adapters: [vendor.adapter] });
    caller = await world.newAccount();
    vendor.devices = ['light-1'];
    await link(caller, 'anna');
    for (const on of [true, false, true]) {
      vendor.reading = { online: true, on, watt: on ? 7 : 0 };
      const before = (await read('')).points.length;
      await until('history has what is read', async () => {
        assert.equal((await caller.call('GET', '/devices/light-1')).status, 200);
        return (await read('')).points.length > before;
      });
    }
  });
  after(() => world.close());

  const link = async (by: Caller, user: string) => {
    const body = { vendor: 'testvendor', user_ref: user, credentials: { user, password: 'p' } };
    assert.equal((await by.call('POST', '/link', body)).status, 200);
  };
  const path = (query: string) => `/devices/light-1/history${query}`;
  const read = async (query: string, by = caller): Promise<History> => {
    const { status, body } = await by.call('GET', path(query));
    assert.equal(status, 200, JSON.stringify(body));
    return body as History;
  };

  it('GET /devices/{id}/history has a point for each change, oldest first, with the fields that are asked for', async () => {
    const whole = await read('?fields=power_on,%20power_w');
    assert.deepEqual([whole.device, whole.resolution], ['light-1', 'raw']);
    assert.deepEqual(Object.keys(whole.points[0] ?? {}), ['start', 'end', 'power_w', 'power_on']);
    for (const [index, { start, end }] of whole.points.entries()) {
      assert.ok(String(start) <= String(end));
      if (index > 0) assert.ok(String(start) >= String(whole.points[index - 1]?.end));
    }
    assert.deepEqual(
      whole.points.map(({ power_on }) => power_on).filter((on) => typeof on !== 'boolean'),
      [],
    );
    assert.equal(whole.gaps.length, 1);
    assert.equal(whole.cursor, null);
  });

  it('GET /devices/{id}/history has quarters, hours and days, with the share that is known', async () => {
    for (const resolution of ['15m', '1h', '1d']) {
      const { points, cursor } = await read(`?resolution=${resolution}&timezone=America/New_York`);
      const last = points.at(-1);
      assert.ok(Number(last?.covered) >= 0 && Number(last?.covered) < 1, resolution);
      assert.equal(cursor, null);
    }
  });

  it('GET /devices/{id}/history goes on from a cursor, which is for one resolution', async () => {
    const whole = await read('');
    const first = await read('?limit=1');
    assert.ok(first.cursor !== null);
    const rest = await read(`?cursor=${first.cursor}`);
    assert.deepEqual(
      [...first.points, ...rest.points].map(({ start }) => start),
      whole.points.map(({ start }) => start),
    );
    for (const bad of [`?resolution=1h&cursor=${first.cursor}`, '?cursor=abc', '?cursor=']) {
      const { status, body } = await caller.call('GET', path(bad));
      assert.equal(status, 400, bad);
      assert.match(JSON.stringify(body), /cursor must be/);
    }
  });

  it('GET /devices/{id}/history is available as CSV with the same points', async () => {
    const { points } = await read('');
    const response = await fetch(`${world.connect}${path('?format=csv&limit=1')}`, {
      headers: { 'x-api-key': caller.key },
    });
    assert.equal(response.status, 200);
    assert.match(response.headers.get('content-type') ?? '', /^text\/csv/);
    const [head, line] = (await response.text()).split('\r\n');
    const [first] = points;
    assert.equal(head, Object.keys(first ?? {}).join(','));
    assert.equal(line?.split(',')[0], first?.start);
    const next = /^<(\/devices\/light-1\/history\?[^>]+)>; rel="next"$/.exec(
      response.headers.get('link') ?? '',
    );
    assert.equal(
      (await caller.call('GET', (next?.[1] ?? '').replace('format=csv', 'format=json'))).status,
      200,
    );
  });

  it('GET /devices/{id}/history says what would be right', async () => {
    const wrong = [
      ['?fields=power', /"power", which is no field of history; there are battery_soc, power_w/],
      ['?fields=', /is no field of history/],
      ['?from=2026-02-02T00:00:00Z&to=2026-02-01T00:00:00Z', /from must be before to, which is 2026-02-01/],
      ['?from=2999-01-01T00:00:00Z', /from must be before to, which is now by default/],
      ['?resolution=5m', /resolution must be one of raw, 15m, 1h, 1d/],
      ['?timezone=Sweden', /timezone must be a time zone such as Europe\/Stockholm/],
      ['?limit=0', /limit must be a whole number from 1 to 10000/],
      ['?to=yesterday', /to must be a time such as/],
    ] as const;
    for (const [query, sentence] of wrong) {
      const { status, body } = await caller.call('GET', path(query));
      assert.equal(status, 400, query);
      assert.match((body as { error: string }).error, sentence);
    }
  });

  it('GET /devices/{id}/history does not show that a device of another account exists', async () => {
    const other = await world.newAccount();
    const foreign = await other.call('GET', path(''));
    const unknown = await other.call('GET', '/devices/none/history');
    assert.deepEqual([foreign.status, unknown.status], [404, 404]);
    assert.deepEqual(Object.keys(foreign.body as object), Object.keys(unknown.body as object));
  });

  it('GET /devices/{id}/history is answered for times before anything was known, and far ones, within bounds', async () => {
    const early = await read('?from=1970-01-01T00:00:00Z&to=1970-02-01T00:00:00Z&resolution=1d');
    assert.deepEqual(early.points, []);
    assert.equal(early.gaps.length, 1);
    const far = await read('?from=1900-01-01T00:00:00Z&to=2999-01-01T00:00:00Z&resolution=1d&limit=10000');
    assert.deepEqual(far.points, []);
    assert.ok(far.cursor !== null);
  });
});
