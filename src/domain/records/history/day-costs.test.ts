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
  let units = 0;
  const missing: { start: number; end: number }[] = [];
  for (const { start, end, wh } of energies)
    for (let at = start; at < end && wh !== 0; at += MINUTE_MS) {
      const price = priceAt(at);
      if (price === undefined) missing.push({ start: at, end: at + MINUTE_MS });
      else units += (wh * price * MINUTE_MS) / (end - start);
    }
  const cost = missing.length === 0 ? String(Math.round(units * 1_000) / 1e8) : null;
  return { cost, currency: 'SEK', missing };
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
const oneByOne = async (quarters: readonly Covered[]) => {
  const [one] = await costsOf([DAY], quarters, { prices, area: 'SE3', deviceType: 'charger' });
  return one?.cost ?? null;
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
    assert.deepEqual(rest, { devices: 4, of: 4, unknown: {} });
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
      ...{ amount: null, devices: 0, of: 6 },
      unknown: { no_price: 2, counted_in_gap: 1, no_price_area: 1, energy_not_known: 2 },
    });
  });
});
