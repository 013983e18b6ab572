import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { ENGINES, makePlace, type Place } from '../../../../test/kit/databases.ts';
import { until } from '../../../../test/kit/until.ts';
import { type TurnedClock, turnedClock } from '../../../core/clock.ts';
import { systemRandom } from '../../../core/ids.ts';
import { dayBounds } from '../../../core/swedish-days.ts';
import type { Database } from '../../../db/database.ts';
import { createLease } from '../../../db/lease.ts';
import { momentOf } from './calendar.ts';
import type { PriceEvent } from './index.ts';
import { createPriceStore } from './store.ts';
import { dayPrices, fakeSource, pricesOf, publishedFrom } from './test-prices.ts';

describe('two processes on PostgreSQL', {
  skip: ENGINES.includes('postgres') ? false : 'TEST_DATABASE_URL is not set',
}, () => {
  let place: Place;
  let here: Database;
  let there: Database;
  let clock: TurnedClock;
  before(async () => {
    place = await makePlace('postgres');
  });
  afterEach(async () => {
    await here.close();
    await there.close();
  });
  after(() => place.remove());
  /** Leases use the database's clock, which is the test clock here. */
  const begin = async (now: number) => {
    clock = turnedClock(now);
    here = await place.open(clock);
    there = await place.open(clock);
  };
  const turning = (what: string, stepMs: number, holds: () => boolean | Promise<boolean>) =>
    until(what, async () => {
      clock.turn(stepMs);
      // Time must not run faster than a lease can be renewed.
      for (let trip = 0; trip < 3; trip += 1)
        for (const { queries } of [here, there]) await sql`select 1`.execute(queries);
      return holds();
    });

  it('two processes on PostgreSQL ask the sources once between them, and both serve and report the result', async () => {
    // Just before tomorrow is due, in small steps: a lease must be renewed in time on a busy machine too.
    await begin(momentOf('2026-11-21', '12:48'));
    const source = fakeSource(clock, 'first', { answer: publishedFrom(clock, '12:00') });
    const one = await pricesOf(here, { clock, sources: [source] });
    const two = await pricesOf(there, { clock, sources: [source] });
    const events: PriceEvent[] = [];
    two.prices.watch((event) => event.kind === 'stored' && events.push(event));
    one.prices.start();
    two.prices.start();
    const knows = (prices: typeof one.prices, end: number) => () => prices.health().until.SE4 === end;
    await turning('both serve today', 100, () => {
      const { end } = dayBounds('2026-11-21');
      return knows(one.prices, end)() && knows(two.prices, end)();
    });
    await turning('both serve tomorrow', 1_000, () => {
      const { end } = dayBounds('2026-11-22');
      return knows(one.prices, end)() && knows(two.prices, end)();
    });
    assert.deepEqual(source.asked.map(({ day }) => day).toSorted(), ['2026-11-21', '2026-11-22']);
    assert.equal(one.prices.version(), two.prices.version());
    assert.deepEqual(one.prices.spot(['SE1', 'SE4']), two.prices.spot(['SE1', 'SE4']));
    assert.equal([one, two].filter(({ prices }) => prices.health().is_fetching).length, 1);
    assert.deepEqual(
      events
        .flatMap((event) =>
          event.kind === 'slot' ? [] : event.days.map(({ area, day }) => `${area} ${day}`),
        )
        .toSorted(),
      [
        'SE1 2026-11-21',
        'SE1 2026-11-22',
        'SE2 2026-11-21',
        'SE2 2026-11-22',
        'SE3 2026-11-21',
        'SE3 2026-11-22',
        'SE4 2026-11-21',
        'SE4 2026-11-22',
      ],
    );
    await one.prices.close();
    await two.prices.close();
  });

  it('two processes on PostgreSQL take over from each other: at once after a stop, after the lease when one dies', async () => {
    await begin(momentOf('2027-01-10', '12:00'));
    const source = fakeSource(clock, 'first', { answer: () => [] });
    // A killed process never releases its lease to fetch.
    const dead = createLease({
      database: here,
      random: systemRandom,
      name: 'prices',
      lengthMs: 30_000,
    });
    assert.equal(await dead.hold(), true);
    const one = await pricesOf(here, { clock, sources: [source] });
    const died = clock.now();
    one.prices.start();
    await turning('one takes over', 500, () => one.prices.health().is_fetching);
    assert.ok(clock.now() - died > 30_000, 'not while it may be alive');

    const two = await pricesOf(there, { clock, sources: [source] });
    two.prices.start();
    for (let step = 0; step < 20; step += 1) await turning('time passes', 3_000, () => true);
    assert.equal(two.prices.health().is_fetching, false);
    await one.prices.close();
    const stopped = clock.now();
    await turning('two takes over', 500, () => two.prices.health().is_fetching);
    assert.ok(clock.now() - stopped < 30_000, 'sooner than it would from a dead one');
    await two.prices.close();
  });

  it('two processes on PostgreSQL resume a back-fill that a dead process started', async () => {
    await begin(momentOf('2027-02-10', '10:00'));
    const store = createPriceStore(here);
    for (const area of ['SE1', 'SE2', 'SE3', 'SE4'] as const)
      await store.store(dayPrices(area, '2027-02-10'), clock.now());
    let isDead = false;
    const dying = fakeSource(clock, 'first', {
      answer: ({ day, areas }) =>
        isDead ? new Promise<never>(() => {}) : areas.map((area) => ({ ...publishedDay(area, day) })),
    });
    const publishedDay = (area: 'SE1' | 'SE2' | 'SE3' | 'SE4', day: string) => {
      const { slots, exchangeRate } = dayPrices(area, day);
      return { area, day, slots, exchangeRate, publishedAt: null };
    };
    const lively = fakeSource(clock, 'first');
    const one = await pricesOf(here, { clock, sources: [dying] });
    one.prices.start();
    const { id } = await one.prices.backfill.begin({
      from: '2026-06-01',
      until: '2026-06-06',
      areas: ['SE1'],
    });
    const two = await pricesOf(there, { clock, sources: [lively] });
    await turning('some days are done', 200, async () => (await two.prices.backfill.get(id)).days_done >= 2);
    isDead = true;
    await turning('it hangs', 200, () => dying.asked.length >= 3);
    await one.prices.close();
    two.prices.start();
    await turning('it ends', 500, async () => (await two.prices.backfill.get(id)).status === 'done');
    const { days_done, days_skipped, days_failed } = await two.prices.backfill.get(id);
    assert.deepEqual([days_done + days_skipped, days_failed], [6, 0]);
    assert.ok(lively.asked.length <= 4);
    await two.prices.close();
  });
});
