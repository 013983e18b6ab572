import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { type TurnedClock, turnedClock } from '../../src/core/clock.ts';
import { MINUTE_MS } from '../../src/core/durations.ts';
import { createPriceStore } from '../../src/domain/market/prices/store.ts';
import { dayPrices } from '../../src/domain/market/prices/test-prices.ts';
import { vendors } from '../../src/vendors/index.ts';
import { CookieBrowser } from '../kit/cookie-browser.ts';
import { makePlace, onEachEngine } from '../kit/databases.ts';
import { until } from '../kit/until.ts';
import { testVendor } from '../kit/vendor-for-tests.ts';
import { type Caller, makeWorld, type World } from '../kit/world.ts';

interface ListedLink {
  readonly id: string;
  readonly user_ref: string;
  readonly price_area: string | null;
}
interface Today {
  readonly from: string;
  readonly drawn: { readonly energy_wh: number; readonly devices: number; readonly of: number };
  readonly given_back: object;
  readonly cost: object;
}
interface Point {
  readonly start: string;
  readonly covered: number;
  readonly energy_wh: number;
  readonly cost: string | null;
  readonly currency: string;
  readonly cost_missing: string | null;
}

onEachEngine('the cost of energy', (engine) => {
  const vendor = testVendor();
  let clock: TurnedClock;
  let world: World;
  let caller: Caller;
  before(async () => {
    const place = await makePlace(engine);
    // The charger is known before the hour: on PostgreSQL moments are those of its clock, to some milliseconds.
    clock = turnedClock(Date.UTC(2026, 10, 21, 8, 59));
    const database = await place.open(clock);
    // Quarters of 0.01 kronor, 0.02 and so on from midnight in Sweden.
    const day = dayPrices('SE3', '2026-11-21', { eur: (index) => (index + 1) / 1_100 });
    await createPriceStore(database).store(day, 1);
    await database.close();
    world = await makeWorld({
      ...{ engine, place, clock, adapters: [...vendors, vendor.adapter] },
    });
    caller = await world.newAccount();
  });
  after(() => world.close());

  const ok = async (method: 'GET' | 'POST' | 'PATCH', path: string, body?: unknown): Promise<unknown> => {
    const answer = await caller.call(method, path, body);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body;
  };
  const linkOf = async (user: string): Promise<ListedLink> => {
    const links = (await ok('GET', '/links')) as ListedLink[];
    const link = links.find(({ user_ref }) => user_ref === user);
    assert.ok(link !== undefined, `${user} has a link`);
    return link;
  };
  const link = (user_ref: string, user: string, more: object = {}) =>
    ok('POST', '/link', {
      ...{ vendor: 'testvendor', user_ref, credentials: { user, password: 'p' } },
      ...more,
    });

  it('the cost of energy follows the price area of the link, which is said when it is linked or later, and never guessed', async () => {
    await link('anna', 'anna');
    const { id, price_area } = await linkOf('anna');
    assert.equal(price_area, null);
    assert.deepEqual(await ok('PATCH', `/links/${id}`, { price_area: 'se4' }), { id, price_area: 'SE4' });
    assert.equal((await linkOf('anna')).price_area, 'SE4');
    await link('anna', 'anna');
    assert.equal((await linkOf('anna')).price_area, 'SE4', 'it stays when the user links again');
    await link('anna', 'anna', { price_area: 'SE1' });
    assert.equal((await linkOf('anna')).price_area, 'SE1');
    await link('berit', 'anna');
    assert.equal((await linkOf('berit')).price_area, null, 'another user may live elsewhere');
    await ok('PATCH', `/links/${id}`, { price_area: 'SE2' });
    await ok('PATCH', `/links/${id}`, { price_area: null });
    assert.equal((await linkOf('berit')).price_area, null);
  });

  it('the cost of energy has the area that the app has said for a session', async () => {
    const { url } = (await ok('POST', '/link/sessions', { user_ref: 'clara', price_area: 'SE2' })) as {
      url: string;
    };
    const browser = CookieBrowser.inLanguage('en');
    await browser.get(url);
    const sent = await browser.post(`${url}/testvendor`, { user: 'clara', password: 'p' });
    assert.equal(sent.status, 303, await sent.text());
    assert.equal((await linkOf('clara')).price_area, 'SE2');
  });

  it('the cost of energy says which areas there are, and nothing of the links of others', async () => {
    await link('dora', 'dora');
    const { id } = await linkOf('dora');
    const refused = [
      ['POST', '/link/sessions', { user_ref: 'dora', price_area: 'SE5' }],
      ['POST', '/link', { vendor: 'testvendor', user_ref: 'dora', credentials: {}, price_area: 'NO1' }],
      ['PATCH', `/links/${id}`, { price_area: 3 }],
      ['PATCH', `/links/${id}`, { price_area: '' }],
    ] as const;
    for (const [method, path, body] of refused) {
      const answer = await caller.call(method, path, body);
      assert.equal(answer.status, 400, path);
      assert.match(JSON.stringify(answer.body), /price_area must be one of SE1, SE2, SE3, SE4/);
    }
    const empty = await caller.call('PATCH', `/links/${id}`, {});
    assert.match(JSON.stringify(empty.body), /is missing price_area/);
    const [other, reader] = [await world.newAccount(), await world.newAccount('devices:read')];
    assert.equal((await other.call('PATCH', `/links/${id}`, { price_area: 'SE1' })).status, 404);
    assert.equal((await reader.call('PATCH', `/links/${id}`, { price_area: 'SE1' })).status, 403);
    assert.equal((await linkOf('dora')).price_area, null);
  });

  it('the cost of energy is in the history of a charger, as JSON and CSV', async () => {
    const { devices } = (await ok('POST', '/link', {
      ...{ vendor: 'sandbox', user_ref: 'elsa', price_area: 'SE3' },
      credentials: { device_types: ['charger'] },
    })) as { devices: { id: string }[] };
    const charger = devices[0]?.id ?? '';
    const path = `/devices/${charger}/history?from=2026-11-21T09:00:00Z&fields=energy_wh,cost`;
    const read = async (resolution: string) =>
      ((await ok('GET', `${path}&resolution=${resolution}`)) as { points: Point[] }).points;
    await ok('GET', `/devices/${charger}`);
    clock.turn(MINUTE_MS);
    await ok('POST', `/sandbox/devices/${charger}`, { plugged_in: true });
    await ok('POST', `/devices/${charger}/command`, { type: 'start_charge' });
    for (let minutes = 0; minutes < 60; minutes += 5) {
      clock.turn(5 * MINUTE_MS);
      const { observed_at } = (await ok('GET', `/devices/${charger}`)) as { observed_at: string };
      // What is read while the state before is being stored would be stored together with it.
      await until('it is stored', async () => {
        clock.turn(100);
        const [listed] = (await ok('GET', '/devices?user_ref=elsa')) as { observed_at: string | null }[];
        return (listed?.observed_at ?? '') >= observed_at;
      });
    }
    await until('history has the hour', async () => {
      clock.turn(100);
      const known = await read('15m');
      return known.filter(({ covered }) => covered === 1).length === 4;
    });
    const quarters = await read('15m');
    const expected = quarters.slice(0, 4).map(({ energy_wh }, index) => energy_wh * (41 + index));
    assert.ok(expected.every((units) => units > 0));
    assert.deepEqual(
      quarters.slice(0, 4).map(({ cost }) => cost),
      expected.map((units) => String(units / 100_000)),
    );
    assert.deepEqual([quarters[0]?.currency, quarters[0]?.cost_missing], ['SEK', null]);
    const [hour] = await read('1h');
    assert.equal(hour?.cost, String(expected.reduce((sum, units) => sum + units, 0) / 100_000));
    const csv = await fetch(`${world.connect}${path}&resolution=1h&format=csv&limit=1`, {
      headers: { 'x-api-key': caller.key },
    });
    const [head, line] = (await csv.text()).split('\r\n');
    assert.equal(head, 'start,end,covered,energy_wh,cost,currency,cost_missing');
    assert.match(line ?? '', new RegExp(`,${hour?.energy_wh},${hour?.cost},SEK,$`));

    const today = () => ok('GET', '/history/today') as Promise<Today>;
    const sums = await today();
    const [day] = await read('1d');
    assert.equal(sums.from, '2026-11-20T23:00:00.000Z');
    assert.deepEqual(sums.drawn, { energy_wh: day?.energy_wh, devices: 1, of: 1 });
    assert.deepEqual(sums.cost, {
      ...{ amount: day?.cost, currency: 'SEK', devices: 1, of: 1 },
      unknown: {},
    });
    const other = await world.newAccount();
    const none = (await other.call('GET', '/history/today')).body as Today;
    assert.deepEqual(none.drawn, { energy_wh: 0, devices: 0, of: 0 });
    assert.deepEqual((await caller.call('GET', '/history/today?timezone=Nowhere')).status, 400);

    const pricesOf = async (query: string) =>
      (
        (await ok('GET', `/devices/${charger}/history?fields=price&${query}`)) as {
          prices: { area: string | null; currency: string; slots: { start: string; price: string }[] };
        }
      ).prices;
    const span = 'from=2026-11-21T09:10:00Z&to=2026-11-21T11:00:00Z';
    for (const resolution of ['raw', '15m']) {
      const { area, currency, slots } = await pricesOf(`${span}&resolution=${resolution}`);
      assert.deepEqual([area, currency], ['SE3', 'SEK']);
      // From the slot in which the time begins, until after now.
      assert.equal(slots[0]?.start, '2026-11-21T09:00:00.000Z');
      assert.deepEqual(
        slots.map(({ price }) => price),
        Array.from({ length: 8 }, (_, index) => `0.${41 + index}000`),
      );
    }
    const hours = await pricesOf(`${span}&resolution=1h`);
    assert.deepEqual(
      hours.slots.map(({ price }) => price),
      ['0.425', '0.465'],
    );
    const days = await pricesOf('from=2026-11-20T00:00:00Z&to=2026-11-22T00:00:00Z&resolution=1d');
    assert.deepEqual(
      days.slots.map(({ start, price }) => [start, price]),
      [['2026-11-20T23:00:00.000Z', '0.485']],
      'days without prices are left out',
    );
    for (const query of ['format=csv&resolution=1h', 'from=2026-10-01T00:00:00Z']) {
      const refused = await caller.call('GET', `/devices/${charger}/history?fields=price&${query}`);
      assert.equal(refused.status, 400, query);
      assert.match(JSON.stringify(refused.body), /fields has price, which is/);
    }

    const { id } = await linkOf('elsa');
    await ok('PATCH', `/links/${id}`, { price_area: null });
    assert.deepEqual(await pricesOf(span), { area: null, currency: 'SEK', slots: [] });
    clock.turn(30_000);
    assert.deepEqual((await today()).cost, {
      ...{ amount: null, currency: 'SEK', devices: 0, of: 1 },
      unknown: { no_price_area: 1 },
    });
    const [unpriced] = await read('1d');
    assert.deepEqual([unpriced?.cost, unpriced?.cost_missing], [null, 'link has no price_area']);
    const raw = await caller.call('GET', path);
    assert.equal(raw.status, 400);
    assert.match(JSON.stringify(raw.body), /cost, which needs a resolution of 15m, 1h or 1d/);
    const without = (await ok('GET', `/devices/${charger}/history?resolution=1d`)) as { points: object[] };
    assert.ok(without.points.every((point) => !('cost' in point)));
  });
});
