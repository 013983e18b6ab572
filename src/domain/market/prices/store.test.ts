import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { makePlace, onEachEngine, type Place } from '../../../../test/kit/databases.ts';
import { DAY_MS, HOUR_MS, QUARTER_MS } from '../../../core/durations.ts';
import { dayBounds } from '../../../core/swedish-days.ts';
import type { Database } from '../../../db/database.ts';
import { PRICE_AREAS } from '../../../sources/contract/market.ts';
import { addDays } from './calendar.ts';
import { costOf, readEnergyCosts } from './energy-cost.ts';
import { readHistory } from './history.ts';
import { createPriceStore, type PriceStore } from './store.ts';
import { dayPrices, pricesOf } from './test-prices.ts';

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

  it('stored prices keeps every figure as text, to its last digit', async () => {
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

  it('stored prices tell the accounts that have a link in the area of a day that is not over', async () => {
    const { queries } = database;
    const { id: account } = await queries
      .insertInto('accounts')
      .values({ email: 'prices@example.com', name: '', tier: 'free', created_at: 1, throttled_until: null })
      .returning('id')
      .executeTakeFirstOrThrow();
    for (const link of ['a', 'b'])
      await queries
        .insertInto('links')
        .values({
          ...{
            account_id: account,
            id: link,
            vendor: 'v',
            vendor_account: link,
            user_ref: 'u',
            status: 'active',
          },
          ...{ status_since: 1, created_at: 1, updated_at: 1, vault_key: '', sealed_credentials: '' },
          price_area: 'SE3',
        })
        .execute();
    const now = Date.parse('2027-03-01T12:00:00Z');
    const day = dayPrices('SE3', '2027-03-02');
    await store.store(day, now);
    await store.store(day, now);
    await store.store({ ...day, slots: day.slots.map((slot) => ({ ...slot, sek: '9' })) }, now);
    await store.store(dayPrices('SE3', '2027-02-27'), now);
    await store.store(dayPrices('SE4', '2027-03-02'), now);
    const events = await queries
      .selectFrom('events')
      .select(['account_id', 'type', 'data_json'])
      .orderBy('id')
      .execute();
    const about = { price_area: 'SE3', day: '2027-03-02', source: 'first' };
    assert.deepEqual(
      events.map(({ account_id, type, data_json }) => [account_id, type, JSON.parse(data_json)]),
      [false, true].map((corrected) => [account, 'prices.published', { ...about, corrected }]),
    );
  });

  it('stored prices marks an unchanged day as checked, and changes nothing else', async () => {
    const day = dayPrices('SE2', '2026-01-10');
    assert.equal(await store.store(day, 5), 'stored');
    assert.equal(await store.store({ ...day, source: 'second', publishedAt: 7 }, 9), 'unchanged');
    const facts = (await store.facts('2026-01-10', '2026-01-10')).find(({ area }) => area === 'SE2');
    assert.deepEqual([facts?.source, facts?.checkedAt, facts?.publishedAt], ['first', 9, null]);
  });

  it('stored prices says which days are stored and whose they are, and how many of each month', async () => {
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

  it('stored prices replaces a whole day when its slots have another length', async () => {
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

  it('stored prices are read in pages of whole days: at most so many slots, and at least one day', async () => {
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

  it('stored prices yields to other tasks between two pages of history', async () => {
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

  it('stored prices keeps the old day when replacing it fails half-way', async () => {
    const day = dayPrices('SE4', '2026-04-10');
    await store.store(day, 1);
    const [first, ...rest] = dayPrices('SE4', '2026-04-10', { eur: () => 0.2 }).slots;
    assert.ok(first !== undefined);
    const twice = { ...day, slots: [first, ...rest, first] };
    await assert.rejects(store.store(twice, 2));
    assert.deepEqual(await store.slots(day), day.slots);
  });

  it('stored prices never mixes the slots of two concurrent writers of a day', async () => {
    const hourly = dayPrices('SE1', '2026-05-10', { slotMin: 60, eur: () => 0.3 });
    const quarterly = dayPrices('SE1', '2026-05-10', { eur: (index) => 0.1 + index / 1000 });
    for (let round = 0; round < 10; round += 1) {
      await Promise.all([store.store(hourly, 1), store.store(quarterly, 1), store.store(hourly, 1)]);
      const slots = await store.slots(hourly);
      assert.deepEqual(slots, slots.length === 24 ? hourly.slots : quarterly.slots);
    }
  });

  it('stored prices stores a year of quarters of four areas in seconds', async () => {
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

const NOON = Date.parse('2026-11-21T12:00:00Z');
const quarter = (index: number, sek: string) => ({
  start: NOON + index * QUARTER_MS,
  end: NOON + (index + 1) * QUARTER_MS,
  sek,
});
const used = (from: number, to: number, wh: number) => ({
  start: NOON + from * QUARTER_MS,
  end: NOON + to * QUARTER_MS,
  wh,
});

describe('the cost of energy', () => {
  it('the cost of energy is its price in the slot, to the last digit', () => {
    const slots = [quarter(0, '0.4213'), quarter(1, '0.1876')];
    assert.deepEqual(costOf([used(0, 1, 2_760), used(1, 2, 7_360)], slots), {
      cost: '2.543524',
      currency: 'SEK',
      missing: [],
    });
    assert.equal(costOf([], slots).cost, '0');
    assert.equal(costOf([used(0, 1, 1)], [quarter(0, '0.00001')]).cost, '0.00000001');
  });

  it('the cost of energy is spread evenly over the slots of a longer time', () => {
    const slots = [quarter(0, '1'), quarter(1, '2'), quarter(2, '4')];
    assert.equal(costOf([used(0, 3, 3_000)], slots).cost, '7');
    assert.equal(costOf([used(0.5, 2.5, 2_000)], slots).cost, '4.5');
    // A moment has the price of its slot.
    assert.equal(costOf([used(2, 2, 1_000)], slots).cost, '4');
  });

  it('the cost of energy has the price of the hour where prices are of hours', () => {
    const hours = [
      { start: NOON, end: NOON + HOUR_MS, sek: '0.5' },
      { start: NOON + HOUR_MS, end: NOON + 2 * HOUR_MS, sek: '1.5' },
    ];
    assert.equal(costOf([used(1, 2, 1_000), used(5, 6, 1_000)], hours).cost, '2');
    assert.equal(costOf([used(3, 5, 1_000)], hours).cost, '1');
  });

  it('the cost of energy is rounded once, half away from zero', () => {
    const slots = [quarter(0, '1'), quarter(1, '0'), quarter(2, '0')];
    assert.equal(costOf([used(0, 3, 1_000)], slots).cost, '0.33333333');
    assert.equal(costOf([used(0, 3, 1_000), used(0, 3, 1_000), used(0, 3, 1_000)], slots).cost, '1');
    const half = [quarter(0, '0.00005')];
    assert.equal(costOf([used(0, 1, 0.1)], half).cost, '0.00000001');
    assert.equal(costOf([used(0, 1, -0.1)], half).cost, '-0.00000001');
    assert.equal(costOf([used(0, 1, -0.01)], half).cost, '0');
  });

  it('the cost of energy earns where the price is negative, or energy is given back', () => {
    const slots = [quarter(0, '-0.03'), quarter(1, '0.5')];
    assert.equal(costOf([used(0, 1, 1_000)], slots).cost, '-0.03');
    assert.equal(costOf([used(1, 2, -1_000)], slots).cost, '-0.5');
    assert.equal(costOf([used(0, 1, -1_000)], slots).cost, '0.03');
  });

  it('the cost of energy is none where a price is missing, and says which', () => {
    const slots = [quarter(0, '1'), quarter(2, '1')];
    const cost = (...energies: Parameters<typeof costOf>[0]) => costOf(energies, slots);
    const span = (from: number, to: number) => ({
      start: NOON + from * QUARTER_MS,
      end: NOON + to * QUARTER_MS,
    });
    assert.deepEqual(cost(used(0, 1, 5), used(1, 2, 5)).missing, [span(1, 2)]);
    assert.equal(cost(used(0, 1, 5), used(1, 2, 5)).cost, null);
    assert.deepEqual(cost(used(-1, 4, 5)).missing, [span(-1, 0), span(1, 2), span(3, 4)]);
    assert.deepEqual(cost(used(4, 5, 5), used(3, 4, 5)).missing, [span(3, 5)]);
    // Nothing was used there.
    assert.equal(cost(used(0, 1, 1_000), used(1, 2, 0)).cost, '1');
  });

  it('the cost of energy of whole watt-hours is the sum of its slots, however they are grouped', () => {
    const whole = fc.array(
      fc.record({
        price: fc.integer({ min: -100_000, max: 900_000 }),
        wh: fc.integer({ min: 0, max: 50_000 }),
      }),
      { minLength: 1, maxLength: 100 },
    );
    const units = (cost: string | null) => BigInt(Math.round(Number(cost) * 1e8));
    fc.assert(
      fc.property(whole, (all) => {
        const slots = all.map(({ price }, index) => quarter(index, String(price / 100_000)));
        const energies = all.map(({ wh }, index) => used(index, index + 1, wh));
        const expected = all.reduce((sum, { price, wh }) => sum + BigInt(price) * BigInt(wh), 0n);
        assert.equal(units(costOf(energies, slots).cost), expected);
        const single = energies.reduce((sum, energy) => sum + units(costOf([energy], slots).cost), 0n);
        assert.equal(single, expected);
      }),
    );
  });
});

describe('the cost of energy over many months', () => {
  it('the cost of energy over many months is read in parts, and counts no slot twice when a day gets shorter slots meanwhile', async () => {
    const pages: number[] = [];
    const store: Pick<PriceStore, 'between'> = {
      async between({ from, until }) {
        pages.push(until - from);
        const length = pages.length === 1 ? HOUR_MS : QUARTER_MS;
        const first = Math.floor(from / length) * length;
        return Array.from({ length: Math.ceil((until - first) / length) }, (_, index) => ({
          start: first + index * length,
          end: first + (index + 1) * length,
          sek: length === HOUR_MS ? '1' : String(2 + ((first / length + index) % 2)),
        }));
      },
    };
    const [start, end] = [NOON + QUARTER_MS, NOON + QUARTER_MS + 70 * DAY_MS];
    const [cost] = await readEnergyCosts(store, { area: 'SE3', energies: [[{ start, end, wh: 7_000 }]] });
    // The hour in which the second part begins has the price of the first: 2,979 quarters of 6,720, then 2 and 3 in turn.
    assert.equal(cost?.cost, '12.84479167');
    assert.deepEqual(pages, [31 * DAY_MS, 31 * DAY_MS, 8 * DAY_MS]);
  });
});

onEachEngine('the cost of energy at stored prices', (engine) => {
  let place: Place;
  let database: Database;
  before(async () => {
    place = await makePlace(engine);
    database = await place.open();
    const store = createPriceStore(database);
    // Half a krona before the clocks change in the night of the 25th, and one and a half from then on.
    const eur = (slotMin: number) => (index: number) => (index * slotMin < 120 ? 0.5 : 1.5) / 11;
    for (const [day, slotMin] of [
      ['2026-10-25', 15],
      ['2026-03-29', 60],
    ] as const)
      await store.store(dayPrices('SE3', day, { slotMin, eur: eur(slotMin) }), 1);
    await store.store(dayPrices('SE3', '2026-10-26', { slotMin: 60, eur: () => -0.1 / 11 }), 1);
  });
  after(async () => {
    await database.close();
    await place.remove();
  });

  it('the cost of energy at stored prices knows days of 23 and 25 hours, hours and quarters, and what is not stored', async () => {
    const { prices } = await pricesOf(database, { mayFetch: false });
    try {
      const all = (day: string, hours: number) => {
        const { start, end } = dayBounds(day);
        assert.equal(end - start, hours * HOUR_MS);
        return Array.from({ length: hours * 4 }, (_, index) => ({
          start: start + index * QUARTER_MS,
          end: start + (index + 1) * QUARTER_MS,
          wh: 250,
        }));
      };
      const [short, long] = [all('2026-03-29', 23), all('2026-10-25', 25)];
      const costs = await prices.energyCosts({ area: 'SE3', energies: [long, short, [...short, ...long]] });
      assert.deepEqual(
        costs.map(({ cost }) => cost),
        ['35.5', '32.5', '68'],
      );
      const { end } = dayBounds('2026-10-25');
      // From a day of quarters into one of hours.
      const over = [{ start: end - QUARTER_MS, end: end + QUARTER_MS, wh: 2_000 }];
      assert.equal((await prices.energyCost({ area: 'SE3', energy: over })).cost, '1.4');
      const within = [{ start: end + QUARTER_MS, end: end + 2 * QUARTER_MS, wh: 1_000 }];
      assert.equal((await prices.energyCost({ area: 'SE3', energy: within })).cost, '-0.1');
      assert.deepEqual(await prices.energyCost({ area: 'SE4', energy: within }), {
        cost: null,
        currency: 'SEK',
        missing: [{ start: end + QUARTER_MS, end: end + 2 * QUARTER_MS }],
      });
    } finally {
      await prices.close();
    }
  });

  it('the cost of energy at stored prices reads many months in parts, each slot once', async () => {
    const store = createPriceStore(database);
    const { start, end } = dayBounds('2026-10-25');
    const slots = await store.between({ area: 'SE3', from: start + 1, until: end - 1 });
    assert.equal(slots.length, 100);
    assert.deepEqual(
      await store.between({ area: 'SE3', from: end + 36 * HOUR_MS, until: end + 37 * HOUR_MS }),
      [],
    );
    const { prices } = await pricesOf(database, { mayFetch: false });
    try {
      const first = dayBounds('2026-03-29').start;
      const { cost, missing } = await prices.energyCost({
        area: 'SE3',
        energy: [{ start: first, end, wh: 1_000 }],
      });
      assert.equal(cost, null);
      assert.deepEqual(missing, [{ start: dayBounds('2026-03-29').end, end: start }]);
    } finally {
      await prices.close();
    }
  });
});
