import assert from 'node:assert/strict';
import { after, before, beforeEach, it } from 'node:test';
import { sql } from 'kysely';
import { DAY_MS, HOUR_MS, MINUTE_MS, QUARTER_MS } from '../../src/core/durations.ts';
import { dayAt } from '../../src/core/swedish-days.ts';
import { createPriceStore } from '../../src/domain/market/prices/store.ts';
import { dayPrices } from '../../src/domain/market/prices/test-prices.ts';
import { rendered } from '../../src/domain/records/events/index.ts';
import {
  HISTORY_READER,
  type HistoryPage,
  type HistoryQuery,
} from '../../src/domain/records/history/index.ts';
import { type CoreWorld, makeCoreWorld } from '../kit/core-world.ts';
import { onEachEngine } from '../kit/databases.ts';
import { type SnapshotOf, snapshotStore } from '../kit/snapshots.ts';
import { until } from '../kit/until.ts';
import { testVendor } from '../kit/vendor-for-tests.ts';

onEachEngine('the history of a device', (engine) => {
  const vendor = testVendor();
  let core: CoreWorld;
  let account: number;
  let store: ReturnType<typeof snapshotStore>;
  /** When the test began, a whole hour. */
  let began: number;
  let latest: { state: object; at: number } | undefined;
  before(async () => {
    core = await makeCoreWorld(engine, [vendor.adapter]);
    store = snapshotStore(core.database);
  });
  after(() => core.remove());
  beforeEach(async () => {
    core.clock.turn(HOUR_MS - (core.clock.now() % HOUR_MS));
    began = core.clock.now();
    account = await core.newAccount();
    vendor.devices = ['light-1'];
    latest = undefined;
    await core.link(account, 'testvendor');
  });

  const minute = (minutes: number) => began + Math.round(minutes * MINUTE_MS);
  /** A reading that is fetched so many minutes after the beginning, and was measured then or earlier. */
  const see = async (state: object, fetched: number, measured = fetched, more: Partial<SnapshotOf> = {}) => {
    const seen = {
      ...{ state: { online: true, ...state }, limits: null, capacity: null },
      ...{ observedAt: minute(measured), fetchedAt: minute(fetched) },
    };
    await store.write({ account, vendor: 'testvendor', id: 'light-1', snapshot: seen, ...more });
    latest = { state: seen.state, at: seen.fetchedAt };
  };
  /** Lets time pass until history has all that is in the log. */
  const settled = async () => {
    const left = async () => {
      const { rows } = await sql<{ n: number }>`
        select count(*) as n from events left join event_readers on event_readers.name = 'history'
        where events.type in (${sql.join(HISTORY_READER.types)}) and (event_readers.tx is null or events.tx > event_readers.tx
          or (events.tx = event_readers.tx and events.id > event_readers.id))`.execute(core.database.queries);
      return Number(rows[0]?.n);
    };
    await until('history has all events', async () => {
      core.clock.turn(100);
      return (await left()) === 0;
    });
  };
  const read = async (query: Partial<HistoryQuery> = {}, upTo = 24 * 60): Promise<HistoryPage> => {
    await settled();
    const late = minute(upTo) - core.clock.now();
    if (late > 0) core.clock.turn(late);
    const of = { account, vendor: 'testvendor', device: 'light-1', deviceType: 'light' };
    const asked = {
      resolution: 'raw',
      from: began,
      to: minute(upTo),
      limit: 1_000,
      zone: 'UTC',
      ...query,
    } as const;
    return core.history.read(
      { ...of, ...(latest === undefined ? {} : { state: { ...latest.state }, fetchedAt: latest.at }) },
      asked,
    );
  };
  const minutesOf = (ms: number) => (ms - began) / MINUTE_MS;
  const powers = ({ points }: HistoryPage) =>
    points.map(({ start, end, values }) => [minutesOf(start), minutesOf(end), values.power_w ?? null]);
  const gaps = (page: HistoryPage) => page.gaps.map(({ start, end }) => [minutesOf(start), minutesOf(end)]);
  /** Within a millisecond, as a gap begins right after the last confirmation. */
  const rounded = (list: readonly (readonly (number | null)[])[]) =>
    list.map((one) => one.map((number) => (number === null ? null : Math.round(number * 1_000) / 1_000)));

  it('the history of a device has each change from when it was measured until the next one, and the last until it was confirmed', async () => {
    await see({ power_w: 1 }, 5, 4);
    await see({ power_w: 1 }, 10);
    await see({ power_w: 2 }, 15, 12);
    await see({ power_w: 2 }, 20);
    const page = await read();
    assert.deepEqual(powers(page), [
      [4, 12, 1],
      [12, 20, 2],
    ]);
    assert.deepEqual(gaps(page), [
      [0, 4],
      [20, 24 * 60],
    ]);
    assert.deepEqual(page.fields, ['power_w']);
  });

  it('the history of a device does not take a value for true before the one before it was confirmed, nor in the future', async () => {
    await see({ power_w: 1 }, 5);
    await see({ power_w: 1 }, 10);
    await see({ power_w: 2 }, 11, 3);
    await see({ power_w: 3 }, 12, 60);
    await see({ power_w: 3 }, 13);
    assert.deepEqual(powers(await read()), [
      [5, 10, 1],
      [10, 12, 2],
      [12, 13, 3],
    ]);
  });

  it('the history of a device says when it does not know: while a device is out of reach', async () => {
    await see({ power_w: 1 }, 5);
    await see({ power_w: 1 }, 10);
    await see({ power_w: 1, online: false }, 12);
    await see({ power_w: 2, online: false }, 13);
    await see({ power_w: 2 }, 14);
    await see({ power_w: 2 }, 20);
    await see({ power_w: 2, online: false }, 22);
    await see({ power_w: 2 }, 24);
    await see({ power_w: 2 }, 25);
    const page = await read();
    assert.deepEqual(rounded(powers(page)), [
      [5, 10, 1],
      [14, 20, 2],
      [24, 25, 2],
    ]);
    assert.deepEqual(rounded(gaps(page)).slice(1, 3), [
      [10, 14],
      [20, 24],
    ]);
  });

  it('the history of a device says when it does not know: while nobody asked, whether the value changed or not', async () => {
    await see({ power_w: 1 }, 5);
    await see({ power_w: 1 }, 25);
    await see({ power_w: 2 }, 60);
    await see({ power_w: 3 }, 75);
    await see({ power_w: 3 }, 80);
    assert.deepEqual(rounded(powers(await read())), [
      [5, 5, 1],
      [25, 25, 1],
      [60, 75, 2],
      [75, 80, 3],
    ]);
    const log = await core.eventLog.page({ account, after: undefined, filter: {}, limit: 100 });
    assert.deepEqual(
      log.events.map((row) => rendered(row).type).filter((type) => type.startsWith('device.state')),
      ['device.state_changed', 'device.state_changed', 'device.state_changed'],
    );
  });

  it('the history of a device keeps a value that is to be read again until another one is read', async () => {
    await see({ power_w: 1 }, 5);
    const seen = { state: { online: true, power_w: 1 }, limits: null, capacity: null };
    const outdated = { ...seen, observedAt: minute(5), fetchedAt: 0 };
    await store.write({ account, vendor: 'testvendor', id: 'light-1', snapshot: outdated });
    await see({ power_w: 2 }, 7, 6);
    await see({ power_w: 2 }, 8);
    assert.deepEqual(powers(await read()), [
      [5, 6, 1],
      [6, 8, 2],
    ]);
  });

  /** Has reads of the device planned so far apart. */
  const plan = async (interval_s: number) => {
    await core.database.queries
      .insertInto('device_polls')
      .values({
        ...{ account_id: account, link_id: (await core.links.list(account))[0]?.id ?? '', device_id: '' },
        ...{ vendor: 'testvendor', due_at: 9e15, interval_s, failures: 0 },
      })
      .onConflict((conflict) =>
        conflict.columns(['account_id', 'link_id', 'device_id']).doUpdateSet({ interval_s }),
      )
      .execute();
  };

  it('the history of a device knows a value between two reads that are planned to be far apart', async () => {
    await see({ power_w: 1 }, 5);
    await plan(3_600);
    await see({ power_w: 1 }, 65);
    await see({ power_w: 2 }, 125);
    await see({ power_w: 2 }, 246);
    assert.deepEqual(rounded(powers(await read())), [
      [5, 125, 1],
      [125, 125, 2],
      [246, 246, 2],
    ]);
  });

  it('the history of a device says when it does not know: for more than three hours, however far apart reads are planned', async () => {
    await see({ power_w: 1 }, 5);
    await plan(10_000);
    await see({ power_w: 2 }, 184);
    await see({ power_w: 3 }, 365);
    await see({ power_w: 3 }, 366);
    assert.deepEqual(rounded(powers(await read())), [
      [5, 184, 1],
      [184, 184, 2],
      [365, 366, 3],
    ]);
  });

  it('the history of a device has quarters, and hours and days of them', async () => {
    await see({ power_w: 1_000, energy_wh: 0 }, 0);
    for (let at = 5; at <= 150; at += 5)
      await see(
        { power_w: at < 60 ? 1_000 : 4_000, energy_wh: at < 60 ? at * 10 : 600 + (at - 60) * 60 },
        at,
      );
    const values = (page: HistoryPage) =>
      page.points.map(({ start, covered, values: { power_w, energy_wh } }) => [
        minutesOf(start),
        covered,
        power_w,
        energy_wh,
      ]);
    const quarters = await read({ resolution: '15m' });
    assert.deepEqual(values(quarters).slice(2, 6), [
      [30, 1, 1_000, 150],
      // What is read at the very end of a quarter is of that quarter.
      [45, 1, 1_000, 150],
      [60, 1, 4_000, 900],
      [75, 1, 4_000, 900],
    ]);
    assert.deepEqual(gaps(quarters), [[150, 24 * 60]]);
    assert.deepEqual(values(await read({ resolution: '1h' })), [
      [0, 1, 1_000, 600],
      [60, 1, 4_000, 3_600],
      [120, 0.5, 4_000, 1_800],
    ]);
    const days = await read({ resolution: '1d', from: began, zone: 'UTC' });
    assert.deepEqual(
      days.points.map(({ values: { power_w, energy_wh } }) => [power_w, energy_wh]),
      [[2_800, 6_000]],
    );
  });

  /** The day of the test has prices in SE1, by quarter: 0.01 kronor, 0.02 and so on. */
  const price = async () => {
    const prices = createPriceStore(core.database);
    for (const day of new Set([dayAt(began), dayAt(minute(24 * 60))])) {
      const ofDay = dayPrices('SE1', day, { eur: (index) => (index + 1) / 1_100 });
      await prices.store(ofDay, 1);
    }
    const first = dayPrices('SE1', dayAt(began));
    return (minutes: number) => Math.floor((minute(minutes) - first.start) / QUARTER_MS) + 1;
  };
  const costs = ({ points, costs: all }: HistoryPage) =>
    points.map(({ start }, index) => [minutesOf(start), all?.[index]?.cost, all?.[index]?.missing]);
  const located = async (area: 'SE1' | 'SE2' | null) => {
    const [link] = await core.links.list(account);
    await core.links.setPriceArea({ account, link: link?.id ?? '' }, area);
  };

  it('the history of a device has the cost of the energy of quarters, which add up to hours and days', async () => {
    const öre = await price();
    await located('SE1');
    for (let at = 0; at <= 120; at += 5) await see({ energy_wh: at * 1_000 }, at);
    const hundredth = (units: number) => String(units / 100);
    const [first, second] = [0, 60].map((hour) =>
      [0, 15, 30, 45].reduce((sum, at) => sum + 15 * öre(hour + at), 0),
    );
    const asked = { isCostAsked: true, fields: [] };
    assert.deepEqual(
      costs(await read({ resolution: '15m', ...asked })),
      [0, 15, 30, 45, 60, 75, 90, 105].map((at) => [at, hundredth(15 * öre(at)), null]),
    );
    assert.deepEqual(costs(await read({ resolution: '1h', ...asked })), [
      [0, hundredth(first ?? 0), null],
      [60, hundredth(second ?? 0), null],
    ]);
    assert.deepEqual(
      costs(await read({ resolution: '1d', ...asked })).map(([, cost]) => cost),
      [hundredth((first ?? 0) + (second ?? 0))],
    );
    assert.equal((await read({ resolution: '1h' })).costs, undefined);
  });

  it('the history of a device has no cost where it would not be that of all the energy, and says why', async () => {
    await price();
    for (const [at, energy_wh] of [
      [0, 0],
      [10, 1_000],
      [100, 9_000],
      [110, 10_000],
    ] as const)
      await see({ energy_wh }, at);
    const missing = async (resolution: '15m' | '1d', query: Partial<HistoryQuery> = {}) =>
      costs(await read({ resolution, isCostAsked: true, fields: [], ...query })).map(([, cost, why]) =>
        cost === null ? why : typeof cost,
      );
    assert.deepEqual(await missing('1d'), ['link has no price_area']);
    await located('SE1');
    const gap = '8000 Wh were counted in a gap, so when is not known';
    assert.deepEqual(await missing('15m'), ['string', gap, 'string']);
    assert.deepEqual(await missing('1d'), [gap]);
    await located('SE2');
    const [unpriced] = await missing('15m');
    assert.match(String(unpriced), /^no price of SE2 is stored from 20\d\d-\d\d-\d\dT\d\d:00Z to .*:15Z$/);
    await located('SE1');
    const page = await core.history.read(
      { account, vendor: 'testvendor', device: 'light-1', deviceType: 'solar_inverter' },
      { ...{ resolution: '1d', from: began, to: minute(200), limit: 10, zone: 'UTC' }, isCostAsked: true },
    );
    assert.deepEqual(page.costs, [
      { cost: null, missing: 'energy_wh of a solar_inverter is what it has produced' },
    ]);
  });

  it('the history of a device has the cost of what was counted between two reads, evenly, where they are planned to be far apart', async () => {
    const öre = await price();
    await located('SE1');
    await see({ energy_wh: 0 }, 0);
    const link_id = (await core.links.list(account))[0]?.id ?? '';
    await core.database.queries
      .insertInto('device_polls')
      .values({
        ...{ account_id: account, link_id, device_id: '', vendor: 'testvendor' },
        ...{ due_at: 9e15, interval_s: 3_600, failures: 0 },
      })
      .onConflict((conflict) =>
        conflict.columns(['account_id', 'link_id', 'device_id']).doUpdateSet({ interval_s: 3_600 }),
      )
      .execute();
    await see({ energy_wh: 6_000 }, 60);
    await see({ energy_wh: 6_000 }, 61);
    const all = [0, 15, 30, 45].reduce((sum, at) => sum + 1.5 * öre(at), 0);
    const page = await read({ resolution: '1h', isCostAsked: true, fields: ['energy_wh'] });
    assert.deepEqual(costs(page)[0], [0, String(all / 100), null]);
  });

  it('the history of a device is read by page, without loss or repeat', async () => {
    for (let at = 0; at < 60; at += 1)
      await see({ power_w: at % 7, ...(at % 20 === 9 ? { online: false } : {}) }, at);
    const all = async (query: Partial<HistoryQuery>) => {
      const pages: HistoryPage[] = [];
      for (let after: number | undefined; ; ) {
        const page = await read({ ...query, after }, 120);
        pages.push(page);
        if (page.next === null) return pages;
        after = page.next;
      }
    };
    for (const resolution of ['raw', '15m'] as const) {
      const [whole] = await all({ resolution });
      assert.ok(whole !== undefined && whole.points.length > 3);
      for (const limit of [1, 2, 7]) {
        const pages = await all({ resolution, limit });
        assert.deepEqual(
          pages.flatMap(({ points }) => points),
          whole.points,
        );
        assert.ok(pages.every(({ points }) => points.length <= limit));
        const ms = (list: HistoryPage['gaps']) => list.reduce((sum, { start, end }) => sum + end - start, 0);
        assert.equal(ms(pages.flatMap((page) => page.gaps)), ms(whole.gaps));
      }
    }
  });

  /** The device has another user from now on. */
  const handTo = (userRef: string) =>
    core.database.queries
      .updateTable('devices')
      .set({ user_ref: userRef })
      .where('account_id', '=', account)
      .execute();

  it('the history of a device is that of the user who has the device, and goes on when the same user links it again', async () => {
    await see({ power_w: 1 }, 5);
    const [link] = await core.links.list(account);
    core.clock.turn(10 * MINUTE_MS);
    await core.links.remove(account, link?.id ?? '');
    await core.link(account, 'testvendor');
    await see({ power_w: 2 }, 20);
    await see({ power_w: 2 }, 25);
    assert.deepEqual(rounded(powers(await read())), [
      [5, 10, 1],
      [20, 25, 2],
    ]);
    await handTo('another');
    assert.deepEqual((await read()).points, []);
  });

  it('the history of a device is of each user alone, also where two users had the device in one batch of events', async () => {
    await see({ power_w: 1 }, 5);
    await see({ power_w: 1 }, 10);
    await see({ power_w: 2 }, 12);
    await handTo('another');
    await see({ power_w: 3 }, 20);
    await see({ power_w: 4 }, 25);
    await see({ power_w: 4 }, 26);
    const powersOf = async () => powers(await read()).map(([, , power]) => power);
    assert.deepEqual(await powersOf(), [3, 4]);
    latest = undefined;
    await handTo('someone');
    assert.deepEqual(await powersOf(), [1, 2]);
  });

  it('the history of a device is forgotten with its user, and with what was not read from the log yet', async () => {
    await see({ power_w: 1 }, 5);
    await see({ power_w: 2 }, 40);
    assert.equal((await read()).points.length, 2);
    const other = account;
    account = await core.newAccount();
    await core.link(account, 'testvendor');
    await see({ power_w: 9 }, 5);
    assert.equal((await read()).points.length, 1);
    await core.database.transaction((transaction) =>
      core.history.forget(transaction, { account: other, userRef: 'someone' }),
    );
    assert.equal((await read()).points.length, 1);
    const left = await core.database.queries.selectFrom('history_devices').select('account_id').execute();
    assert.ok(left.every(({ account_id }) => account_id !== other));
    const readings = await core.database.queries.selectFrom('history_readings').select('device').execute();
    const numbers = await core.database.queries.selectFrom('history_devices').select('number').execute();
    assert.ok(readings.every(({ device }) => numbers.some(({ number }) => number === device)));
    account = other;
    latest = undefined;
    assert.deepEqual((await read()).points, []);
  });

  it('the history of a device takes what a vendor sends however odd it is, and goes on', async () => {
    await see(
      { power_w: Number.MAX_VALUE, energy_wh: 1e300, battery_soc: 0.4, connected: 'yes' },
      -DAY_MS / MINUTE_MS,
    );
    await see({ power_w: 5, battery_soc: 50.6 }, 5, -1e9);
    await see({ power_w: 5, battery_soc: 50.6 }, 6);
    const page = await read();
    assert.deepEqual(
      page.points.map(({ values }) => [values.power_w, values.battery_soc]),
      [[5, 51]],
    );
  });

  it('the history of a device is kept for as long as is set: changes shorter than quarters, and what it is like now always', async () => {
    const rowsOf = async (table: 'history_readings' | 'history_quarters') => {
      const own = core.database.queries
        .selectFrom('history_devices')
        .select('number')
        .where('account_id', '=', account);
      return (
        await core.database.queries.selectFrom(table).select('device').where('device', 'in', own).execute()
      ).length;
    };
    for (const power_w of [1, 2, 3]) await see({ power_w }, power_w * 10);
    await settled();
    const first = core.history.keep();
    await until('it has looked', async () => {
      core.clock.turn(MINUTE_MS);
      return core.clock.now() > began + 2 * HOUR_MS;
    });
    assert.deepEqual([await rowsOf('history_readings'), await rowsOf('history_quarters')], [3, 1]);
    core.clock.turn(100 * DAY_MS);
    await until('old changes are removed', async () => {
      core.clock.turn(HOUR_MS);
      return (await rowsOf('history_readings')) === 0;
    });
    assert.equal(await rowsOf('history_quarters'), 1);
    assert.equal((await read({ from: core.clock.now() - HOUR_MS, to: core.clock.now() })).fields.length, 1);
    core.clock.turn(1_040 * DAY_MS);
    await until('old quarters are removed', async () => {
      core.clock.turn(HOUR_MS);
      return (await rowsOf('history_quarters')) === 0;
    });
    await first.close();
    // The log may be older than what is kept.
    await see({ power_w: 4 }, 40);
    await see({ power_w: 5 }, (core.clock.now() - began) / MINUTE_MS);
    await settled();
    assert.deepEqual([await rowsOf('history_readings'), await rowsOf('history_quarters')], [1, 0]);
  });
});
