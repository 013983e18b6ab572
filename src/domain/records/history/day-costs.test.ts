import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MINUTE_MS, QUARTER_MS } from '../../../core/durations.ts';
import type { Energy, EnergyCost, EnergyCostQuery } from '../../market/prices/index.ts';
import type { Covered } from './buckets.ts';
import { createDayCosts } from './day-costs.ts';
import { addStored, newPart } from './day-parts.ts';
import { costsOf } from './read.ts';

const START = Date.parse('2026-11-20T23:00:00Z');
const DAY = { start: START, end: START + 96 * QUARTER_MS };
const FIRST = START / QUARTER_MS;

/** 0.1 and 0.2 kronor in turn, from four hours before the day until its 40th quarter; öre per kWh. */
const priceAt = (at: number): number | undefined => {
  const index = Math.floor((at - START) / QUARTER_MS);
  return index < -16 || index >= 40 ? undefined : index % 2 === 0 ? 10 : 20;
};

/** In whole minutes, which the energies of these tests begin and end at. */
function costOf(energies: readonly Energy[]): EnergyCost {
  let [units, pricedWh] = [0, 0];
  const missing: { start: number; end: number }[] = [];
  for (const { start, end, wh } of energies) {
    if (wh === 0) continue;
    const minutes = Array.from(
      { length: (end - start) / MINUTE_MS },
      (_, index) => start + index * MINUTE_MS,
    );
    const gaps = minutes.filter((at) => priceAt(at) === undefined);
    missing.push(...gaps.map((at) => ({ start: at, end: at + MINUTE_MS })));
    if (gaps.length > 0) continue;
    pricedWh += wh;
    for (const at of minutes) units += (wh * (priceAt(at) ?? 0)) / minutes.length;
  }
  const cost = String(Math.round(units * 1_000) / 1e8);
  const isWhole = missing.length === 0;
  const known = isWhole || pricedWh !== 0 ? { cost, wh: pricedWh } : null;
  return { cost: isWhole ? cost : null, currency: 'SEK', known, missing };
}
const prices = {
  energyCosts: async ({ energies }: EnergyCostQuery) => energies.map(costOf),
};
const quarterOf = (index: number, wh: number | null, late: Covered['late'] = null): Covered => ({
  ...{ quarter: FIRST + index, covered: 900, late },
  values: { energy_wh: wh },
});
/** As it is stored. */
function partsOf(quarters: readonly Covered[]) {
  const part = newPart();
  const known = quarters.filter(({ values }) => values.energy_wh !== null);
  const late = known.flatMap(({ quarter, late }) =>
    late === null ? [] : [`${quarter} ${late.wh} ${late.seconds ?? ''}`],
  );
  const energies = known.map(({ quarter, values }) => `${quarter} ${values.energy_wh}`);
  const text = (entries: readonly string[]) => (entries.length === 0 ? null : entries.join(','));
  addStored(part, { energies: text(energies), late: text(late), powers: 0, back_ws: null });
  return [part];
}
const pricedOf = (quarters: readonly Covered[], area: 'SE3' | null = 'SE3') => ({
  ...{ points: [DAY], quarters, area, deviceType: 'charger' },
});
const oneByOne = async (quarters: readonly Covered[]) => {
  const [one] = await costsOf([pricedOf(quarters)], prices);
  return one?.[0]?.cost ?? null;
};

describe('the costs of a day', () => {
  it('the costs of a day are those of the devices one by one, added up', async () => {
    const devices = [
      [quarterOf(0, 1_000), quarterOf(1, 500)],
      [quarterOf(0, 0), quarterOf(1, 333), quarterOf(39, 7)],
      // What was counted before midnight has the prices of then.
      [quarterOf(0, 900, { wh: 600, seconds: 1_800 }), quarterOf(50, 0)],
      [quarterOf(5, 0)],
    ];
    const costs = createDayCosts(prices, DAY);
    for (const quarters of devices) await costs.take('SE3', partsOf(quarters));
    const sum = (await Promise.all(devices.map(oneByOne))).reduce((all, cost) => all + Number(cost), 0);
    const { amount, ...rest } = await costs.total();
    assert.equal(Number(amount), Math.round(sum * 1e8) / 1e8);
    assert.equal(amount, '0.388');
    assert.deepEqual(rest, {
      ...{ devices: 4, of: 4, unknown: {} },
      priced: { cost: '0.388', wh: 2_740 },
    });
  });

  it('the known part of a cost is that of all energy with a price, of one device and of all', async () => {
    const devices = [
      // 700 Wh were counted in a gap: the rest has its price.
      [quarterOf(0, 1_000), quarterOf(1, 900, { wh: 700, seconds: null })],
      // No price is stored of the last.
      [quarterOf(1, 500), quarterOf(45, 300)],
      [quarterOf(0, 100)],
    ];
    const costs = createDayCosts(prices, DAY);
    for (const quarters of devices) await costs.take('SE3', partsOf(quarters));
    const { amount, priced, unknown } = await costs.total();
    assert.deepEqual([amount, unknown], ['0.01', { counted_in_gap: 1, no_price: 1 }]);
    assert.deepEqual(priced, { cost: '0.25', wh: 1_800 });
    const one = async (quarters: readonly Covered[], area: 'SE3' | null = 'SE3') =>
      (await costsOf([pricedOf(quarters, area)], prices))[0]?.[0];
    assert.deepEqual(await one(devices[0] ?? []), {
      cost: null,
      missing: '700 Wh were counted in a gap, so when is not known',
      known: { cost: '0.14', wh: 1_200 },
    });
    assert.deepEqual((await one(devices[1] ?? []))?.known, { cost: '0.1', wh: 500 });
    assert.deepEqual((await one(devices[2] ?? []))?.known, { cost: '0.01', wh: 100 });
    const unknownTimes = [quarterOf(1, 700, { wh: 700, seconds: null })];
    for (const nothing of [await one(unknownTimes), await one(devices[0] ?? [], null)])
      assert.deepEqual([nothing?.cost, nothing?.known], [null, null]);
  });

  it('the costs of a day leave out a device of which a part is not known, and say why', async () => {
    const costs = createDayCosts(prices, DAY);
    await costs.take('SE3', partsOf([quarterOf(0, 1_000), quarterOf(45, 1)]));
    await costs.take('SE3', partsOf([quarterOf(2, 1_000, { wh: 1, seconds: null })]));
    await costs.take(null, partsOf([quarterOf(0, 1_000)]));
    await costs.take('SE3', partsOf([quarterOf(0, null)]));
    await costs.take('SE3', partsOf([]));
    await costs.take('SE3', partsOf([quarterOf(0, 1_000, { wh: 500, seconds: 20_000 })]));
    assert.deepEqual(await costs.total(), {
      ...{ amount: null, devices: 0, of: 6, priced: { cost: '0.2499', wh: 2_499 } },
      unknown: { no_price: 2, counted_in_gap: 1, no_price_area: 1, energy_not_known: 2 },
    });
  });
});
