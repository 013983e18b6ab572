import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { makePlace, onEachEngine } from '../../../../test/kit/databases.ts';
import { until } from '../../../../test/kit/until.ts';
import { testVendor } from '../../../../test/kit/vendor-for-tests.ts';
import { type Caller, makeWorld, type World } from '../../../../test/kit/world.ts';
import { type TurnedClock, turnedClock } from '../../../core/clock.ts';
import { MINUTE_MS } from '../../../core/durations.ts';

type Point = Readonly<Record<string, unknown>>;
interface DeviceHistory {
  readonly device: string;
  readonly vendor: string;
  readonly device_type: string;
  readonly user_ref: string;
  readonly points: readonly Point[];
  readonly gaps: readonly object[];
}
interface List {
  readonly resolution: string;
  readonly devices: readonly DeviceHistory[];
  readonly cursor: string | null;
}

const LIGHTS = ['light-1', 'light-2', 'light-3'];

onEachEngine('GET /history', (engine) => {
  const vendor = testVendor();
  let clock: TurnedClock;
  let world: World;
  let caller: Caller;
  before(async () => {
    // Half past eleven in the evening in Sweden: the day changes meanwhile.
    clock = turnedClock(Date.UTC(2026, 10, 21, 22, 30));
    world = await makeWorld({ engine, place: await makePlace(engine), clock, adapters: [vendor.adapter] });
    caller = await world.newAccount();
    await link(caller, 'anna', ['light-1', 'light-2']);
    await link(caller, 'berit', ['light-3']);
    for (let minutes = 0; minutes <= 60; minutes += 5) {
      vendor.reading = { online: true, on: true, watt: 10 + minutes };
      for (const id of LIGHTS) assert.equal((await caller.call('GET', `/devices/${id}`)).status, 200);
      // Otherwise states that are stored together would be one change.
      await until('history has what was read', async () => {
        clock.turn(100);
        const powers = await Promise.all(LIGHTS.map(newestPower));
        return powers.every((power) => power === 10 + minutes);
      });
      clock.turn(5 * MINUTE_MS);
    }
  });
  after(() => world.close());

  const newestPower = async (id: string) => {
    const { body } = await caller.call('GET', `/devices/${id}/history?fields=power_w`);
    return (body as DeviceHistory).points.at(-1)?.power_w;
  };
  const link = async (by: Caller, user: string, devices: readonly string[]) => {
    vendor.devices = devices;
    const body = { vendor: 'testvendor', user_ref: user, credentials: { user, password: 'p' } };
    assert.equal((await by.call('POST', '/link', body)).status, 200);
  };
  const list = async (query: string, by = caller): Promise<List> => {
    const { status, body } = await by.call('GET', `/history?${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body as List;
  };
  const SPAN = 'from=2026-11-21T22:30:00Z&to=2026-11-21T23:30:00Z';

  it('GET /history has what the history of each device has, for the user that is named, the devices that are, or all', async () => {
    const all = await list(`resolution=15m&${SPAN}`);
    assert.deepEqual(
      all.devices.map(({ device, user_ref }) => [device, user_ref]),
      [
        ['light-1', 'anna'],
        ['light-2', 'anna'],
        ['light-3', 'berit'],
      ],
    );
    assert.equal(all.cursor, null);
    for (const resolution of ['15m', '1h', '1d']) {
      const query = `resolution=${resolution}&${SPAN}&fields=power_w,energy_wh,cost&timezone=Europe/Stockholm`;
      for (const { device, points, gaps } of (await list(query)).devices) {
        const { body } = await caller.call('GET', `/devices/${device}/history?${query}`);
        assert.ok(points.length > 0);
        assert.deepEqual(
          { points, gaps },
          { points: (body as List & DeviceHistory).points, gaps: (body as DeviceHistory).gaps },
        );
      }
    }
    const namesOf = async (query: string) =>
      (await list(`${query}&${SPAN}`)).devices.map(({ device }) => device);
    assert.deepEqual(await namesOf('user_ref=anna'), ['light-1', 'light-2']);
    assert.deepEqual(await namesOf('devices=light-3,light-1,light-3'), ['light-1', 'light-3']);
    assert.deepEqual(await namesOf('devices=light-3,light-1&user_ref=berit'), ['light-3']);
    assert.deepEqual(await namesOf('vendor=TestVendor'), ['light-1', 'light-2', 'light-3']);
    assert.deepEqual(await namesOf('user_ref=nobody'), []);
  });

  it('GET /history says which day each point of a day is of, in the time zone of the request', async () => {
    const datesIn = async (zone: string) => {
      const { devices } = await list(`devices=light-1&${SPAN}&timezone=${zone}`);
      return devices[0]?.points.map(({ date }) => date);
    };
    assert.deepEqual(await datesIn('Europe/Stockholm'), ['2026-11-21', '2026-11-22']);
    assert.deepEqual(await datesIn('UTC'), ['2026-11-21']);
    assert.deepEqual(await datesIn('Asia/Tokyo'), ['2026-11-22']);
    const one = await caller.call('GET', `/devices/light-1/history?resolution=1d&${SPAN}&fields=power_w`);
    assert.deepEqual(
      (one.body as DeviceHistory).points.map((point) => Object.keys(point)),
      Array.from({ length: 2 }, () => ['start', 'end', 'date', 'covered', 'power_w']),
    );
    const hours = await list(`devices=light-1&resolution=1h&${SPAN}`);
    assert.ok(hours.devices[0]?.points.every((point) => !('date' in point)));
  });

  it('GET /history goes on from a cursor, also within a device, until each point was there once', async () => {
    const whole = await list(`resolution=15m&${SPAN}`);
    for (const limit of [1, 3, 4, 9, 12]) {
      const points = new Map<string, Point[]>();
      let path: string | null = `/history?resolution=15m&${SPAN}&limit=${limit}`;
      let pages = 0;
      while (path !== null) {
        const response: Response = await fetch(`${world.connect}${path}`, {
          headers: { 'x-api-key': caller.key },
        });
        const page = (await response.json()) as List;
        const had = page.devices.reduce((sum, { points: own }) => sum + own.length, 0);
        assert.ok(had <= limit, `${had} points of ${limit}`);
        for (const { device, points: own } of page.devices)
          points.set(device, [...(points.get(device) ?? []), ...own]);
        path = /^<([^>]+)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1] ?? null;
        assert.equal(path === null, page.cursor === null);
        pages += 1;
      }
      assert.deepEqual(
        [...points],
        whole.devices.map(({ device, points: own }) => [device, own]),
        `with ${limit} of a page`,
      );
      assert.equal(pages, { 1: 12, 3: 6, 4: 3, 9: 2, 12: 1 }[limit]);
    }
  });

  it('GET /history keeps its time from page to page where none is given', async () => {
    const first = await list('resolution=1h&limit=169');
    assert.ok(first.cursor !== null);
    clock.turn(2 * 60 * MINUTE_MS);
    const next = await list(`resolution=1h&limit=169&cursor=${first.cursor}`);
    const end = ({ devices }: List) => devices[0]?.points.at(-1)?.end;
    assert.equal(end(next), end(first));
  });

  it('GET /history says what would be right, and nothing of devices of other accounts', async () => {
    const { cursor } = await list(`resolution=15m&limit=1&${SPAN}`);
    const ids = Array.from({ length: 101 }, (_, index) => `light-${index}`).join();
    const crafted = Buffer.from('["15m",0,9e15,null,"testvendor","light-1"]').toString('base64url');
    const wrong = [
      ['resolution=raw', /resolution must be one of 15m, 1h, 1d/],
      ['fields=price', /fields has price, which only GET \/devices\/\{id\}\/history has/],
      ['fields=power', /"power", which is no field of history/],
      [`devices=${ids}`, /devices must have from 1 to 100 ids/],
      ['devices=', /devices must have from 1 to 100 ids/],
      ['from=2026-02-02T00:00:00Z&to=2026-02-01T00:00:00Z', /from must be before to/],
      [`resolution=1h&cursor=${cursor}`, /cursor must be one that the history of devices has given/],
      [`resolution=15m&cursor=${crafted}`, /cursor must be one/],
      ['cursor=abc', /cursor must be one/],
      ['timezone=Sweden', /timezone must be a time zone/],
    ] as const;
    for (const [query, sentence] of wrong) {
      const { status, body } = await caller.call('GET', `/history?${query}`);
      assert.equal(status, 400, query);
      assert.match((body as { error: string }).error, sentence);
    }
    const other = await world.newAccount();
    assert.deepEqual((await list(SPAN, other)).devices, []);
    for (const [by, id] of [
      [other, 'light-1'],
      [caller, 'light-1,none'],
    ] as const) {
      const { status, body } = await by.call('GET', `/history?devices=${id}`);
      assert.equal(status, 404);
      assert.match(JSON.stringify(body), /there is no device (light-1|none)/);
    }
  });

  it('GET /history/today is of one user where it is asked for', async () => {
    const ofPower = async (query: string) => {
      const { status, body } = await caller.call('GET', `/history/today${query}`);
      assert.equal(status, 200);
      return (body as { given_back: { of: number } }).given_back.of;
    };
    const counts = [await ofPower(''), await ofPower('?user_ref=anna'), await ofPower('?user_ref=berit')];
    assert.deepEqual([...counts, await ofPower('?user_ref=nobody')], [3, 2, 1, 0]);
    assert.equal((await caller.call('GET', '/history/today?user=anna')).status, 400);
  });
});
