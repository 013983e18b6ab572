import { plainDecimal, type ScaledPrices } from './decimal.ts';

/** Decimal places between Wh and kWh. */
const WH_PER_KWH_PLACES = 3;

/**
 * Σ price × energy / 1000, exact: whole numbers are summed, and the point is moved afterwards. `energy` is in Wh by slot.
 * Uses numbers while no partial sum can reach 2^53, and bigints otherwise.
 */
export function costOf(prices: ScaledPrices, energy: Float64Array): string {
  const { values, decimals } = prices;
  const sum = values instanceof Float64Array ? numberSum(values, energy) : undefined;
  return plainDecimal(sum ?? bigintSum(values, energy), decimals + WH_PER_KWH_PLACES);
}

function numberSum(values: Float64Array, energy: Float64Array): number | undefined {
  let sum = 0;
  let reach = 0;
  for (let slot = 0; slot < energy.length; slot += 1) {
    const cost = (values[slot] ?? 0) * (energy[slot] ?? 0);
    sum += cost;
    reach += Math.abs(cost);
  }
  return reach <= Number.MAX_SAFE_INTEGER ? sum : undefined;
}

function bigintSum(values: Float64Array | readonly bigint[], energy: Float64Array): bigint {
  let sum = 0n;
  for (let slot = 0; slot < energy.length; slot += 1) {
    const wh = energy[slot] ?? 0;
    if (wh !== 0) sum += BigInt(values[slot] ?? 0) * BigInt(wh);
  }
  return sum;
}
