import { plainDecimal } from './decimal.ts';
import type { CheckedRequest } from './request.ts';
import type { Schedule } from './schedule.ts';

/**
 * What no plan can cost less than: that of the relaxation, which pays no heed to minimum power and steps (see relaxation.ts).
 * For watts, no plan of the same energy. For amperes, no plan that covers the need, so it may take all that has a negative price.
 */
export function lowerBoundOf(
  { prices, kind }: CheckedRequest,
  { order, mostWh }: Schedule,
  { need, total }: { readonly need: number; readonly total: number },
): string {
  const mayTakeMore = kind.type === 'amperes';
  let rest = mayTakeMore ? need : total;
  let sum = 0n;
  for (let rank = 0; rank < order.length; rank += 1) {
    const price = BigInt(prices.values[order[rank] ?? 0] ?? 0);
    const most = mostWh[rank] ?? 0;
    const taken = mayTakeMore && price < 0n ? most : Math.min(most, Math.max(0, rest));
    if (taken === 0) break;
    sum += price * BigInt(taken);
    rest -= taken;
  }
  return plainDecimal(sum, prices.decimals + 3);
}
