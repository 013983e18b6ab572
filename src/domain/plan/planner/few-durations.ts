import type { Domain } from './domains.ts';
import { domainAt, type Market, priceAt } from './market.ts';

/** Most candidates to enumerate. A count, not a time, so that every machine gives the same plan. */
const MOST_CANDIDATES = 150_000;
const CANDIDATES_A_STEP = 5_000;

interface Target {
  readonly need: number;
  readonly room: number;
}

/** A number of slots per duration that are on, with the energy above their minimum. */
interface Candidate<C> {
  readonly counts: readonly number[];
  /** The first rank that is on and not full (past the last when all are); it takes `part` above its minimum, later ones nothing. */
  readonly boundary: number;
  readonly part: number;
  readonly cost: C;
}

/**
 * Slots of a few durations: enumerates every useful choice.
 *
 * Lemma. For slots whose sizes are 0 or any whole number from l to h of their duration, some cheapest choice (a) has within
 * each duration the cheapest slots on, (b) given the slots that are on, has l in each and the rest handed out in order of
 * price, and (c) stays below D + h when any slot that is on, of largest size h, is full with all others.
 *
 * Proof. (a), (b): the exchanges of the one-duration lemma. (c): if the dearest slot that is on can be dropped and the others
 * still hold D, drop it: their minimum is less, and its energy moves to slots that cost no more. ∎
 *
 * So a choice is a count for each duration, and by (c) the most numerous duration has only about h_max/h + 1 counts left once
 * the others are chosen. Prefix sums and a binary search over the ranks give the cost of a candidate.
 *
 * Undefined when there are too many candidates.
 */
export function* planFewDurations<C>(
  market: Market<C>,
  target: Target,
): Generator<void, Float64Array | undefined> {
  const search = new Search(market);
  const total = yield* search.reachableTotal(target);
  if (total === undefined) return undefined;
  const best = yield* search.cheapest(total);
  return best === undefined ? undefined : search.sizesOf(best);
}

/** Counts of the other durations, with their least and most energy. */
interface Chosen {
  readonly counts: readonly number[];
  readonly least: number;
  readonly most: number;
}

class Search<C> {
  readonly #market: Market<C>;
  /** Durations, the most numerous last. */
  readonly #domains: readonly Domain[];
  /** Slots of each duration. */
  readonly #sizes: readonly number[];
  /** For each duration, the sum of its cheapest prices, by how many. */
  readonly #prefixes: readonly (readonly C[])[];
  /** For each duration, how many of its slots have a rank below this one. */
  readonly #before: readonly Int32Array[];
  readonly #largest: number;
  #looked = 0;

  constructor(market: Market<C>) {
    this.#market = market;
    const { domains, domainOf, count, arithmetic } = market;
    const counted = domains.map((domain, at) => ({ domain, at, slots: 0 }));
    for (let rank = 0; rank < count; rank += 1) {
      const entry = counted[domainOf[rank] ?? 0];
      if (entry !== undefined) entry.slots += 1;
    }
    const sorted = counted.toSorted((a, b) => a.slots - b.slots);
    this.#domains = sorted.map(({ domain }) => domain);
    this.#sizes = sorted.map(({ slots }) => slots);
    this.#largest = Math.max(...domains.map(({ max }) => max));
    const prefixes: C[][] = sorted.map(() => [arithmetic.zero]);
    const before = sorted.map(() => new Int32Array(count + 1));
    const placeOf = new Map(sorted.map(({ at }, place) => [at, place]));
    for (let rank = 0; rank < count; rank += 1) {
      const place = placeOf.get(domainOf[rank] ?? 0) ?? 0;
      const sums = prefixes[place] ?? [];
      sums.push(arithmetic.add(sums[sums.length - 1] ?? arithmetic.zero, priceAt(market, rank)));
      for (const [other, table] of before.entries())
        table[rank + 1] = (table[rank] ?? 0) + (other === place ? 1 : 0);
    }
    this.#prefixes = prefixes;
    this.#before = before;
  }

  /** The need if it can be reached, else the least total above it that fits, else the largest below; see the gap lemma. */
  *reachableTotal({ need, room }: Target): Generator<void, number | undefined> {
    const last = this.#last();
    let above = Number.POSITIVE_INFINITY;
    let below = 0;
    for (const { least, most } of this.#choices(need)) {
      if (this.#isSpent()) return undefined;
      if (this.#looked % CANDIDATES_A_STEP === 0) yield;
      const wanted = Math.max(0, Math.ceil((need - most) / last.domain.max));
      if (wanted <= last.slots) {
        const reached = least + wanted * last.domain.min;
        if (reached <= need) return need;
        above = Math.min(above, reached);
      }
      const fewer = Math.min(last.slots, wanted - 1);
      if (fewer >= 0) below = Math.max(below, most + fewer * last.domain.max);
    }
    return above <= room ? above : below;
  }

  *cheapest(total: number): Generator<void, Candidate<C> | undefined> {
    const last = this.#last();
    let best: Candidate<C> | undefined;
    for (const { counts, least, most } of this.#choices(total)) {
      const fewest = Math.max(0, Math.ceil((total - most) / last.domain.max));
      for (let count = fewest; count <= last.slots; count += 1) {
        const low = least + count * last.domain.min;
        const high = most + count * last.domain.max;
        if (low > total || high >= total + this.#largest) break;
        const candidate = this.#candidate([...counts, count], total - low);
        if (best === undefined || this.#isBetter(candidate, best)) best = candidate;
        this.#looked += 1;
        if (this.#looked % CANDIDATES_A_STEP === 0) yield;
      }
      if (this.#isSpent()) return undefined;
    }
    return best;
  }

  sizesOf(candidate: Candidate<C>): Float64Array {
    return Float64Array.from({ length: this.#market.count }, (_, rank) => this.#sizeAt(candidate, rank));
  }

  #last(): { domain: Domain; slots: number } {
    const domain = this.#domains[this.#domains.length - 1];
    if (domain === undefined) throw new Error('a market without slots has no durations');
    return { domain, slots: this.#sizes[this.#sizes.length - 1] ?? 0 };
  }

  #isSpent(): boolean {
    return this.#looked > MOST_CANDIDATES;
  }

  /** All counts of all durations but the last that can belong to a cheapest choice of `total`. */
  *#choices(total: number): Generator<Chosen> {
    yield* this.#extend({ counts: [], least: 0, most: 0 }, total);
  }

  *#extend(chosen: Chosen, total: number): Generator<Chosen> {
    const place = chosen.counts.length;
    const domain = this.#domains[place];
    if (domain === undefined || place === this.#domains.length - 1) {
      this.#looked += 1;
      yield chosen;
      return;
    }
    const slots = this.#sizes[place] ?? 0;
    for (let count = 0; count <= slots; count += 1) {
      const most = chosen.most + count * domain.max;
      if (most >= total + this.#largest || this.#isSpent()) return;
      const least = chosen.least + count * domain.min;
      yield* this.#extend({ counts: [...chosen.counts, count], least, most }, total);
    }
  }

  /** The cost of these counts with `rest` distributed above the minimum in order of rank. */
  #candidate(counts: readonly number[], rest: number): Candidate<C> {
    let [low, high] = [0, this.#market.count];
    // The first slot that is on and does not become full.
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#spare(counts, middle + 1) <= rest) low = middle + 1;
      else high = middle;
    }
    const boundary = low;
    const part = rest - this.#spare(counts, boundary);
    return { counts, boundary, part, cost: this.#costOf(counts, boundary, part) };
  }

  /** Energy above the minimum of slots that are on and rank below `end`. */
  #spare(counts: readonly number[], end: number): number {
    let spare = 0;
    for (let place = 0; place < counts.length; place += 1) {
      const domain = this.#domains[place];
      const on = Math.min(counts[place] ?? 0, this.#before[place]?.[end] ?? 0);
      if (domain !== undefined) spare += on * (domain.max - domain.min);
    }
    return spare;
  }

  #costOf(counts: readonly number[], boundary: number, part: number): C {
    const { arithmetic } = this.#market;
    let cost = arithmetic.times(priceAt(this.#market, boundary), part);
    for (let place = 0; place < counts.length; place += 1) {
      const domain = this.#domains[place];
      const sums = this.#prefixes[place];
      const count = counts[place] ?? 0;
      const full = sums?.[Math.min(count, this.#before[place]?.[boundary] ?? 0)];
      const all = sums?.[count];
      if (domain === undefined || full === undefined || all === undefined) continue;
      cost = arithmetic.add(cost, arithmetic.times(all, domain.min));
      cost = arithmetic.add(cost, arithmetic.times(full, domain.max - domain.min));
    }
    return cost;
  }

  /** Cheaper, or as cheap with more in the first rank where the two differ. */
  #isBetter(one: Candidate<C>, other: Candidate<C>): boolean {
    const compared = this.#market.arithmetic.compare(one.cost, other.cost);
    if (compared !== 0) return compared < 0;
    // Two choices can differ first only where one of them ends in a duration, or at the boundary of one.
    const ranks = [one.boundary, other.boundary];
    for (const [place, own] of one.counts.entries()) {
      const fewer = Math.min(own, other.counts[place] ?? 0);
      if (own !== other.counts[place]) ranks.push(this.#rankOf(place, fewer));
    }
    const { count } = this.#market;
    for (const rank of ranks.filter((one) => one < count).toSorted((a, b) => a - b)) {
      const difference = this.#sizeAt(one, rank) - this.#sizeAt(other, rank);
      if (difference !== 0) return difference > 0;
    }
    return false;
  }

  /** The rank of a duration's slot, by its place among the slots of that duration. */
  #rankOf(place: number, index: number): number {
    const table = this.#before[place] ?? new Int32Array(0);
    let [low, high] = [0, this.#market.count];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((table[middle + 1] ?? 0) > index) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #sizeAt({ counts, boundary, part }: Candidate<C>, rank: number): number {
    const domain = domainAt(this.#market, rank);
    const place = this.#domains.indexOf(domain);
    const isOn = (this.#before[place]?.[rank] ?? 0) < (counts[place] ?? 0);
    if (!isOn) return 0;
    if (rank < boundary) return domain.max;
    return domain.min + (rank === boundary ? part : 0);
  }
}
