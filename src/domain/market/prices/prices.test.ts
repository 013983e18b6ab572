import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { setImmediate as settle } from 'node:timers/promises';
import { makePlace, onEachEngine, type Place } from '../../../../test/kit/databases.ts';
import { turnedClock } from '../../../core/clock.ts';
import { QUARTER_MS } from '../../../core/durations.ts';
import { AppError } from '../../../core/errors.ts';
import { dayAt, dayBounds } from '../../../core/swedish-days.ts';
import type { Database } from '../../../db/database.ts';
import { addDays, momentOf } from './calendar.ts';
import type { HistoricPrice, HistoryQuery, Prices } from './index.ts';
import { createPriceStore } from './store.ts';
import { dayPrices, pricesOf } from './test-prices.ts';

const sample = readFileSync(new URL('../../../../seed/sample-day.tsv', import.meta.url), 'utf8');

async function gather(prices: Prices, query: HistoryQuery): Promise<HistoricPrice[]> {
  return (await Array.fromAsync(prices.history(query))).flat();
}

onEachEngine('served prices', (engine) => {
  let place: Place;
  let database: Database;
  before(async () => {
    place = await makePlace(engine);
    database = await place.open();
    const store = createPriceStore(database);
    for (const day of ['2026-03-28', '2026-03-29', '2026-03-30', '2026-10-24', '2026-10-25', '2026-10-26'])
      for (const area of ['SE1', 'SE3'] as const) await store.store(dayPrices(area, day), 1);
    await store.store(dayPrices('SE2', '2026-10-25', { slotMin: 60 }), 1);
  });
  after(async () => {
    await database.close();
    await place.remove();
  });

  for (const [day, hours] of [
    ['2026-03-28', 24],
    ['2026-03-29', 23],
    ['2026-10-25', 25],
  ] as const) {
    it(`served prices start with the current slot and have no gap, on ${day} with ${hours} hours`, async () => {
      const clock = turnedClock(momentOf(day, '06:20'));
      const { prices } = await pricesOf(database, { clock });
      const items = prices.spot(['SE3']);
      assert.equal(items[0]?.start, momentOf(day, '06:15'));
      assert.equal(items.at(-1)?.end, dayBounds(addDays(day, 1)).end);
      for (const [index, item] of items.entries())
        assert.equal(item.start, (items[0]?.start ?? 0) + index * QUARTER_MS);
      const expected = dayPrices('SE3', day).slots;
      assert.equal(expected.length, hours * 4);
      const total = expected.reduce((sum, { sek }) => sum + Math.round(Number(sek) * 1e5), 0);
      assert.equal(prices.current().today_avg.SE3, String(Math.round(total / expected.length) / 1e5));
      await prices.close();
    });
  }

  it('served prices are also served as whole days, past slots included', async () => {
    const { prices } = await pricesOf(database, { clock: turnedClock(momentOf('2026-03-29', '06:20')) });
    const days = prices.days();
    assert.deepEqual(
      days.map(({ area, day, slots }) => `${area} ${day} ${slots.length}`),
      ['SE1 2026-03-29 92', 'SE1 2026-03-30 96', 'SE3 2026-03-29 92', 'SE3 2026-03-30 96'],
    );
    for (const { start, end, slots, day } of days) {
      assert.deepEqual({ start, end }, dayBounds(day));
      assert.equal(slots[0]?.start, start);
      assert.equal(slots.at(-1)?.end, end);
    }
    const slotsOfDays = days.filter(({ area }) => area === 'SE3').flatMap(({ slots }) => slots);
    const ahead = prices.spot(['SE3']);
    assert.deepEqual(
      slotsOfDays.slice(-ahead.length).map(({ start, price }) => [start, price]),
      ahead.map(({ start, price }) => [start, price]),
    );
    await prices.close();
  });

  it('served prices are served for each area that has them, and null for the others', async () => {
    const { prices } = await pricesOf(database, { clock: turnedClock(momentOf('2026-10-25', '12:40')) });
    const current = prices.current();
    assert.equal(current.today, '2026-10-25');
    assert.equal(current.now.SE4, null);
    assert.equal(current.today_avg.SE4, null);
    assert.equal(current.now.SE2, prices.spot(['SE2'])[0]?.price);
    assert.equal(current.source, 'first');
    assert.deepEqual(
      prices.spot(['SE1', 'SE2', 'SE3', 'SE4']).map(({ area }) => area),
      prices
        .spot(['SE1', 'SE2', 'SE3', 'SE4'])
        .map(({ area }) => area)
        .toSorted(),
    );
    assert.equal(prices.spot(['SE2']).length, 12);
    assert.throws(() => prices.spot(['SE4']), { code: 'prices.unavailable' });
    await prices.close();
  });

  it('served prices never start in the future: tomorrow is not served while today is missing', async () => {
    const { prices } = await pricesOf(database, { clock: turnedClock(momentOf('2026-03-27', '23:50')) });
    assert.throws(() => prices.spot(['SE3']), { code: 'prices.unavailable' });
    assert.throws(() => prices.current(), { code: 'prices.unavailable' });
    await prices.close();
  });

  it('served prices change with the slot, and so does their version', async () => {
    const clock = turnedClock(momentOf('2026-10-25', '23:50'));
    const { prices } = await pricesOf(database, { clock });
    const slots: number[] = [];
    prices.start();
    await settle();
    prices.watch((event) => event.kind === 'slot' && slots.push(event.start));
    const before = prices.version();
    assert.equal(prices.validUntil(), momentOf('2026-10-26', '00:00'));
    const turn = async (ms: number) => {
      const until = clock.now() + ms;
      for (; clock.now() < until; await settle()) clock.turn(30_000);
    };
    await turn(9 * 60_000);
    assert.equal(prices.version(), before);
    await turn(2 * 60_000);
    assert.notEqual(prices.version(), before);
    assert.equal(prices.current().today, '2026-10-26');
    assert.deepEqual(slots, [momentOf('2026-10-26', '00:00')]);
    await turn(3 * 3_600_000);
    assert.equal(slots.length, 13);
    // Hours at once, as after a suspension: only the current slot counts.
    clock.turn(3 * 3_600_000);
    await settle();
    await turn(30_000);
    assert.equal(slots.length, 14);
    assert.equal(slots.at(-1), momentOf('2026-10-26', '06:00'));
    await prices.close();
  });

  it('served prices have a version that is equal in every process and changes with every figure', async () => {
    const clock = turnedClock(momentOf('2026-10-24', '10:00'));
    const [here, there] = [await pricesOf(database, { clock }), await pricesOf(database, { clock })];
    assert.equal(here.prices.version(), there.prices.version());
    const store = createPriceStore(database);
    await store.store(dayPrices('SE1', '2026-10-24', { eur: (index) => (index === 0 ? 0.1 : 0.2) }), 2);
    const after = await pricesOf(database, { clock });
    assert.notEqual(after.prices.version(), here.prices.version());
    await store.store(dayPrices('SE1', '2026-10-24'), 3);
    for (const { prices } of [here, there, after]) await prices.close();
  });

  it('served prices have a history by slot, hour and day, with whole hours and days at the ends of the range', async () => {
    const { prices } = await pricesOf(database);
    const from = momentOf('2026-10-25', '02:20');
    const until = momentOf('2026-10-26', '00:05');
    const slots = await gather(prices, { area: 'SE3', from, until, resolution: 'slot' });
    assert.equal(slots[0]?.start, from + 10 * 60_000);
    assert.equal(slots.at(-1)?.start, until - 5 * 60_000);
    const hours = await gather(prices, { area: 'SE3', from, until, resolution: 'hour' });
    assert.equal(hours.length, 24);
    assert.equal(hours[0]?.start, from - 20 * 60_000);
    const first = dayPrices('SE3', '2026-10-25').slots.slice(8, 12);
    const sum = first.reduce((all, { sek }) => all + Math.round(Number(sek) * 1e5), 0);
    assert.equal(hours[0]?.price, String(Math.round(sum / 4) / 1e5));
    const days = await gather(prices, { area: 'SE3', from, until, resolution: 'day' });
    assert.deepEqual(
      days.map(({ start }) => dayAt(start)),
      ['2026-10-25', '2026-10-26'],
    );
    assert.equal((days[0]?.end ?? 0) - (days[0]?.start ?? 0), 25 * 3_600_000);
    const none = await gather(prices, { area: 'SE4', from, until, resolution: 'day' });
    assert.deepEqual(none, []);
    assert.deepEqual(await gather(prices, { area: 'SE3', from, until: from, resolution: 'hour' }), []);
    await prices.close();
  });

  it('served prices that are missing give an error with the attempts so far and the next one', async () => {
    const clock = turnedClock(momentOf('2026-07-01', '10:00'));
    const { prices } = await pricesOf(database, { clock, isOn: false });
    assert.throws(
      () => prices.spot(['SE1', 'SE2', 'SE3', 'SE4']),
      (error) =>
        error instanceof AppError && /^the current spot price of SE1–SE4 is missing/.test(error.message),
    );
    assert.equal(prices.health().status, 'degraded');
    await prices.close();
  });
});

describe('the sample day', () => {
  for (const [day, quarters] of [
    ['2026-11-21', 96],
    ['2026-03-29', 92],
    ['2026-10-25', 100],
  ] as const) {
    it(`the sample day is mapped onto ${day} by local time, in ${quarters} quarters, each marked as sample`, async () => {
      const place = await makePlace('sqlite');
      const database = await place.open();
      const clock = turnedClock(dayBounds(day).start);
      const { prices } = await pricesOf(database, { clock, sample });
      const items = prices.spot(['SE4']);
      const { end } = dayBounds(day);
      assert.equal(items.filter(({ start }) => start < end).length, quarters);
      assert.ok(items.every(({ source, price_eur }) => source === 'sample' && price_eur === null));
      const at = (time: string) => items.find(({ start }) => start === momentOf(day, time))?.price;
      assert.equal(at('07:45'), '1.16496');
      assert.equal(prices.current().source, 'sample');
      assert.match(prices.health().sentence, /the sample day is served instead/);
      const rows = await gather(prices, { area: 'SE4', from: 0, until: end, resolution: 'slot' });
      assert.deepEqual(rows, []);
      await prices.close();
      await database.close();
      await place.remove();
    });
  }

  it('the sample day is served only for areas without stored prices', async () => {
    const place = await makePlace('sqlite');
    const database = await place.open();
    const store = createPriceStore(database);
    await store.store(dayPrices('SE3', '2026-11-21'), 1);
    await store.store(dayPrices('SE2', '2026-11-22'), 1);
    const { prices } = await pricesOf(database, {
      clock: turnedClock(momentOf('2026-11-21', '10:00')),
      sample,
    });
    const sources = (area: 'SE1' | 'SE2' | 'SE3') => [
      ...new Set(prices.spot([area]).map(({ source }) => source)),
    ];
    assert.deepEqual(sources('SE3'), ['first']);
    assert.deepEqual(sources('SE1'), ['sample']);
    assert.deepEqual(sources('SE2'), ['sample']);
    assert.equal(prices.spot(['SE3']).at(-1)?.end, dayBounds('2026-11-21').end);
    await prices.close();
    await database.close();
    await place.remove();
  });
});
