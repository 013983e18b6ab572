import assert from 'node:assert/strict';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import { systemClock, type TurnedClock, turnedClock } from '../src/core/clock.ts';
import { DAY_MS, MINUTE_MS, QUARTER_MS } from '../src/core/durations.ts';
import { dayAt } from '../src/core/swedish-days.ts';
import type { Database } from '../src/db/database.ts';
import { createPriceStore } from '../src/domain/market/prices/store.ts';
import { dayPrices } from '../src/domain/market/prices/test-prices.ts';
import { createHistoryStore } from '../src/domain/records/history/store.ts';
import { type Core, openCore } from '../test/kit/core-world.ts';
import { type Engine, makePlace } from '../test/kit/databases.ts';
import { testVendor } from '../test/kit/vendor-for-tests.ts';
import { median } from './load.ts';
import { count, ms, type Section, sized } from './report.ts';
import { addAccount, chargedBetween, quarterNow } from './year.ts';

/** Each with a year of quarters. */
const DEVICES = sized(20, 8);
const YEAR_MS = 365 * DAY_MS;
const READS = sized(9, 1);
const YEAR_TARGET_MS = 100;

async function sizeOf(database: Database, table: 'history_readings' | 'history_quarters'): Promise<number> {
  const { rows } =
    database.engine === 'sqlite'
      ? await sql<{ size: number }>`select sum(pgsize) as size from dbstat where name = ${table}`.execute(
          database.queries,
        )
      : await sql<{ size: number }>`
          select sum(pg_total_relation_size(inhrelid)) as size from pg_inherits
          where inhparent = ${table}::regclass`.execute(database.queries);
  return Number(rows[0]?.size);
}

/** Quarters of every day that some time touches. */
async function storePrices(database: Database, from: number, to: number): Promise<void> {
  const prices = createPriceStore(database);
  for (let at = from; at < to + DAY_MS; at += DAY_MS) await prices.store(dayPrices('SE3', dayAt(at)), 1);
}

/** Reads and sizes of a stored year. */
export async function historyBench(engine: Engine): Promise<Section[]> {
  const vendor = testVendor();
  vendor.devices = Array.from({ length: DEVICES }, (_, index) => `charger-${index}`);
  const place = await makePlace(engine);
  const core = await openCore({ place, clock: systemClock, adapters: [vendor.adapter] });
  const { database } = core;
  const account = await addAccount(database);
  await core.link(account, 'testvendor');
  const store = createHistoryStore(database);
  const to = quarterNow();
  const from = to - YEAR_MS;
  const names = vendor.devices.map((device) => ({
    ...{ account, vendor: 'testvendor', device, userRef: 'someone' },
  }));
  const numbers = await database.transaction((transaction) => store.open(transaction, names));
  let changes = 0;
  for (const name of names) {
    const number = numbers.get(store.textOf(name))?.number ?? 0;
    const charged = chargedBetween(from, to);
    await database.transaction((transaction) => store.follow(transaction, [{ number, ...charged }]));
    changes += charged.steps.length;
  }
  if (engine === 'postgres') await sql`vacuum analyze`.execute(database.queries);
  const of = { account, vendor: 'testvendor', device: 'charger-7', deviceType: 'charger' };
  const times: number[] = [];
  for (let round = 0; round < READS; round += 1) {
    const began = performance.now();
    let points = 0;
    for (let after: number | undefined; ; ) {
      const page = await core.history.read(of, {
        ...{ resolution: '15m', from, to, after, limit: 2_500, zone: 'UTC' },
      });
      points += page.points.length;
      if (page.next === null) break;
      after = page.next;
    }
    times.push(performance.now() - began);
    assert.equal(points, YEAR_MS / QUARTER_MS);
  }
  await storePrices(database, from, to);
  const [link] = await core.links.list(account);
  await core.links.setPriceArea({ account, link: link?.id ?? '' }, 'SE3');
  const daysOf = async (isCostAsked: boolean): Promise<number> => {
    const times: number[] = [];
    for (let round = 0; round < READS; round += 1) {
      const began = performance.now();
      const page = await core.history.read(of, {
        ...{ resolution: '1d', from, to, limit: 400, zone: 'Europe/Stockholm', isCostAsked },
      });
      times.push(performance.now() - began);
      assert.ok(page.points.length >= 365);
      assert.equal(page.costs?.every(({ cost }) => cost !== null) ?? false, isCostAsked);
    }
    return median(times);
  };
  const daysMs = await daysOf(false);
  const costsMs = await daysOf(true);
  const quarterBytes = (await sizeOf(database, 'history_quarters')) / DEVICES;
  const changeBytes = (await sizeOf(database, 'history_readings')) / changes;
  await core.close();
  await place.remove();
  const yearMs = median(times);
  return [
    {
      title: `History of ${DEVICES} devices, ${engine}`,
      note: 'each with a year of quarters, and 90 days of changes every five minutes of power and meter',
      rows: [
        {
          what: 'A year of quarters of one device, 35,040 points in 15 pages',
          figure: `${yearMs.toFixed(0)} ms`,
          target: `at most ${YEAR_TARGET_MS} ms`,
          met: yearMs <= YEAR_TARGET_MS,
        },
        { what: 'A year of days of one device', figure: `${daysMs.toFixed(0)} ms` },
        { what: 'A year of days with their cost', figure: `${costsMs.toFixed(0)} ms` },
        {
          what: 'Quarters of a device and year on disk, with indexes',
          figure: `${count(quarterBytes)} bytes`,
        },
        { what: 'A change on disk, with indexes', figure: `${changeBytes.toFixed(1)} bytes` },
        {
          what: 'Changes of a device in 90 days on disk',
          figure: `${count(changeBytes * 25_920)} bytes`,
        },
      ],
    },
  ];
}

const TODAY_DEVICES = sized(10_000, 500);
const AT_ONCE = 500;
const KEPT_MS = 30_000;
const TODAY_TARGET_MS = 300;
/** All have the same midnight: of each, the first sums have nothing that is kept of the day. */
const ZONES = ['Stockholm', 'Oslo', 'Berlin', 'Paris', 'Rome', 'Madrid', 'Vienna', 'Warsaw', 'Prague'];
/** 92 quarters and five minutes after midnight. */
const MIDNIGHT = Date.parse('2026-11-20T23:00:00Z');
const QUARTERS = 92;
const NOW = MIDNIGHT + QUARTERS * QUARTER_MS + 5 * MINUTE_MS;

async function storeDay({ core, clock }: { core: Core; clock: TurnedClock }): Promise<number> {
  const { database } = core;
  const account = await addAccount(database);
  const devices = await core.link(account, 'testvendor');
  const store = createHistoryStore(database);
  const charged = chargedBetween(MIDNIGHT, NOW + 1);
  const { open } = charged;
  for (let first = 0; first < TODAY_DEVICES; first += AT_ONCE) {
    const names = devices.slice(first, first + AT_ONCE).map(({ id }) => ({
      ...{ account, vendor: 'testvendor', device: id, userRef: 'someone' },
    }));
    await database.transaction(async (transaction) => {
      const opened = await store.open(transaction, names);
      const all = [...opened.values()].map(({ number }) => ({ number, ...charged, steps: [] }));
      await store.follow(transaction, all);
    });
  }
  // As the newest read has left it, so that the quarter that has not ended is known until now.
  await database.queries
    .updateTable('devices')
    .set({ state_json: JSON.stringify({ online: true, ...open.values }), fetched_at: clock.now() })
    .where('account_id', '=', account)
    .execute();
  await createPriceStore(database).store(dayPrices('SE3', '2026-11-21'), 1);
  const [link] = await core.links.list(account);
  await core.links.setPriceArea({ account, link: link?.id ?? '' }, 'SE3');
  if (database.engine === 'postgres') await sql`vacuum analyze`.execute(database.queries);
  return account;
}

/** Of the process; of PostgreSQL what it makes of what the server sends. */
async function measured(works: readonly (() => Promise<void>)[]) {
  const times: { cpu: number; wall: number; pause: number }[] = [];
  for (const work of works) {
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    // It sees a pause between two of its own turns.
    await setTimeout(5);
    const [before, began] = [process.cpuUsage(), performance.now()];
    await work();
    const { user, system } = process.cpuUsage(before);
    const wall = performance.now() - began;
    await setTimeout(5);
    delay.disable();
    times.push({ cpu: (user + system) / 1_000, wall, pause: delay.max / 1e6 });
  }
  const of = (key: 'cpu' | 'wall' | 'pause') => median(times.map((one) => one[key]));
  return { cpu: of('cpu'), wall: of('wall'), pause: of('pause') };
}

/** The opponent: one SQL statement that adds up stored rows, without costs and without rows that are still in memory. */
async function plainSum({ queries }: Database): Promise<number> {
  const { rows } = await sql<{ wh: number | string }>`
    select sum(energy_wh) as wh from history_quarters
    where device in (select number from history_devices)
      and quarter >= ${sql.lit(MIDNIGHT / QUARTER_MS)} and quarter < ${sql.lit(NOW / QUARTER_MS)}`.execute(
    queries,
  );
  return Number(rows[0]?.wh);
}

/** The sums of today of an account with many devices. */
export async function todayBench(engine: Engine): Promise<Section[]> {
  const vendor = testVendor();
  vendor.devices = Array.from({ length: TODAY_DEVICES }, (_, index) => `charger-${index}`);
  const place = await makePlace(engine);
  const clock = turnedClock(NOW);
  const core = await openCore({ place, clock, adapters: [vendor.adapter] });
  core.bounds.links = 2 * TODAY_DEVICES;
  const account = await storeDay({ core, clock });
  const stored = await plainSum(core.database);
  const theirs = await measured(
    ZONES.map(() => async () => {
      await plainSum(core.database);
    }),
  );
  const sumIn = (city: string) => async () => {
    const today = await core.history.today(account, `Europe/${city}`);
    assert.equal(today.drawn.devices, TODAY_DEVICES);
    assert.equal(today.cost.devices, TODAY_DEVICES);
    assert.ok(today.drawn.energy_wh >= stored);
  };
  const first = await measured(ZONES.map(sumIn));
  const again = sumIn('Stockholm');
  await again();
  const ours = await measured(
    ZONES.map(() => async () => {
      // Until they are added up again.
      clock.turn(KEPT_MS);
      await again();
    }),
  );
  await core.close();
  await place.remove();
  return [
    {
      title: `The sums of today of ${count(TODAY_DEVICES)} devices, ${engine}`,
      note: `${QUARTERS} quarters each; against one select sum(energy_wh) of the same quarters, without costs`,
      rows: [
        {
          ...{ what: 'Processor time of the process', figure: ms(ours.cpu), against: ms(theirs.cpu) },
          ...{ target: `under ${TODAY_TARGET_MS} ms`, met: ours.cpu < TODAY_TARGET_MS },
        },
        { what: 'Until they are known', figure: ms(ours.wall), against: ms(theirs.wall) },
        { what: 'Longest pause of the event loop', figure: ms(ours.pause), against: ms(theirs.pause) },
        {
          what: 'The first of a day: processor time of the process',
          ...{ figure: ms(first.cpu), against: ms(theirs.cpu) },
        },
        { what: 'The first: until they are known', figure: ms(first.wall), against: ms(theirs.wall) },
        {
          what: 'The first: longest pause of the event loop',
          ...{ figure: ms(first.pause), against: ms(theirs.pause) },
        },
      ],
    },
  ];
}
