import assert from 'node:assert/strict';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import { type TurnedClock, turnedClock } from '../src/core/clock.ts';
import { MINUTE_MS, QUARTER_MS } from '../src/core/durations.ts';
import type { Database } from '../src/db/database.ts';
import { createHistoryStore } from '../src/domain/history/store.ts';
import { createPriceStore } from '../src/domain/prices/store.ts';
import { dayPrices } from '../src/domain/prices/test-prices.ts';
import { type Core, openCore } from '../test/kit/core-world.ts';
import { type Engine, makePlace } from '../test/kit/databases.ts';
import { testVendor } from '../test/kit/vendor-for-tests.ts';
import { addAccount } from './account.ts';
import { median } from './load.ts';
import { count, ms, type Section } from './report.ts';
import { chargedBetween } from './year.ts';

const DEVICES = 10_000;
const AT_ONCE = 500;
const KEPT_MS = 30_000;
const TARGET_MS = 300;
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
  for (let first = 0; first < DEVICES; first += AT_ONCE) {
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

/** The opponent: what a database adds up in one statement, without costs and without what is not stored yet. */
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
export async function benchToday(engine: Engine): Promise<Section> {
  const vendor = testVendor();
  vendor.devices = Array.from({ length: DEVICES }, (_, index) => `charger-${index}`);
  const place = await makePlace(engine);
  const clock = turnedClock(NOW);
  const core = await openCore({ place, clock, adapters: [vendor.adapter] });
  core.bounds.links = 2 * DEVICES;
  const account = await storeDay({ core, clock });
  const stored = await plainSum(core.database);
  const theirs = await measured(
    ZONES.map(() => async () => {
      await plainSum(core.database);
    }),
  );
  const sumIn = (city: string) => async () => {
    const today = await core.history.today(account, `Europe/${city}`);
    assert.equal(today.drawn.devices, DEVICES);
    assert.equal(today.cost.devices, DEVICES);
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
  return {
    title: `The sums of today of ${count(DEVICES)} devices, ${engine}`,
    note: `${QUARTERS} quarters each; against one select sum(energy_wh) of the same quarters, without costs`,
    rows: [
      {
        ...{ what: 'Processor time of the process', figure: ms(ours.cpu), against: ms(theirs.cpu) },
        ...{ target: `under ${TARGET_MS} ms`, met: ours.cpu < TARGET_MS },
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
  };
}
