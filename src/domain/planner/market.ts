import { type Arithmetic, BIGINTS, NUMBERS } from './arithmetic.ts';
import type { ScaledPrices } from './decimal.ts';
import type { Domain } from './domains.ts';

/**
 * The slots that may be used, by rank: rank 0 is the first by (price, index). A solver decides a size for each rank, out of
 * its domain; sizes add up to a target. Prices are differences to the cheapest one: with a fixed sum a constant added to all
 * prices changes no choice.
 */
export interface Market<C> {
  readonly count: number;
  readonly domains: readonly Domain[];
  /** Which domain a rank has. */
  readonly domainOf: Int32Array;
  readonly prices: ArrayLike<C>;
  readonly arithmetic: Arithmetic<C>;
}

/** A market of either kind; `open` runs a solver on it. */
export type AnyMarket =
  | { readonly exact: 'number'; readonly market: Market<number> }
  | { readonly exact: 'bigint'; readonly market: Market<bigint> };

interface MarketOptions {
  readonly prices: ScaledPrices;
  /** Slot by rank. */
  readonly order: Int32Array;
  readonly domains: readonly Domain[];
  readonly domainOf: Int32Array;
  /** No solver's total passes it, in Wh. */
  readonly mostWh: number;
}

export function marketOf(options: MarketOptions): AnyMarket {
  const { prices, order, domains, domainOf, mostWh } = options;
  const { values } = prices;
  const count = order.length;
  const common = { count, domains, domainOf };
  const cheapest = values[order[0] ?? 0] ?? 0;
  const dearest = values[order[count - 1] ?? 0] ?? 0;
  const span = Number(dearest) - Number(cheapest);
  if (values instanceof Float64Array && span * 4 * Math.max(mostWh, count) < Number.MAX_SAFE_INTEGER) {
    const differences = Float64Array.from(order, (slot) => (values[slot] ?? 0) - Number(cheapest));
    return { exact: 'number', market: { ...common, prices: differences, arithmetic: NUMBERS } };
  }
  const differences = Array.from(order, (slot) => BigInt(values[slot] ?? 0) - BigInt(cheapest));
  return { exact: 'bigint', market: { ...common, prices: differences, arithmetic: BIGINTS } };
}

/** The price of a rank; every rank of a market has one. */
export function priceAt<C>({ prices, arithmetic }: Market<C>, rank: number): C {
  return prices[rank] ?? arithmetic.zero;
}

export function domainAt({ domains, domainOf }: Market<unknown>, rank: number): Domain {
  const domain = domains[domainOf[rank] ?? 0];
  if (domain === undefined) throw new Error(`rank ${rank} has no domain`);
  return domain;
}
