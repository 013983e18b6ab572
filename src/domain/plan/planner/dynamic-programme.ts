import type { Arithmetic, Cells } from './decimal.ts';
import type { Piece } from './domains.ts';

/** A slot in the dynamic programme: its permitted sizes; 0 only if `pieces` includes it. */
export interface Stage<C> {
  readonly price: C;
  readonly pieces: readonly Piece[];
}

/** Totals from `low` to `high`. */
export interface Band {
  readonly low: number;
  readonly high: number;
}

const CELLS_A_STEP = 200_000;
const UNREACHABLE = -1;

/** Size 0, for a slot that may stay off. */
export const OFF: Piece = { first: 0, step: 1, count: 1, wh: 0, whStep: 0 };

export interface Solved<C> {
  /** Cost of a total within the wanted band; undefined if it cannot be reached. */
  costAt(total: number): C | undefined;
  /** The sizes that make a reachable total, by stage: the cheapest, and of those the one with most in the first stages. */
  sizesFor(total: number): Float64Array;
}

/** Cells that `solve` would fill, weighted as number cells: a measure of its time, with four bytes of memory each. */
export function cellsOf(
  stages: readonly Stage<unknown>[],
  wanted: Band,
  { cellCost }: Arithmetic<unknown>,
): number {
  const bands = bandsOf(stages, wanted);
  const cells = stages.reduce((sum, { pieces }, at) => sum + widthOf(bands[at]) * pieces.length, 0);
  return cells * cellCost;
}

/**
 * The cheapest sizes for every total of a band.
 *
 * V_i(e), the least cost of making e with stages i, i + 1, …, is the minimum over stage i's sizes x of
 * cost_i(x) + V_{i+1}(e − x). Along a progression of sizes the cost is linear, so cost_i(x) = a + b·t for the t-th size, and
 * with y = e − x the minimum is one over a sliding window of V_{i+1}(y) − b·(place of y): a queue that only holds values which
 * can still be the least gives it in O(1) each (Pferschy, Dynamic programming revisited, 1999). O(n·D) together. Totals from
 * which the band cannot be reached any more, or that the rest cannot make, are left out.
 *
 * Of equal costs the larger x is kept, and stages come in order of (price, index), so ties go to earlier slots.
 */
export function* solve<C>(
  stages: readonly Stage<C>[],
  wanted: Band,
  arithmetic: Arithmetic<C>,
): Generator<void, Solved<C>> {
  const bands = bandsOf(stages, wanted);
  const widest = Math.max(1, ...bands.map(widthOf));
  const queue: Queue<C> = { places: new Int32Array(widest), keys: arithmetic.array(widest) };
  const choices: Int32Array[] = stages.map(() => new Int32Array(0));
  let after: Values<C> = {
    band: { low: 0, high: 0 },
    costs: arithmetic.array(1),
    choices: new Int32Array(1),
  };
  let cells = 0;
  for (let at = stages.length - 1; at >= 0; at -= 1) {
    const band = bands[at];
    const stage = stages[at];
    if (band === undefined || stage === undefined) continue;
    const width = widthOf(band);
    const values = {
      band,
      costs: arithmetic.array(width),
      choices: new Int32Array(width).fill(UNREACHABLE),
    };
    for (const piece of stage.pieces) {
      const remainders = Math.min(piece.step, width);
      for (let remainder = 0; remainder < remainders; remainder += 1) {
        const start = band.low + remainder;
        slide(values, after, { piece, price: stage.price, start, arithmetic, queue });
      }
      cells += width * arithmetic.cellCost;
      if (cells < CELLS_A_STEP) continue;
      cells = 0;
      yield;
    }
    after = values;
    choices[at] = values.choices;
  }
  const { band: reached, costs, choices: first } = after;
  return {
    costAt(total) {
      const place = total - reached.low;
      return (first[place] ?? UNREACHABLE) === UNREACHABLE ? undefined : costs[place];
    },
    sizesFor(total) {
      let rest = total;
      return Float64Array.from(choices, (chosen, at) => {
        const size = chosen[rest - (bands[at]?.low ?? 0)] ?? UNREACHABLE;
        if (size === UNREACHABLE) throw new Error(`the total ${total} cannot be reached`);
        rest -= size;
        return size;
      });
    },
  };
}

interface Values<C> {
  readonly band: Band;
  /** By total, from `band.low` on; only where `choices` is not UNREACHABLE. */
  readonly costs: Cells<C>;
  readonly choices: Int32Array;
}

/** Buffers for the positions and keys of a queue, allocated once. */
interface Queue<C> {
  readonly places: Int32Array;
  readonly keys: Cells<C>;
}

interface Window<C> {
  readonly piece: Piece;
  readonly price: C;
  /** The first total; the others are `piece.step` apart. */
  readonly start: number;
  readonly arithmetic: Arithmetic<C>;
  readonly queue: Queue<C>;
}

/** Applies the sizes of one piece, for totals that are equal modulo its step. */
function slide<C>(
  { band, costs, choices }: Values<C>,
  after: Values<C>,
  { piece, price, start, arithmetic, queue }: Window<C>,
): void {
  const { first, step, count } = piece;
  const { low, high } = after.band;
  const { places, keys } = queue;
  const { zero } = arithmetic;
  const perStep = arithmetic.times(price, piece.whStep);
  const base = arithmetic.times(price, piece.wh);
  // The queue holds totals y of the stages after, by their place from `origin`, with V(y) − b·place, which rises.
  const origin = start - first - step * (count - 1);
  let [head, tail] = [0, 0];
  let next = origin < low ? Math.ceil((low - origin) / step) : 0;
  const last = Math.floor((high - origin) / step);
  for (let total = start, place = count - 1; total <= band.high; total += step, place += 1) {
    for (; next <= place && next <= last; next += 1) {
      const at = origin + next * step - low;
      if (after.choices[at] === UNREACHABLE) continue;
      const key = arithmetic.subtract(after.costs[at] ?? zero, arithmetic.times(perStep, next));
      while (tail > head && arithmetic.compare(keys[tail - 1] ?? zero, key) > 0) tail -= 1;
      keys[tail] = key;
      places[tail] = next;
      tail += 1;
    }
    while (head < tail && (places[head] ?? 0) < place - (count - 1)) head += 1;
    if (head === tail) continue;
    const cost = arithmetic.add(arithmetic.add(keys[head] ?? zero, base), arithmetic.times(perStep, place));
    const size = first + step * (place - (places[head] ?? 0));
    const cell = total - band.low;
    const chosen = choices[cell] ?? UNREACHABLE;
    const compared = chosen === UNREACHABLE ? -1 : arithmetic.compare(cost, costs[cell] ?? zero);
    if (compared < 0 || (compared === 0 && size > chosen)) {
      costs[cell] = cost;
      choices[cell] = size;
    }
  }
}

/** For each stage the totals of it and those after it that matter. */
function bandsOf(stages: readonly Stage<unknown>[], wanted: Band): Band[] {
  const reaches = stages.map(({ pieces }) => ({
    low: Math.min(...pieces.map(({ first }) => first)),
    high: Math.max(...pieces.map(({ first, step, count }) => first + step * (count - 1))),
  }));
  const bands: Band[] = new Array(stages.length);
  let [low, high] = [0, 0];
  for (let at = stages.length - 1; at >= 0; at -= 1) {
    low += reaches[at]?.low ?? 0;
    high += reaches[at]?.high ?? 0;
    bands[at] = { low, high };
  }
  // The least and most that earlier stages can deliver bounds the rest.
  let [least, most] = [0, 0];
  for (let at = 0; at < stages.length; at += 1) {
    const own = bands[at] ?? { low: 0, high: 0 };
    bands[at] = { low: Math.max(own.low, wanted.low - most), high: Math.min(own.high, wanted.high - least) };
    least += reaches[at]?.low ?? 0;
    most += reaches[at]?.high ?? 0;
  }
  return bands;
}

function widthOf(band: Band | undefined): number {
  return band === undefined ? 0 : Math.max(0, band.high - band.low + 1);
}
