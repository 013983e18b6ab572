import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { makePlace, onEachEngine, type Place } from '../../../test/kit/databases.ts';
import { DAY_MS, HOUR_MS, QUARTER_MS } from '../../core/durations.ts';
import { dayBounds } from '../../core/swedish-days.ts';
import type { Database } from '../../db/database.ts';
import { costOf, readEnergyCosts } from './energy-cost.ts';
import { createPriceStore, type PriceStore } from './store.ts';
import { dayPrices, pricesOf } from './test-prices.ts';

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
  it('is its price in the slot, to the last digit', () => {
    const slots = [quarter(0, '0.4213'), quarter(1, '0.1876')];
    assert.deepEqual(costOf([used(0, 1, 2_760), used(1, 2, 7_360)], slots), {
      cost: '2.543524',
      currency: 'SEK',
      missing: [],
    });
    assert.equal(costOf([], slots).cost, '0');
    assert.equal(costOf([used(0, 1, 1)], [quarter(0, '0.00001')]).cost, '0.00000001');
  });

  it('is spread evenly over the slots of a longer time', () => {
    const slots = [quarter(0, '1'), quarter(1, '2'), quarter(2, '4')];
    assert.equal(costOf([used(0, 3, 3_000)], slots).cost, '7');
    assert.equal(costOf([used(0.5, 2.5, 2_000)], slots).cost, '4.5');
    // A moment has the price of its slot.
    assert.equal(costOf([used(2, 2, 1_000)], slots).cost, '4');
  });

  it('has the price of the hour where prices are of hours', () => {
    const hours = [
      { start: NOON, end: NOON + HOUR_MS, sek: '0.5' },
      { start: NOON + HOUR_MS, end: NOON + 2 * HOUR_MS, sek: '1.5' },
    ];
    assert.equal(costOf([used(1, 2, 1_000), used(5, 6, 1_000)], hours).cost, '2');
    assert.equal(costOf([used(3, 5, 1_000)], hours).cost, '1');
  });

  it('is rounded once, half away from zero', () => {
    const slots = [quarter(0, '1'), quarter(1, '0'), quarter(2, '0')];
    assert.equal(costOf([used(0, 3, 1_000)], slots).cost, '0.33333333');
    assert.equal(costOf([used(0, 3, 1_000), used(0, 3, 1_000), used(0, 3, 1_000)], slots).cost, '1');
    const half = [quarter(0, '0.00005')];
    assert.equal(costOf([used(0, 1, 0.1)], half).cost, '0.00000001');
    assert.equal(costOf([used(0, 1, -0.1)], half).cost, '-0.00000001');
    assert.equal(costOf([used(0, 1, -0.01)], half).cost, '0');
  });

  it('earns where the price is negative, or energy is given back', () => {
    const slots = [quarter(0, '-0.03'), quarter(1, '0.5')];
    assert.equal(costOf([used(0, 1, 1_000)], slots).cost, '-0.03');
    assert.equal(costOf([used(1, 2, -1_000)], slots).cost, '-0.5');
    assert.equal(costOf([used(0, 1, -1_000)], slots).cost, '0.03');
  });

  it('is none where a price is missing, and says which', () => {
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

  it('of whole watt-hours is the sum of its slots, however they are grouped', () => {
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
  it('is read in parts, and counts no slot twice when a day gets shorter slots meanwhile', async () => {
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

  it('knows days of 23 and 25 hours, hours and quarters, and what is not stored', async () => {
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

  it('reads many months in parts, each slot once', async () => {
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
