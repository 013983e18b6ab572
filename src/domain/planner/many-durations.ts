import type { Domain, Piece } from './domains.ts';
import { type Band, cellsOf, OFF, type Solved, type Stage, solve } from './dynamic-programme.ts';
import { domainAt, type Market, priceAt } from './market.ts';
import { relaxed } from './relaxation.ts';

/** Cells that one dynamic programme may fill: counted, so that every machine does the same. */
export const MOST_CELLS = 12_000_000;
/** So few are filled without looking for something smarter. */
const SMALL_CELLS = 400_000;
/** Slots on each side of the break that a first search may change. */
const FIRST_CORE = 8;

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
 * So a plan is looked for first among those that differ from the relaxation only near its break; its cost u then fixes most
 * slots, and narrows the sizes of others, and the dynamic programme settles the rest exactly. Where that is still more than
 * MOST_CELLS, the plan is the best that was found, and z bounds what any plan can cost.
 */
export function* planManyDurations<C>(market: Market<C>, { need, room }: Target): Generator<void, Found> {
  const all = Array.from({ length: market.count }, (_, rank) => freeStage(market, rank));
  const above = aboveOf(market, { need, room });
  const whole = cellsOf(all, above);
  const { rank } = relaxed(market, need);
  if (whole > SMALL_CELLS) {
    const sizes = yield* nearBreak(market, rank, { low: need, high: need });
    if (sizes !== undefined) return yield* improved(market, need, sizes);
  }
  if (whole <= MOST_CELLS) return { sizes: yield* settled(market, all, { need, room }), isProven: true };
  const below = { low: Math.max(0, need - above.high + need - 1), high: need - 1 };
  const sizes =
    (yield* nearBreak(market, rank, above)) ?? (yield* nearBreak(market, rank, below)) ?? new Float64Array(market.count);
  return { sizes, isProven: false };
}

/** Totals from the need up to what no smallest overshoot can pass: full slots until the need is covered, the last at its least. */
function aboveOf({ domains }: Market<unknown>, { need, room }: Target): Band {
  const widest = Math.max(...domains.map(({ min, minutes }) => Math.max(min, Math.ceil(minutes / 60))));
  return { low: need, high: Math.max(need, Math.min(room, need + widest)) };
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
  // A total just below the need is there in nearly every case; the band grows until it holds one.
  for (let width = 1; ; width *= 16) {
    const low = Math.max(0, target.need - width);
    const down = yield* solve(stages, { low, high: target.need - 1 }, market.arithmetic);
    for (let total = target.need - 1; total >= low; total -= 1) {
      if (down.costAt(total) !== undefined) return down.sizesFor(total);
    }
  }
}

/** The cheapest plan of the first reachable total of a band, among those that are full or off away from a rank. */
export function* nearBreak<C>(
  market: Market<C>,
  rank: number,
  wanted: Band,
): Generator<void, Float64Array | undefined> {
  const { count, arithmetic } = market;
  for (let reach = FIRST_CORE; ; reach *= 2) {
    const from = Math.max(0, rank - reach);
    const to = Math.min(count, rank + reach + 1);
    const core = Array.from({ length: to - from }, (_, at) => freeStage(market, from + at));
    const sizes = new Float64Array(count);
    let full = 0;
    for (let below = 0; below < from; below += 1) {
      sizes[below] = domainAt(market, below).max;
      full += sizes[below] ?? 0;
    }
    const rest = { low: Math.max(0, wanted.low - full), high: wanted.high - full };
    if (cellsOf(core, rest) > MOST_CELLS / 4) return undefined;
    const solved = yield* solve(core, rest, arithmetic);
    const total = firstReachable(solved, rest);
    if (total !== undefined) {
      sizes.set(solved.sizesFor(total), from);
      return sizes;
    }
    if (from === 0 && to === count) return undefined;
  }
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

/** Settles exactly what the plan found leaves open, by the lemma above. */
function* improved<C>(market: Market<C>, total: number, near: Float64Array): Generator<void, Found> {
  const { arithmetic, count } = market;
  const { cost: least, rank: breakRank } = relaxed(market, total);
  const gap = arithmetic.subtract(costOfSizes(market, near), least);
  const price = priceAt(market, breakRank);
  const sizes = new Float64Array(count);
  const free: number[] = [];
  const stages: Stage<C>[] = [];
  let rest = total;
  for (let rank = 0; rank < count; rank += 1) {
    const domain = domainAt(market, rank);
    const pieces = permitted(market, { rank, domain, gap, price });
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
  if (cellsOf(stages, wanted) > MOST_CELLS) {
    // Where the plan costs as much as the relaxation there is nothing to prove any more.
    return { sizes: near, isProven: arithmetic.compare(gap, arithmetic.zero) === 0 };
  }
  const solved = yield* solve(stages, wanted, arithmetic);
  const settledSizes = solved.sizesFor(rest);
  for (const [at, rank] of free.entries()) sizes[rank] = settledSizes[at] ?? 0;
  return { sizes, isProven: true };
}

interface Deviation<C> {
  readonly rank: number;
  readonly domain: Domain;
  /** u − z of the lemma. */
  readonly gap: C;
  /** λ of the lemma. */
  readonly price: C;
}

/** The sizes of a slot that deviate from the relaxation by no more than the gap. */
function permitted<C>(market: Market<C>, { rank, domain, gap, price }: Deviation<C>): readonly Piece[] {
  const { arithmetic } = market;
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
