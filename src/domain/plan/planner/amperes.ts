import { energyOf, greatestCommonDivisor, type Piece } from './domains.ts';
import { type Band, cellsOf, type Solved, type Stage, solve } from './dynamic-programme.ts';
import { ATTEMPTS, type Found, freeStage, fullBelow, MOST_CELLS, nearBreak } from './many-durations.ts';
import { domainAt, type Market, pruned, unpruned } from './market.ts';

interface AmpereTask {
  /** Wh. */
  readonly need: number;
  /** W of one ampere. */
  readonly wattsPerAmpere: number;
  /** Minutes that one unit of size stands for: a size is amperes × minutes / this. */
  readonly unitMinutes: number;
}

/**
 * Whole amperes where an ampere is not a whole number of Wh in every slot (230 V × 3 for 15 minutes is 172.5 Wh), or slots
 * differ in length. The energies are rounded down slot by slot, as the answer shows them, so cost is not linear in amperes.
 *
 * The fewest ampere-minutes that cover the need are wanted, and of these the cheapest plan. Only the cheapest ⌊N/l⌋ slots of a
 * duration can be on in a plan of N ampere-slots (exchange one that is on for a cheaper one that is off). The dynamic
 * programme over ampere-slots gives the cheapest plan for each N; amperes that are equal modulo the denominator of an
 * ampere's energy have energies a whole number apart, so its progressions stay linear. Mostly the cheapest plan covers the
 * need; where rounding leaves it short, the programme is run once more with the Wh lost so far in the state.
 */
export function* planAmperes<C>(market: Market<C>, task: AmpereTask): Generator<void, Found> {
  const { need, wattsPerAmpere, unitMinutes } = task;
  const perUnit = wattsPerAmpere * unitMinutes;
  const fewest = Math.ceil((60 * need) / perUnit);
  const { domains } = market;
  const least = Math.min(...domains.map(({ min }) => min));
  // A slot loses less than 1 Wh by rounding; the last slot may have to take its minimum, or one ampere.
  const lost = Math.ceil((60 * (Math.floor(fewest / least) + 2)) / perUnit);
  const last = Math.max(...domains.map(({ min, minutes }) => Math.max(min, minutes / unitMinutes)));
  const band = { low: fewest, high: fewest + lost + last };
  const useful = pruned(market, band.high);
  const found = yield* covered(useful.market, task, band);
  return { ...found, sizes: unpruned(useful, found.sizes, market.count) };
}

function* covered<C>(market: Market<C>, task: AmpereTask, band: Band): Generator<void, Found> {
  const { need, wattsPerAmpere, unitMinutes } = task;
  const perUnit = wattsPerAmpere * unitMinutes;
  const energy = (sizes: Float64Array) =>
    sizes.reduce((sum, size, rank) => {
      const { minutes } = domainAt(market, rank);
      return sum + energyOf((size * unitMinutes * wattsPerAmpere) / minutes, minutes);
    }, 0);
  const stages = Array.from({ length: market.count }, (_, rank) => freeStage(market, rank));
  if (cellsOf(stages, band, market.arithmetic) > MOST_CELLS)
    return yield* unproven(market, band, (sizes) => energy(sizes) >= need);
  const solved = yield* solve(stages, band, market.arithmetic);
  let isProven = true;
  for (let units = band.low; units <= band.high; units += 1) {
    if (solved.costAt(units) === undefined) continue;
    const sizes = solved.sizesFor(units);
    if (energy(sizes) >= need) return { sizes, isProven };
    const exact = yield* covering(stages, { units, perUnit, spare: units * perUnit - 60 * need, market });
    if (exact === 'too large') isProven = false;
    else if (exact !== undefined) return { sizes: exact, isProven };
  }
  return yield* unproven(market, band, (sizes) => energy(sizes) >= need);
}

interface Covering<C> {
  readonly units: number;
  /** 1/60 Wh of one unit. */
  readonly perUnit: number;
  /** Allowed loss of these units by rounding, in 1/60 Wh. */
  readonly spare: number;
  readonly market: Market<C>;
}

/** The cheapest plan of so many units that loses no more than `spare`; undefined when there is none. */
function* covering<C>(
  stages: readonly Stage<C>[],
  { units, perUnit, spare, market }: Covering<C>,
): Generator<void, Float64Array | undefined | 'too large'> {
  const pieces = stages.flatMap((stage) => stage.pieces);
  const grain = pieces.reduce((found, piece) => greatestCommonDivisor(found, lossOf(piece, perUnit)), 60);
  const most = Math.max(...pieces.map((piece) => lossOf(piece, perUnit))) / grain;
  // The state is units × width + loss; no plan of these units can lose as much as the width.
  const least = Math.min(...market.domains.map(({ min }) => min));
  const width = Math.min(stages.length, Math.floor(units / least)) * most + 1;
  const wide = stages.map(({ price, pieces: own }) => ({
    price,
    pieces: own.map((piece) => ({
      ...piece,
      first: piece.first * width + lossOf(piece, perUnit) / grain,
      step: piece.step * width,
    })),
  }));
  const low = units * width;
  const band = { low, high: low + Math.min(width - 1, Math.floor(spare / grain)) };
  if (cellsOf(wide, band, market.arithmetic) > MOST_CELLS) return 'too large';
  const solved = yield* solve(wide, band, market.arithmetic);
  const best = cheapestOf(solved, band, market);
  return best?.map((size) => Math.floor(size / width));
}

/** The cheapest of a band; of equal ones the one with more in the first slot where they differ. */
function cheapestOf<C>(
  solved: Solved<C>,
  { low, high }: Band,
  { arithmetic }: Market<C>,
): Float64Array | undefined {
  let best: { cost: C; sizes: Float64Array } | undefined;
  for (let total = low; total <= high; total += 1) {
    const cost = solved.costAt(total);
    if (cost === undefined) continue;
    const compared = best === undefined ? -1 : arithmetic.compare(cost, best.cost);
    if (compared > 0) continue;
    const sizes = solved.sizesFor(total);
    if (best === undefined || compared < 0 || isBefore(sizes, best.sizes)) best = { cost, sizes };
  }
  return best?.sizes;
}

function isBefore(one: Float64Array, other: Float64Array): boolean {
  const at = one.findIndex((size, place) => size !== other[place]);
  return at >= 0 && (one[at] ?? 0) > (other[at] ?? 0);
}

/** Loss of each size of a piece by rounding down, in 1/60 Wh. */
function lossOf({ first, wh }: Piece, perUnit: number): number {
  return first * perUnit - 60 * wh;
}

/** Too large to prove: a plan that covers the need, found near the end of the cheapest slots at full current. */
function* unproven<C>(
  market: Market<C>,
  band: Band,
  isCovered: (sizes: Float64Array) => boolean,
): Generator<void, Found> {
  let wanted = band;
  let best: Float64Array | undefined;
  for (let attempt = 0; attempt < ATTEMPTS && wanted.low <= wanted.high; attempt += 1) {
    let [end, sum] = [0, 0];
    for (; end < market.count && sum < wanted.low; end += 1) sum += domainAt(market, end).max;
    const near = yield* nearBreak(market, { rank: end - 1, wanted, attempt });
    if (near === undefined) continue;
    if (isCovered(near)) best = near;
    wanted = isCovered(near)
      ? { low: wanted.low, high: sumOf(near) - 1 }
      : { low: sumOf(near) + 1, high: wanted.high };
  }
  if (best !== undefined) return { sizes: best, isProven: false };
  for (let end = 1; end < market.count; end += 1) {
    const sizes = fullBelow(market, end);
    if (isCovered(sizes)) return { sizes, isProven: false };
  }
  return { sizes: fullBelow(market, market.count), isProven: false };
}

function sumOf(sizes: Float64Array): number {
  return sizes.reduce((sum, size) => sum + size, 0);
}
