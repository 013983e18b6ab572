import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { makePlace, onEachEngine, type Place } from '../../../../test/kit/databases.ts';
import { until } from '../../../../test/kit/until.ts';
import { HttpFailure } from '../../../adapter/http.ts';
import { type TurnedClock, turnedClock } from '../../../core/clock.ts';
import type { Database } from '../../../db/database.ts';
import { PRICE_AREAS } from '../../../sources/contract/market.ts';
import { momentOf } from './calendar.ts';
import type { Prices } from './index.ts';
import { createPriceStore } from './store.ts';
import { dayPrices, everyDay, fakeSource, pricesOf, reportedDay } from './test-prices.ts';

/** Advances the clock in steps until a condition holds. */
async function turning(
  clock: TurnedClock,
  what: string,
  holds: () => boolean | Promise<boolean>,
): Promise<void> {
  await until(what, async () => {
    clock.turn(1_000);
    return holds();
  });
}

onEachEngine('a back-fill', (engine) => {
  let place: Place;
  let database: Database;
  let clock: TurnedClock;
  before(async () => {
    place = await makePlace(engine);
    database = await place.open();
    clock = turnedClock(momentOf('2026-11-21', '10:00'));
    const store = createPriceStore(database);
    // Today and tomorrow are stored, so that the schedule fetches nothing meanwhile.
    for (const area of PRICE_AREAS) await store.store(dayPrices(area, '2026-11-21'), clock.now());
  });
  after(async () => {
    await database.close();
    await place.remove();
  });

  const isOver = (prices: Prices, id: string) => async () =>
    (await prices.backfill.get(id)).status !== 'running';

  it('a back-fill stores missing days, skips stored ones, and reports days that no source has', async () => {
    await createPriceStore(database).store(dayPrices('SE1', '2022-11-03'), 1);
    const source = fakeSource(clock, 'first', {
      since: '2022-11-01',
      answer: ({ day, areas }) =>
        day === '2022-11-04'
          ? areas.map((area) => ({ ...reportedDay(area, day), slots: [] }))
          : areas.map((area) => reportedDay(area, day, { slotMin: 60 })),
    });
    const { prices } = await pricesOf(database, { clock, sources: [source] });
    prices.start();
    const { id } = await prices.backfill.begin({ from: '2022-10-30', until: '2022-11-05', areas: ['SE1'] });
    await assert.rejects(prices.backfill.begin({ from: '2023-01-01', until: '2023-01-01' }), {
      code: 'backfill.running',
    });
    const began = clock.now();
    await turning(clock, 'it ends', isOver(prices, id));
    const { days_total, days_done, days_skipped, days_missing, days_failed, failures, status } =
      await prices.backfill.get(id);
    assert.deepEqual(
      { days_total, days_done, days_skipped, days_missing, days_failed, failures, status },
      {
        days_total: 7,
        days_done: 3,
        days_skipped: 1,
        days_missing: 2,
        days_failed: 1,
        failures: [{ sentence: 'Source first: it has no prices', days: 1, last_day: '2022-11-04' }],
        status: 'done',
      },
    );
    assert.deepEqual(
      source.asked.map(({ day }) => day),
      ['2022-11-01', '2022-11-02', '2022-11-04', '2022-11-05'],
    );
    assert.ok(clock.now() - began >= 3_000, 'it paused between days');
    assert.equal((await prices.backfill.list())[0]?.id, id);
    await prices.close();
  });

  it('a back-fill fetches stored days again with refresh', async () => {
    const source = fakeSource(clock, 'second');
    const { prices } = await pricesOf(database, { clock, sources: [source] });
    prices.start();
    const { id } = await prices.backfill.begin({
      from: '2022-11-01',
      until: '2022-11-02',
      areas: ['SE1'],
      refresh: true,
    });
    await turning(clock, 'it ends', isOver(prices, id));
    assert.equal((await prices.backfill.get(id)).days_done, 2);
    const rows = await Array.fromAsync(
      prices.history({
        area: 'SE1',
        from: momentOf('2022-11-01', '00:00'),
        until: momentOf('2022-11-03', '00:00'),
        resolution: 'slot',
      }),
    );
    assert.equal(rows.flat().length, 192, 'quarters replace hours');
    assert.ok(rows.flat().every(({ source }) => source === 'second'));
    await prices.close();
  });

  it('a back-fill retries a source that was unreachable for a while', async () => {
    const source = fakeSource(clock, 'first', {
      answer: (query) =>
        source.asked.length === 1
          ? new HttpFailure('rate_limited', 'too many', { retryAfterSeconds: 60 })
          : everyDay(query),
    });
    const { prices } = await pricesOf(database, { clock, sources: [source] });
    prices.start();
    const { id } = await prices.backfill.begin({ from: '2023-02-01', until: '2023-02-02', areas: ['SE3'] });
    await turning(clock, 'it ends', isOver(prices, id));
    const backfill = await prices.backfill.get(id);
    assert.deepEqual([backfill.days_done, backfill.days_failed], [2, 0]);
    assert.ok((source.asked[1]?.at ?? 0) - (source.asked[0]?.at ?? 0) >= 60_000);
    await prices.close();
  });

  it('a back-fill ends when it is cancelled, and another may start', async () => {
    const source = fakeSource(clock, 'first');
    const { prices } = await pricesOf(database, { clock, sources: [source] });
    prices.start();
    const { id } = await prices.backfill.begin({ from: '2023-03-01', until: '2023-12-31' });
    await turning(clock, 'some days are done', async () => (await prices.backfill.get(id)).days_done >= 3);
    const cancelled = await prices.backfill.cancel(id);
    assert.deepEqual([cancelled.isCancelled, cancelled.backfill.status], [true, 'cancelled']);
    assert.equal((await prices.backfill.cancel(id)).isCancelled, false, 'it was before');
    const asked = source.asked.length;
    const next = await prices.backfill.begin({ from: '2023-03-01', until: '2023-03-02' });
    await turning(clock, 'the next one ends', isOver(prices, next.id));
    assert.ok(source.asked.length <= asked + 1);
    assert.equal((await prices.backfill.get(next.id)).days_skipped, 2);
    const over = await prices.backfill.cancel(next.id);
    assert.deepEqual([over.isCancelled, over.backfill.status], [false, 'done']);
    await assert.rejects(prices.backfill.get('none'), { code: 'backfill.not_found' });
    await assert.rejects(prices.backfill.cancel('none'), { code: 'backfill.not_found' });
    await prices.close();
  });

  it('a back-fill resumes after a restart where it stopped', async () => {
    const source = fakeSource(clock, 'first');
    const first = await pricesOf(database, { clock, sources: [source] });
    first.prices.start();
    const { id } = await first.prices.backfill.begin({
      from: '2024-01-01',
      until: '2024-01-08',
      areas: ['SE2'],
    });
    await turning(
      clock,
      'some days are done',
      async () => (await first.prices.backfill.get(id)).days_done >= 3,
    );
    await first.prices.close();
    const before = source.asked.length;
    const second = await pricesOf(database, { clock, sources: [source] });
    assert.equal((await second.prices.backfill.get(id)).status, 'running');
    second.prices.start();
    await turning(clock, 'it ends', isOver(second.prices, id));
    const { days_done, days_skipped } = await second.prices.backfill.get(id);
    assert.equal(days_done + days_skipped, 8);
    assert.equal(new Set(source.asked.map(({ day }) => day)).size, 8);
    assert.ok(source.asked.length <= 9, `${source.asked.length} questions, ${before} before`);
    await second.prices.close();
  });

  it('a back-fill refuses an invalid range', async () => {
    const { prices } = await pricesOf(database, { clock });
    for (const request of [
      { from: '2026-02-30', until: '2026-03-01' },
      { from: '2026-03-02', until: '2026-03-01' },
      { from: '2026-11-01', until: '2026-11-23' },
      { from: '2000-01-01', until: '2026-01-01' },
      { from: 'yesterday', until: '2026-01-01' },
      { from: '2026-01-01', until: '2026-01-01', areas: [] },
    ])
      await assert.rejects(prices.backfill.begin(request), { code: 'request.invalid' });
    await prices.close();
  });
});
