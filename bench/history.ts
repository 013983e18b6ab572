import assert from 'node:assert/strict';
import { sql } from 'kysely';
import { systemClock } from '../src/core/clock.ts';
import { DAY_MS, QUARTER_MS } from '../src/core/durations.ts';
import { dayAt } from '../src/core/swedish-days.ts';
import type { Database } from '../src/db/database.ts';
import { createHistoryStore } from '../src/domain/history/store.ts';
import { createPriceStore } from '../src/domain/prices/store.ts';
import { dayPrices } from '../src/domain/prices/test-prices.ts';
import { openCore } from '../test/kit/core-world.ts';
import { ENGINES, type Engine, makePlace } from '../test/kit/databases.ts';
import { testVendor } from '../test/kit/vendor-for-tests.ts';
import { addAccount } from './account.ts';
import { median } from './load.ts';
import { count, run, type Section } from './report.ts';
import { benchToday } from './today.ts';
import { chargedBetween, quarterNow } from './year.ts';

/** Each with a year of quarters. */
const DEVICES = 20;
const YEAR_MS = 365 * DAY_MS;
const READS = 9;
const TARGET_MS = 100;

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

async function bench(engine: Engine): Promise<Section> {
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
        ...{ resolution: '15m', from, to, after, limit: 10_000, zone: 'UTC' },
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
  return {
    title: `History of ${DEVICES} devices, ${engine}`,
    note: 'each with a year of quarters, and 90 days of changes every five minutes of power and meter',
    rows: [
      {
        what: 'A year of quarters of one device, 35,040 points in four pages',
        figure: `${yearMs.toFixed(0)} ms`,
        target: `at most ${TARGET_MS} ms`,
        met: yearMs <= TARGET_MS,
      },
      { what: 'A year of days of one device', figure: `${daysMs.toFixed(0)} ms` },
      { what: 'A year of days with their cost', figure: `${costsMs.toFixed(0)} ms` },
      { what: 'Quarters of a device and year on disk, with indexes', figure: `${count(quarterBytes)} bytes` },
      { what: 'A change on disk, with indexes', figure: `${changeBytes.toFixed(1)} bytes` },
      {
        what: 'Changes of a device in 90 days on disk',
        figure: `${count(changeBytes * 25_920)} bytes`,
      },
    ],
  };
}

await run(ENGINES.map((engine) => async () => [await bench(engine), await benchToday(engine)]));
