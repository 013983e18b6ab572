import { HOUR_MS, SECOND_MS } from '../../core/durations.ts';
import { laggedOutdoorC, outdoorC } from './outdoor.ts';
import type { Span } from './stockholm.ts';

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
export interface Piece extends Span {
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
