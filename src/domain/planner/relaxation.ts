import { domainAt, type Market, priceAt } from './market.ts';

/** The plan that ignores minimum power: the cheapest slots full, and the rest in one slot. */
export interface Relaxation<C> {
  /** No plan of this total costs less (relative to the market's cheapest price). */
  readonly cost: C;
  /** The partly filled slot; lower ranks are full, later ones off. */
  readonly rank: number;
}

/**
 * A lower bound on the cost of any plan with this total, in O(n).
 *
 * With 0 ≤ x ≤ h in place of x ∈ {0} ∪ [l, h] there are only more plans to choose from, so the cheapest of them costs no more.
 * Among them it is best to fill slots in order of price (an exchange: energy in a dearer slot moves to a cheaper one).
 */
export function relaxed<C>(market: Market<C>, total: number): Relaxation<C> {
  const { arithmetic, count } = market;
  let cost = arithmetic.zero;
  let rest = total;
  for (let rank = 0; rank < count; rank += 1) {
    const { maxWh } = domainAt(market, rank);
    const taken = Math.min(maxWh, rest);
    cost = arithmetic.add(cost, arithmetic.times(priceAt(market, rank), taken));
    rest -= taken;
    if (rest === 0) return { cost, rank };
  }
  return { cost, rank: Math.max(0, count - 1) };
}
