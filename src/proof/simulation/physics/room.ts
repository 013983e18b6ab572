import { DAY_MS, HOUR_MS, SECOND_MS } from '../../../core/durations.ts';
import type { Span } from './sun.ts';

interface Wave {
  /** °C. */
  readonly amplitude: number;
  /** Radians per ms. */
  readonly frequency: number;
  /** When it is highest, ms since 1970. */
  readonly peak: number;
}

/** Stockholm, SMHI normals 1991–2020 rounded: the year's mean, −2 °C in January, 18 °C in July. */
const MEAN_C = 8;
const WAVES: readonly Wave[] = [
  { amplitude: 10, frequency: (2 * Math.PI) / (365.2425 * DAY_MS), peak: Date.UTC(1970, 6, 24) },
  { amplitude: 3, frequency: (2 * Math.PI) / DAY_MS, peak: Date.UTC(1970, 0, 1, 14) },
];

/** Outdoor temperature, °C: the mean, a wave of the year and a wave of the day. */
export function outdoorC(ms: number): number {
  let sum = MEAN_C;
  for (const wave of WAVES) sum += wave.amplitude * Math.cos(wave.frequency * (ms - wave.peak));
  return sum;
}

/**
 * What an unheated body of this time constant (ms) settles to, °C: the particular solution of τT′ = outdoor − T, each
 * wave damped by √(1 + (ωτ)²) and late by atan(ωτ).
 */
function laggedOutdoorC(ms: number, timeConstant: number): number {
  let sum = MEAN_C;
  for (const wave of WAVES) {
    const turn = wave.frequency * timeConstant;
    sum +=
      (wave.amplitude / Math.hypot(1, turn)) * Math.cos(wave.frequency * (ms - wave.peak) - Math.atan(turn));
  }
  return sum;
}

/** Gauss–Legendre with four nodes (Abramowitz & Stegun, table 25.4): exact up to degree 7. */
const NODES = [
  [-0.8611363115940526, 0.3478548451374538],
  [-0.3399810435848563, 0.6521451548625461],
  [0.3399810435848563, 0.6521451548625461],
  [0.8611363115940526, 0.3478548451374538],
] as const;

const LONGEST_MS = 3 * HOUR_MS;

/** Energy of a smooth power (W by ms) over a span of at most some days, watt-hours. */
export function energyWh(power: (ms: number) => number, { from, to }: Span): number {
  const parts = Math.max(1, Math.ceil((to - from) / LONGEST_MS));
  const half = (to - from) / parts / 2;
  let sum = 0;
  for (let part = 0; part < parts; part += 1) {
    const middle = from + (2 * part + 1) * half;
    for (const [node, weight] of NODES) sum += weight * power(middle + node * half);
  }
  return (sum * half) / HOUR_MS;
}

/** A heated body and its heater. */
export interface Building {
  /** Heat lost for each kelvin to the outside, W/K. */
  readonly lossWPerK: number;
  /** Heat capacity over loss, ms. */
  readonly timeConstant: number;
  readonly maxHeatW: number;
}

/** `targetC` null: the heating is off. */
export interface Room {
  readonly roomC: number;
  readonly targetC: number | null;
}

/** Heating is off or the room too warm (`free`), at its limit (`full`), or just what keeps the target (`hold`). */
type Regime = 'free' | 'full' | 'hold';

/** A stretch of one regime. */
interface Piece extends Span {
  readonly regime: Regime;
}

/** After this many time constants the start is forgotten to 30 µK; what lies further back is not computed. */
const MEMORY = 14;

/** The heat that would keep the target now, W; negative when it is warmer outside. */
const neededW = (building: Building, targetC: number, ms: number) =>
  building.lossWPerK * (targetC - outdoorC(ms));

/** Heat that the heater gives in a regime, W. */
export function heatW(building: Building, piece: { regime: Regime; targetC: number }, ms: number): number {
  switch (piece.regime) {
    case 'free':
      return 0;
    case 'full':
      return building.maxHeatW;
    case 'hold':
      return neededW(building, piece.targetC, ms);
  }
}

/** The regime that a room is in at `ms`. */
export function regimeOf(building: Building, { roomC, targetC }: Room, ms: number): Regime {
  if (targetC === null || roomC > targetC) return 'free';
  if (roomC < targetC) return 'full';
  const needed = neededW(building, targetC, ms);
  if (needed < 0) return 'free';
  return needed > building.maxHeatW ? 'full' : 'hold';
}

/** τT′ = outdoor − T + Q/loss for constant Q, solved: T = p(t) + (T₀ − p(t₀))·exp(−(t − t₀)/τ). */
function drift(building: Building, heat: number, { from, to }: Span, startC: number): number {
  const settled = (ms: number) => laggedOutdoorC(ms, building.timeConstant) + heat / building.lossWPerK;
  return settled(to) + (startC - settled(from)) * Math.exp(-(to - from) / building.timeConstant);
}

/** The room at the end of a span, and the regimes that it went through, of at most the last `MEMORY` time constants. */
export function heatRoom(building: Building, room: Room, span: Span): { roomC: number; pieces: Piece[] } {
  const target = room.targetC;
  if (target === null)
    return { roomC: drift(building, 0, span, room.roomC), pieces: [{ ...span, regime: 'free' }] };
  const pieces: Piece[] = [];
  const remembered = span.to - MEMORY * building.timeConstant;
  let from = Math.max(span.from, remembered);
  let roomC = from === span.from ? room.roomC : target;
  while (from < span.to) {
    const regime = regimeOf(building, { roomC, targetC: target }, from);
    const leaves = exitTest({ building, regime, from, startC: roomC, target });
    const to = firstExit(leaves, { from, to: span.to });
    pieces.push({ from, to, regime });
    // A regime is left at the target and nowhere else; saying so exactly keeps rounding from choosing the next one.
    roomC =
      leaves(to) || regime === 'hold' ? target : temperature({ building, regime, from, startC: roomC }, to);
    from = to;
  }
  return { roomC, pieces };
}

interface Stretch {
  readonly building: Building;
  readonly regime: Regime;
  readonly from: number;
  readonly startC: number;
}

function temperature({ building, regime, from, startC }: Stretch, to: number): number {
  return drift(building, regime === 'full' ? building.maxHeatW : 0, { from, to }, startC);
}

function exitTest({ target, ...stretch }: Stretch & { target: number }): (ms: number) => boolean {
  switch (stretch.regime) {
    case 'free':
      return (ms) => temperature(stretch, ms) < target;
    case 'full':
      return (ms) => temperature(stretch, ms) > target;
    case 'hold':
      return (ms) => {
        const needed = neededW(stretch.building, target, ms);
        return needed < 0 || needed > stretch.building.maxHeatW;
      };
  }
}

/** When `leaves` first becomes true, looked for at every full hour and then halved down to a ms; else the end. */
function firstExit(leaves: (ms: number) => boolean, span: Span): number {
  let inside = span.from;
  while (inside < span.to) {
    const next = Math.min(span.to, (Math.floor(inside / HOUR_MS) + 1) * HOUR_MS);
    if (!leaves(next)) {
      inside = next;
      continue;
    }
    let outside = next;
    while (outside - inside > 0.5) {
      const middle = (inside + outside) / 2;
      if (leaves(middle)) outside = middle;
      else inside = middle;
    }
    // At least a second further than the start, so that a tangent cannot stop time.
    return Math.min(span.to, Math.max(outside, span.from + SECOND_MS));
  }
  return span.to;
}
