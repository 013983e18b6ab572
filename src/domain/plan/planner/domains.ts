/**
 * Sizes first, first + step, …: `count` of them, each with its energy. For watts a size is its own energy in Wh. For
 * amperes a size counts ampere-slots, and the energy, rounded down, need not be proportional to it.
 */
export interface Piece {
  readonly first: number;
  readonly step: number;
  readonly count: number;
  /** Wh of the first size. */
  readonly wh: number;
  /** Wh more for each step. */
  readonly whStep: number;
}

/** Sizes that a slot can take besides 0. */
export interface Domain {
  /** Minutes. */
  readonly minutes: number;
  /** Least and largest size of a slot that is on. */
  readonly min: number;
  readonly max: number;
  /** Wh of the largest size. */
  readonly maxWh: number;
  readonly pieces: readonly Piece[];
}

export function greatestCommonDivisor(a: number, b: number): number {
  let [large, small] = [a, b];
  while (small > 0) [large, small] = [small, large % small];
  return large;
}

/** floor(power × minutes / 60): the energy of a slot, Wh. Exact: a fraction that is not whole is 1/60 or more away from it. */
export function energyOf(power: number, minutes: number): number {
  return Math.floor((power * minutes) / 60);
}

/** The least whole power whose energy is `wh`, but at least `minPower`. */
export function powerOf(wh: number, minutes: number, minPower: number): number {
  return wh === 0 ? 0 : Math.max(minPower, Math.ceil((60 * wh) / minutes));
}

/**
 * Whole watts from `minPower` to `maxPower`.
 *
 * Up to 60 minutes a watt adds at most one Wh, so every whole Wh from floor(min·d/60) to floor(max·d/60) is the energy of some
 * watt. Beyond 60 minutes there are gaps: with d/60 = p/q in lowest terms, watts that are equal modulo q have energies p apart.
 */
export function wattDomain(minutes: number, minPower: number, maxPower: number): Domain {
  const min = energyOf(minPower, minutes);
  const max = energyOf(maxPower, minutes);
  const common = { minutes, min, max, maxWh: max };
  if (minutes <= 60) {
    const piece = { first: min, step: 1, count: max - min + 1, wh: min, whStep: 1 };
    return { ...common, pieces: [piece] };
  }
  const common60 = greatestCommonDivisor(minutes, 60);
  const pieces = progressions(60 / common60, minPower, maxPower).map(({ from, count }): Piece => {
    const wh = energyOf(from, minutes);
    return { first: wh, step: minutes / common60, count, wh, whStep: minutes / common60 };
  });
  return { ...common, pieces };
}

interface AmpereRange {
  readonly wattsPerAmpere: number;
  readonly minAmperes: number;
  readonly maxAmperes: number;
}

/** Whole amperes; a size is in amperes × `unitMinutes`, which divides the slot's length. */
export function ampereDomain(minutes: number, unitMinutes: number, range: AmpereRange): Domain {
  const { wattsPerAmpere, minAmperes, maxAmperes } = range;
  const units = minutes / unitMinutes;
  const common = greatestCommonDivisor(wattsPerAmpere * minutes, 60);
  const [perStep, step] = [(wattsPerAmpere * minutes) / common, 60 / common];
  const pieces = progressions(step, minAmperes, maxAmperes).map(
    ({ from, count }): Piece => ({
      first: from * units,
      step: step * units,
      count,
      wh: energyOf(from * wattsPerAmpere, minutes),
      whStep: perStep,
    }),
  );
  return {
    minutes,
    min: minAmperes * units,
    max: maxAmperes * units,
    maxWh: energyOf(maxAmperes * wattsPerAmpere, minutes),
    pieces,
  };
}

/** Every whole size from `min` to `max` is permitted. */
export function isInterval({ pieces }: Domain): boolean {
  const [only] = pieces;
  return pieces.length === 1 && only !== undefined && (only.step === 1 || only.count === 1);
}

/** Greatest common divisor of all sizes, by which they can be divided. */
export function divisorOf(domains: readonly Domain[]): number {
  const pieces = domains.flatMap((domain) => domain.pieces);
  return pieces.reduce(
    (found, { first, step, count }) =>
      greatestCommonDivisor(greatestCommonDivisor(found, first), count > 1 ? step : 0),
    0,
  );
}

/** A domain of watts with sizes and energies divided by a common divisor. */
export function dividedBy(domain: Domain, divisor: number): Domain {
  const { min, max, maxWh, minutes } = domain;
  const pieces = domain.pieces.map((piece) => ({
    first: piece.first / divisor,
    step: piece.count > 1 ? piece.step / divisor : 1,
    count: piece.count,
    wh: piece.wh / divisor,
    whStep: piece.count > 1 ? piece.whStep / divisor : 1,
  }));
  return { minutes, min: min / divisor, max: max / divisor, maxWh: maxWh / divisor, pieces };
}

/** The numbers from `least` to `most` as progressions of a step, one per remainder. */
function progressions(step: number, least: number, most: number): { from: number; count: number }[] {
  const remainders = Math.min(step, most - least + 1);
  return Array.from({ length: remainders }, (_, offset) => {
    const from = least + offset;
    return { from, count: Math.floor((most - from) / step) + 1 };
  });
}
