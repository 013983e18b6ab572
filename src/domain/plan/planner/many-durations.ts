import type { Piece } from './domains.ts';
import { type Band, cellsOf, OFF, type Solved, type Stage, solve } from './dynamic-programme.ts';
import { domainAt, type Market, priceAt } from './market.ts';
import { prefixAndOne } from './prefix-and-one.ts';

/** Most cells of one dynamic programme. A count, not a time, so that every machine gives the same plan. */
export const MOST_CELLS = 6_000_000;
/** Up to so many cells the whole programme is solved directly. */
const SMALL_CELLS = 400_000;
/** Wh below the need. */
const NEARLY = 64;
/** Searches near the break: each with twice the slots on either side, and four times the sizes to leave full or least by. */
export const ATTEMPTS = 6;
const FIRST_REACH = 2;
const FIRST_WIDTH = 64;

interface Target {
  readonly need: number;
  readonly room: number;
}

export interface Found {
  /** By rank. */
  readonly sizes: Float64Array;
  /** No plan that keeps the same rules costs less. */
  readonly isProven: boolean;
}

/**
 * Slots of many durations, or of durations whose energies have gaps. Choosing them is a subset-sum problem, NP-hard in general.
 *
 * Small ones go to the dynamic programme as they are. For larger ones, with relaxation (cost z, break at price λ):
 *
 * Lemma. Let some plan of the same total cost u. In a cheapest plan no slot deviates from the relaxation by more than u − z,
 * where a slot of price c deviates by (λ − c)·(h − x) if c < λ, and by (c − λ)·x if c > λ.
 *
 * Proof. For sizes that add up to D, the cost is λD − Σ_{c<λ} (λ−c)·h + Σ deviations, all of which are ≥ 0. The relaxation
 * has deviations 0, so z is the first part; a cheapest plan costs at most u. ∎
 *
 * So a plan is first searched among those that differ from the relaxation only near its break; its cost u then fixes most
 * slots, and narrows the sizes of others, and the dynamic programme settles the rest exactly. Where that is still more than
 * MOST_CELLS, the plan is the best that was found, and z bounds what any plan can cost.
 */
export function* planManyDurations<C>(market: Market<C>, { need, room }: Target): Generator<void, Found> {
  const all = Array.from({ length: market.count }, (_, rank) => freeStage(market, rank));
  const above = aboveOf(market, { need, room });
  const whole = cellsOf(all, above, market.arithmetic);
  if (whole > SMALL_CELLS) {
    const hit = yield* improved(market, need);
    if (hit !== undefined) return hit;
  }
  if (whole <= MOST_CELLS) return { sizes: yield* settled(market, all, { need, room }), isProven: true };
  const { rank } = relaxed(market, need);
  let wanted = above;
  let best: Float64Array | undefined;
  for (let attempt = 0; attempt < ATTEMPTS && wanted.low <= wanted.high; attempt += 1) {
    const near = yield* nearBreak(market, { rank, wanted, attempt });
    if (near === undefined) continue;
    best = near;
    wanted = { low: need, high: near.reduce((sum, size) => sum + size, 0) - 1 };
  }
  const sizes = best ?? prefixAndOne(market, { need, room }) ?? fullBelow(market, rank);
  return { sizes, isProven: false };
}

/** An always valid plan: the slots that the relaxation fills, without the partly filled one. */
export function fullBelow(market: Market<unknown>, end: number): Float64Array {
  return Float64Array.from({ length: market.count }, (_, rank) =>
    rank < end ? domainAt(market, rank).max : 0,
  );
}

/**
 * Totals from the need up to what no smallest overshoot passes. Slots that are full until the need is covered, the last at its
 * least, are one cover; as many slots of one length as hold the need, all at their least or more, are another.
 */
export function aboveOf({ domains, domainOf }: Market<unknown>, { need, room }: Target): Band {
  const counts = domains.map(() => 0);
  for (const domain of domainOf) counts[domain] = (counts[domain] ?? 0) + 1;
  const widest = Math.max(...domains.map(({ min, minutes }) => Math.max(min, gapOf(minutes))));
  const covers = domains.flatMap(({ min, max, minutes }, at) => {
    const slots = Math.ceil(need / max);
    return slots <= (counts[at] ?? 0) ? [Math.max(need + gapOf(minutes), slots * min)] : [];
  });
  return { low: need, high: Math.max(need, Math.min(room, need + widest, ...covers)) };
}

/** Sizes of a slot that is on are at most so far apart. */
function gapOf(minutes: number): number {
  return Math.ceil(minutes / 60);
}

export function freeStage<C>(market: Market<C>, rank: number): Stage<C> {
  return { price: priceAt(market, rank), pieces: withOff(domainAt(market, rank).pieces) };
}

function withOff(pieces: readonly Piece[]): readonly Piece[] {
  return pieces.some(({ first }) => first === 0) ? pieces : [OFF, ...pieces];
}

/** The whole programme: the need, else the least total above it that fits, else the largest below. */
function* settled<C>(
  market: Market<C>,
  stages: readonly Stage<C>[],
  target: Target,
): Generator<void, Float64Array> {
  const above = aboveOf(market, target);
  const up = yield* solve(stages, above, market.arithmetic);
  for (let total = above.low; total <= above.high; total += 1) {
    if (up.costAt(total) !== undefined) return up.sizesFor(total);
  }
  // A total just below the need is reachable in nearly every case; 0 always is.
  for (const low of [Math.max(0, target.need - NEARLY), 0]) {
    const down = yield* solve(stages, { low, high: target.need - 1 }, market.arithmetic);
    for (let total = target.need - 1; total >= low; total -= 1) {
      if (down.costAt(total) !== undefined) return down.sizesFor(total);
    }
  }
  return new Float64Array(market.count);
}

interface Near {
  /** The rank at the break. */
  readonly rank: number;
  readonly wanted: Band;
  /** Each attempt searches a wider range around the break. */
  readonly attempt: number;
}

/** The cheapest plan of a band's first reachable total that differs from full and off only near the break. */
export function* nearBreak<C>(
  market: Market<C>,
  { rank, wanted, attempt }: Near,
): Generator<void, Float64Array | undefined> {
  const { count, arithmetic } = market;
  const reach = FIRST_REACH << attempt;
  const width = FIRST_WIDTH << (2 * attempt);
  const from = Math.max(0, rank - reach);
  const to = Math.min(count, rank + reach + 1);
  const core = Array.from({ length: to - from }, (_, at): Stage<C> => {
    const own = from + at;
    const domain = domainAt(market, own);
    const { pieces, min, max } = domain;
    if (own === rank) return freeStage(market, own);
    const [low, high] = own < rank ? [max - width, max] : [0, min + width];
    const clippedPieces = pieces.flatMap((piece) => clipped(piece, low, high));
    const mayBeOff = own > rank || max - min <= width;
    return { price: priceAt(market, own), pieces: mayBeOff ? withOff(clippedPieces) : clippedPieces };
  });
  const sizes = fullBelow(market, from);
  const full = sizes.reduce((sum, size) => sum + size, 0);
  const rest = { low: Math.max(0, wanted.low - full), high: wanted.high - full };
  if (cellsOf(core, rest, arithmetic) > MOST_CELLS / 2) return undefined;
  const solved = yield* solve(core, rest, arithmetic);
  const total = firstReachable(solved, rest);
  if (total === undefined) return undefined;
  sizes.set(solved.sizesFor(total), from);
  return sizes;
}

function firstReachable(solved: Solved<unknown>, { low, high }: Band): number | undefined {
  for (let total = low; total <= high; total += 1) if (solved.costAt(total) !== undefined) return total;
  return undefined;
}

function costOfSizes<C>(market: Market<C>, sizes: Float64Array): C {
  const { arithmetic } = market;
  return sizes.reduce(
    (sum, size, rank) => arithmetic.add(sum, arithmetic.times(priceAt(market, rank), size)),
    arithmetic.zero,
  );
}

/** Plans that hit the total, found near the break, until one is good enough for the lemma to settle the rest. */
function* improved<C>(market: Market<C>, total: number): Generator<void, Found | undefined> {
  const { arithmetic } = market;
  const { cost: least, rank } = relaxed(market, total);
  const wanted = { low: total, high: total };
  let best: { sizes: Float64Array; gap: C } | undefined;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const sizes = yield* nearBreak(market, { rank, wanted, attempt });
    if (sizes === undefined) continue;
    const gap = arithmetic.subtract(costOfSizes(market, sizes), least);
    if (best !== undefined && arithmetic.compare(gap, best.gap) >= 0) continue;
    best = { sizes, gap };
    const exact = yield* settledWithin(market, { total, gap, price: priceAt(market, rank) });
    if (exact !== undefined) return { sizes: exact, isProven: true };
  }
  // A plan that costs as much as the relaxation is proven optimal.
  const isProven = best !== undefined && arithmetic.compare(best.gap, arithmetic.zero) === 0;
  return best === undefined ? undefined : { sizes: best.sizes, isProven };
}

interface Within<C> {
  readonly total: number;
  /** u − z of the lemma. */
  readonly gap: C;
  /** λ of the lemma. */
  readonly price: C;
}

/** The cheapest plan, by the lemma; undefined when too many sizes are still open. */
function* settledWithin<C>(
  market: Market<C>,
  { total, gap, price }: Within<C>,
): Generator<void, Float64Array | undefined> {
  const { count } = market;
  const sizes = new Float64Array(count);
  const free: number[] = [];
  const stages: Stage<C>[] = [];
  let rest = total;
  for (let rank = 0; rank < count; rank += 1) {
    const pieces = permitted(market, rank, { gap, price });
    const [only] = pieces;
    if (pieces.length === 1 && only?.count === 1) {
      sizes[rank] = only.first;
      rest -= only.first;
    } else {
      free.push(rank);
      stages.push({ price: priceAt(market, rank), pieces });
    }
  }
  const wanted = { low: rest, high: rest };
  if (cellsOf(stages, wanted, market.arithmetic) > MOST_CELLS) return undefined;
  const settledSizes = (yield* solve(stages, wanted, market.arithmetic)).sizesFor(rest);
  for (const [at, rank] of free.entries()) sizes[rank] = settledSizes[at] ?? 0;
  return sizes;
}

/** The sizes of a slot that deviate from the relaxation by no more than the gap. */
function permitted<C>(
  market: Market<C>,
  rank: number,
  { gap, price }: Pick<Within<C>, 'gap' | 'price'>,
): readonly Piece[] {
  const { arithmetic } = market;
  const domain = domainAt(market, rank);
  const own = priceAt(market, rank);
  const compared = arithmetic.compare(own, price);
  if (compared === 0) return withOff(domain.pieces);
  const each = compared < 0 ? arithmetic.subtract(price, own) : arithmetic.subtract(own, price);
  const by = arithmetic.quotient(gap, each, domain.max);
  const pieces = domain.pieces.flatMap((piece) =>
    compared < 0 ? clipped(piece, domain.max - by, domain.max) : clipped(piece, 0, by),
  );
  const mayBeOff = compared > 0 || by >= domain.max;
  return mayBeOff ? withOff(pieces) : pieces;
}

/** The sizes of a piece from `low` to `high`. */
function clipped(piece: Piece, low: number, high: number): Piece[] {
  const from = Math.max(0, Math.ceil((low - piece.first) / piece.step));
  const to = Math.min(piece.count - 1, Math.floor((high - piece.first) / piece.step));
  if (from > to) return [];
  return [
    {
      ...piece,
      first: piece.first + from * piece.step,
      wh: piece.wh + from * piece.whStep,
      count: to - from + 1,
    },
  ];
}

/** The plan that ignores minimum power: the cheapest slots full, and the rest in one slot. */
interface Relaxation<C> {
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
function relaxed<C>(market: Market<C>, total: number): Relaxation<C> {
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
