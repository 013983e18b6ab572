import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { makePlace, onEachEngine, type Place } from '../../../test/kit/databases.ts';
import { dayBounds } from '../../core/swedish-days.ts';
import type { Database } from '../../db/database.ts';
import { PRICE_AREAS } from '../../sources/contract/market.ts';
import { addDays } from './calendar.ts';
import { readHistory } from './history.ts';
import { createPriceStore, type PriceStore } from './store.ts';
import { dayPrices } from './test-prices.ts';

onEachEngine('stored prices', (engine) => {
  let place: Place;
  let database: Database;
  let store: PriceStore;
  before(async () => {
    place = await makePlace(engine);
    database = await place.open();
    store = createPriceStore(database);
  });
  after(async () => {
    await database.close();
    await place.remove();
  });

  it('keeps every figure as text, to its last digit', async () => {
    const day = dayPrices('SE1', '2026-01-10');
    const exact = {
      ...day,
      slots: day.slots.map((slot) => ({ ...slot, sek: '0.100000000000000001', eur: null })),
      publishedAt: 1_767_963_600_123,
    };
    assert.equal(await store.store(exact, 5), 'stored');
    const [facts] = await store.facts('2026-01-10', '2026-01-10');
    assert.ok(facts !== undefined);
    assert.deepEqual(await store.slots(facts), exact.slots);
    assert.equal(facts.mean, '0.1');
    assert.equal(facts.publishedAt, 1_767_963_600_123);
    assert.equal(facts.converted, false);
  });

  it('marks an unchanged day as checked, and changes nothing else', async () => {
    const day = dayPrices('SE2', '2026-01-10');
    assert.equal(await store.store(day, 5), 'stored');
    assert.equal(await store.store({ ...day, source: 'second', publishedAt: 7 }, 9), 'unchanged');
    const facts = (await store.facts('2026-01-10', '2026-01-10')).find(({ area }) => area === 'SE2');
    assert.deepEqual([facts?.source, facts?.checkedAt, facts?.publishedAt], ['first', 9, null]);
  });

  it('says which days are stored and whose they are, and how many of each month', async () => {
    for (const day of ['2024-02-28', '2024-02-29', '2024-03-02'])
      await store.store({ ...dayPrices('SE4', day), source: day === '2024-02-29' ? 'second' : 'first' }, 5);
    await store.store(dayPrices('SE3', '2024-02-29'), 5);
    assert.deepEqual(await store.sourcesOfDays('2024-02-29', '2024-03-31'), [
      { area: 'SE3', day: '2024-02-29', source: 'first' },
      { area: 'SE4', day: '2024-02-29', source: 'second' },
      { area: 'SE4', day: '2024-03-02', source: 'first' },
    ]);
    assert.deepEqual(
      (await store.months('2024-03-02')).filter(({ month }) => month.startsWith('2024')),
      [
        { area: 'SE3', month: '2024-02', days: 1 },
        { area: 'SE4', month: '2024-02', days: 2 },
        { area: 'SE4', month: '2024-03', days: 1 },
      ],
    );
    assert.ok((await store.months('2024-03-01')).every(({ month }) => month !== '2024-03'));
  });

  it('replaces a whole day when its slots have another length', async () => {
    for (const [day, quarters] of [
      ['2026-02-10', 96],
      ['2026-03-29', 92],
      ['2026-10-25', 100],
    ] as const) {
      await store.store(dayPrices('SE3', addDays(day, -1)), 1);
      await store.store(dayPrices('SE3', addDays(day, 1)), 1);
      assert.equal(await store.store(dayPrices('SE3', day, { slotMin: 60 }), 2), 'stored');
      assert.equal((await store.slots({ area: 'SE3', ...dayBounds(day) })).length, quarters / 4);
      assert.equal(await store.store(dayPrices('SE3', day), 3), 'corrected');
      assert.equal((await store.slots({ area: 'SE3', ...dayBounds(day) })).length, quarters);
      assert.equal((await store.slots({ area: 'SE3', ...dayBounds(addDays(day, -1)) })).length, 96);
      assert.equal((await store.slots({ area: 'SE3', ...dayBounds(addDays(day, 1)) })).length, 96);
    }
  });

  it('are read in pages of whole days: at most so many slots, and at least one day', async () => {
    const first = '2025-09-28';
    // Hours until October of 2025, quarters from then on.
    for (let index = 0; index < 6; index += 1)
      await store.store(dayPrices('SE1', addDays(first, index), { slotMin: index < 3 ? 60 : 15 }), 1);
    const range = {
      area: 'SE1',
      from: dayBounds(first).start,
      until: dayBounds(addDays(first, 5)).end,
    } as const;
    const lengthsOf = async (slots: number) => {
      const lengths: number[] = [];
      for (let { from } = range; ; ) {
        const page = await store.page({ ...range, from, slots });
        const last = page.at(-1);
        if (last === undefined) return lengths;
        lengths.push(page.length);
        from = last.end;
      }
    };
    assert.deepEqual(await lengthsOf(200), [3 * 24 + 96, 2 * 96]);
    assert.deepEqual(await lengthsOf(96), [3 * 24, 96, 96, 96]);
    assert.deepEqual(await lengthsOf(30), [24, 24, 24, 96, 96, 96]);
    assert.deepEqual(await lengthsOf(1), [24, 24, 24, 96, 96, 96]);
  });

  it('yields to other tasks between two pages of history', async () => {
    const first = '2024-03-01';
    for (let index = 0; index < 20; index += 1) await store.store(dayPrices('SE2', addDays(first, index)), 1);
    const range = {
      area: 'SE2',
      from: dayBounds(first).start,
      until: dayBounds(addDays(first, 19)).end,
    } as const;
    let yields = 0;
    let isRead = false;
    const others = (async () => {
      for (; !isRead; yields += 1) await setImmediate();
    })();
    let rows = 0;
    // With two rows per day and batch, many pages pass without anything to send or await.
    for await (const batch of readHistory(store, { ...range, resolution: 'day' })) rows += batch.length;
    isRead = true;
    await others;
    assert.equal(rows, 20);
    assert.ok(yields >= 9, `other tasks ran ${yields} times in ten pages`);
  });

  it('keeps the old day when replacing it fails half-way', async () => {
    const day = dayPrices('SE4', '2026-04-10');
    await store.store(day, 1);
    const [first, ...rest] = dayPrices('SE4', '2026-04-10', { eur: () => 0.2 }).slots;
    assert.ok(first !== undefined);
    const twice = { ...day, slots: [first, ...rest, first] };
    await assert.rejects(store.store(twice, 2));
    assert.deepEqual(await store.slots(day), day.slots);
  });

  it('never mixes the slots of two concurrent writers of a day', async () => {
    const hourly = dayPrices('SE1', '2026-05-10', { slotMin: 60, eur: () => 0.3 });
    const quarterly = dayPrices('SE1', '2026-05-10', { eur: (index) => 0.1 + index / 1000 });
    for (let round = 0; round < 10; round += 1) {
      await Promise.all([store.store(hourly, 1), store.store(quarterly, 1), store.store(hourly, 1)]);
      const slots = await store.slots(hourly);
      assert.deepEqual(slots, slots.length === 24 ? hourly.slots : quarterly.slots);
    }
  });

  it('stores a year of quarters of four areas in seconds', async () => {
    let rows = 0;
    for (let day = '2025-01-01'; day <= '2025-12-31'; day = addDays(day, 1))
      for (const area of PRICE_AREAS) {
        const prices = dayPrices(area, day);
        await store.store(prices, 1);
        rows += prices.slots.length;
      }
    assert.equal(rows, 140_160);
    const { count } = await database.queries
      .selectFrom('prices')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('day', '>=', '2025-01-01')
      .where('day', '<=', '2025-12-31')
      .executeTakeFirstOrThrow();
    assert.equal(count, rows);
  });
});
