import Type from 'typebox';
import { between, fraction } from '../../../simulation/physics/chance.ts';
import { routineWh, type WeekTime, weekTime } from '../../../simulation/physics/week.ts';
import { model } from './model.ts';

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
