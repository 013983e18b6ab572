import { type Arithmetic, BIGINTS, NUMBERS, type ScaledPrices } from './decimal.ts';

import { type Domain, isInterval } from './domains.ts';

/**
 * The slots that may be used, by rank: rank 0 is the first by (price, index). A solver decides a size for each rank, out of
 * its domain; sizes add up to a target.
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
type AnyMarket =
  | { readonly exact: 'number'; readonly market: Market<number> }
  | { readonly exact: 'bigint'; readonly market: Market<bigint> };

interface MarketOptions {
  readonly prices: ScaledPrices;
  /** Slot by rank. */
  readonly order: Int32Array;
  readonly domains: readonly Domain[];
  readonly domainOf: Int32Array;
  /** Upper bound on any solver's total, Wh. */
  readonly mostWh: number;
  /** All compared plans have the same energy, so subtracting a constant from all prices changes no choice. */
  readonly isSumFixed: boolean;
}

export function marketOf(options: MarketOptions): AnyMarket {
  const { prices, order, domains, domainOf, mostWh, isSumFixed } = options;
  const { values } = prices;
  const count = order.length;
  const common = { count, domains, domainOf };
  const cheapest = values[order[0] ?? 0] ?? 0;
  const dearest = values[order[count - 1] ?? 0] ?? 0;
  const base = isSumFixed ? cheapest : 0;
  const span = Math.max(Math.abs(Number(cheapest) - Number(base)), Math.abs(Number(dearest) - Number(base)));
  if (values instanceof Float64Array && span * 4 * Math.max(mostWh, count) < Number.MAX_SAFE_INTEGER) {
    const differences = Float64Array.from(order, (slot) => (values[slot] ?? 0) - Number(base));
    return { exact: 'number', market: { ...common, prices: differences, arithmetic: NUMBERS } };
  }
  const differences = Array.from(order, (slot) => BigInt(values[slot] ?? 0) - BigInt(base));
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

interface Pruned<C> {
  readonly market: Market<C>;
  /** Rank in the whole market, by rank in this one. */
  readonly ranks: Int32Array;
}

/**
 * The slots that some cheapest plan of at most `total` may use: of each duration only so many of the cheapest.
 *
 * A slot that is on can be exchanged for a cheaper one of its duration that is off, so the slots that are on are the cheapest of
 * their duration. At least l each, they are at most ⌊total/l⌋; where a slot can take any whole size up to h, ⌈total/h⌉ are enough
 * by the lemma for one duration.
 */
export function pruned<C>(market: Market<C>, total: number): Pruned<C> {
  const { count, domains, domainOf, arithmetic } = market;
  const left = domains.map((domain) => {
    const byLeast = domain.min > 0 ? Math.floor(total / domain.min) : count;
    const isFree = isInterval(domain) && domain.min > 0;
    return isFree ? Math.min(byLeast, Math.ceil(total / domain.max)) : byLeast;
  });
  const kept: number[] = [];
  for (let rank = 0; rank < count; rank += 1) {
    const domain = domainOf[rank] ?? 0;
    const free = left[domain] ?? 0;
    if (free === 0) continue;
    left[domain] = free - 1;
    kept.push(rank);
  }
  const ranks = Int32Array.from(kept);
  const prices = arithmetic.array(ranks.length);
  for (const [at, rank] of kept.entries()) prices[at] = priceAt(market, rank);
  const small = {
    ...market,
    count: ranks.length,
    domainOf: ranks.map((rank) => domainOf[rank] ?? 0),
    prices,
  };
  return { market: small, ranks };
}

/** Sizes by rank of a pruned market as sizes by rank of the whole one. */
export function unpruned({ ranks }: Pruned<unknown>, sizes: Float64Array, count: number): Float64Array {
  const all = new Float64Array(count);
  for (const [at, rank] of ranks.entries()) all[rank] = sizes[at] ?? 0;
  return all;
}
