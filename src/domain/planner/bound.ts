import { plainDecimal } from './decimal.ts';
import type { CheckedRequest } from './request.ts';
import type { Schedule } from './schedule.ts';

/**
 * A lower bound on the cost: that of the relaxation, which ignores minimum power and steps (see relaxation.ts).
 * For watts, no plan of the same energy. For amperes, no plan that covers the need with as many ampere-minutes: its energies,
 * rounded down, add up to something between the need and what these are worth.
 */
export function lowerBoundOf(
  { prices, kind, minutes }: CheckedRequest,
  { order, mostWh, powers }: Schedule,
  { need, total }: { readonly need: number; readonly total: number },
): string {
  const isAmperes = kind.type === 'amperes';
  const least = isAmperes ? need : total;
  const exact = powers.reduce((sum, power, slot) => sum + power * (minutes[slot] ?? 0), 0) / 60;
  const most = isAmperes ? Math.floor(exact) : total;
  let taken = 0;
  let sum = 0n;
  for (let rank = 0; rank < order.length; rank += 1) {
    const price = BigInt(prices.values[order[rank] ?? 0] ?? 0);
    const wh = Math.min(mostWh[rank] ?? 0, (price < 0n ? most : least) - taken);
    if (wh <= 0) break;
    sum += price * BigInt(wh);
    taken += wh;
  }
  return plainDecimal(sum, prices.decimals + 3);
}
