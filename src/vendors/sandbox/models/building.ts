import Type from 'typebox';
import type { CommandOf } from '../../../adapter/commands.ts';
import type { Span } from '../../../proof/simulation/physics/sun.ts';
import {
  between,
  fraction,
  routineWh,
  type WeekTime,
  weekTime,
} from '../../../proof/simulation/physics/week.ts';
import { Ending, endingOf, endingWithin, hasCome, inRange, model, PLANT_LIMITS, Refusal } from './model.ts';

const ElevatorState = Type.Object({ on: Type.Boolean(), meter_wh: Type.Number({ minimum: 0 }) });
type ElevatorState = Type.Static<typeof ElevatorState>;

const TRIP_SECONDS = 24;
const STANDBY_W = 120;
/** Above standby. Even trips of an hour go up, odd ones down. */
const TRIP_W = [6_500, 1_200] as const;

/** Trips in an hour of the week: people leave in the morning, come home in the evening and sleep at night. */
function tripsIn(hour: number): number {
  const weekend = hour >= 120;
  const ofDay = hour % 24;
  if (ofDay < 6) return 2;
  if (weekend) return 12;
  return (ofDay >= 7 && ofDay < 9) || (ofDay >= 16 && ofDay < 19) ? 40 : 16;
}

/** The part of the pause between two trips that precedes the first trip of an hour; it differs between lifts. */
const delayOf = (seed: string) => fraction(seed, 'first trip');

/** The number of trips begun in the hour, and the duration of the last one so far, seconds. */
function tripsBy(delay: number, { hour, seconds }: WeekTime): { begun: number; into: number } {
  const apart = 3_600 / tripsIn(hour);
  const sinceFirst = seconds - delay * (apart - TRIP_SECONDS);
  if (sinceFirst < 0) return { begun: 0, into: Number.POSITIVE_INFINITY };
  const last = Math.min(tripsIn(hour) - 1, Math.floor(sinceFirst / apart));
  return { begun: last + 1, into: sinceFirst - last * apart };
}

function energyInHour(delay: number, time: WeekTime): number {
  const { begun, into } = tripsBy(delay, time);
  let wattSeconds = STANDBY_W * time.seconds;
  if (begun > 0) {
    const full = begun - 1;
    wattSeconds += TRIP_SECONDS * (Math.ceil(full / 2) * TRIP_W[0] + Math.floor(full / 2) * TRIP_W[1]);
    wattSeconds += Math.min(into, TRIP_SECONDS) * (full % 2 === 0 ? TRIP_W[0] : TRIP_W[1]);
  }
  return wattSeconds / 3_600;
}

function motionOf(seed: string, at: number): 'up' | 'down' | 'still' {
  const { begun, into } = tripsBy(delayOf(seed), weekTime(at));
  if (into >= TRIP_SECONDS) return 'still';
  return begun % 2 === 1 ? 'up' : 'down';
}

const MOTION_W = { up: TRIP_W[0], down: TRIP_W[1], still: 0 };

/** The lift of a block of flats, with its trips by the hour of the week. */
export const elevator = model<ElevatorState>({
  schema: ElevatorState,
  initial: (seed) => ({ on: true, meter_wh: between(seed, 'meter', [5_000_000, 20_000_000]) }),
  advance: (state, span, seed) => {
    if (!state.on) return state;
    const delay = delayOf(seed);
    return { ...state, meter_wh: state.meter_wh + routineWh((time) => energyInHour(delay, time), span) };
  },
  reading: (state, at, seed) => {
    const motion = state.on ? motionOf(seed, at) : 'still';
    return {
      inService: state.on,
      powerKw: state.on ? (STANDBY_W + MOTION_W[motion]) / 1_000 : 0,
      meterKwh: state.meter_wh / 1_000,
      motion,
    };
  },
  orders: {
    turn_on: (state) => ({ ...state, on: true }),
    turn_off: (state) => ({ ...state, on: false }),
  },
});

const PlantState = Type.Object({
  on: Type.Boolean(),
  max_w: Type.Integer(),
  /** Absent in states stored before limits could end. */
  max_ends: Type.Optional(Ending),
  meter_wh: Type.Number({ minimum: 0 }),
});
type PlantState = Type.Static<typeof PlantState>;

const sizeOf = (seed: string) => between(seed, 'size', [0.8, 1.1]);

/** The power that the plant needs in an hour of the week, watt: two shifts on weekdays, a base load otherwise. */
function wantedW(size: number, hour: number): number {
  const ofDay = hour % 24;
  const working = hour < 120 && ofDay >= 6 && ofDay < 22;
  return size * (working ? 260_000 + 120_000 * Math.sin((Math.PI * (ofDay - 6)) / 16) : 90_000);
}

function drawsW(state: PlantState, size: number, hour: number): number {
  return state.on ? Math.min(state.max_w, wantedW(size, hour)) : 0;
}

function turned(state: PlantState, at: number): PlantState {
  const { max_ends: ending } = state;
  return hasCome(ending, at) ? { ...state, max_w: ending.follows, max_ends: null } : state;
}

function withMaximum(state: PlantState, command: CommandOf<'set_limit'>, at: number): PlantState {
  const { max_w, then_w = PLANT_LIMITS.max_w } = command;
  if (max_w === undefined) throw new Refusal('wrong_axis', 'the plant limits by power only; set max_w');
  const range = { least: PLANT_LIMITS.min_w, most: PLANT_LIMITS.max_w };
  return {
    ...state,
    max_w: inRange('max_w', max_w, range),
    max_ends: endingOf(command, at, inRange('then_w', then_w, range)),
  };
}

function advance(state: PlantState, span: Span, seed: string): PlantState {
  const size = sizeOf(seed);
  const used = routineWh(({ hour, seconds }) => (drawsW(state, size, hour) * seconds) / 3_600, span);
  return { ...state, meter_wh: state.meter_wh + used };
}

/** A plant whose power can be limited. */
export const industrial = model<PlantState>({
  schema: PlantState,
  initial: (seed) => ({ on: true, max_w: PLANT_LIMITS.max_w, meter_wh: between(seed, 'meter', [1e9, 5e9]) }),
  advance: endingWithin({ endings: (state) => [state.max_ends ?? null], turned }, advance),
  reading: (state, at, seed) => {
    const watts = drawsW(state, sizeOf(seed), weekTime(at).hour);
    return {
      running: state.on,
      capped: state.on && watts >= state.max_w,
      powerKw: watts / 1_000,
      meterKwh: state.meter_wh / 1_000,
      headroomKw: (state.max_w - watts) / 1_000,
    };
  },
  orders: {
    turn_on: (state) => ({ ...state, on: true }),
    turn_off: (state) => ({ ...state, on: false }),
    set_limit: withMaximum,
  },
});
