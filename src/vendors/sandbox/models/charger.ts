import Type from 'typebox';
import type { CommandOf } from '../../../adapter/commands.ts';
import { HOUR_MS } from '../../../core/durations.ts';
import { drawnW, gridWh, socAfter, WATT_PER_AMPERE } from '../../../proof/simulation/physics/car-battery.ts';
import type { Span } from '../../../proof/simulation/physics/sun.ts';
import { between, houseLoadA } from '../../../proof/simulation/physics/week.ts';
import { CHARGE_LIMITS, Ending, endingOf, endingWithin, hasCome, inRange, model, Refusal } from './model.ts';
import {
  arrivingCar,
  Car,
  charged,
  chargingOf,
  chargingView,
  currentTurned,
  plugged,
  started,
  stopped,
  withCurrent,
} from './vehicles.ts';

/** The house's main fuse, ampere per phase. The house always leaves at least the minimum charge current. */
const FUSE_A = 20;

const ChargerState = Type.Object({
  ...Car.properties,
  /** The maximum that load balancing allows the car. */
  max_a: Type.Integer({ minimum: 0 }),
  /** Absent in states stored before limits could end. */
  max_ends: Type.Optional(Ending),
  meter_wh: Type.Number({ minimum: 0 }),
});
type ChargerState = Type.Static<typeof ChargerState>;

/** Whole amperes that the fuse and load balancing leave to the car; constant within an hour. */
function roomForCarA(state: ChargerState, at: number, seed: string): number {
  return Math.min(state.max_a, Math.floor(FUSE_A - houseLoadA(seed, at)));
}

function offeredA(state: ChargerState, at: number, seed: string): number {
  const amperes = Math.min(state.current_a, roomForCarA(state, at, seed));
  return amperes < CHARGE_LIMITS.min_a ? 0 : amperes;
}

/** Charges hour by hour, as the balancer does; after some twenty hours the car is full and the loop ends. */
function advance(state: ChargerState, { from, to }: Span, seed: string): ChargerState {
  if (!state.plugged_in || !state.wanted || state.current_a === 0) return state;
  let soc = state.soc;
  let at = from;
  while (at < to && soc < state.limit_percent) {
    const next = Math.min(to, (Math.floor(at / HOUR_MS) + 1) * HOUR_MS);
    const charging = chargingOf({ ...state, soc }, offeredA(state, at, seed));
    soc = socAfter(charging, (next - at) / 1_000);
    at = next;
  }
  return { ...state, soc, meter_wh: state.meter_wh + gridWh(soc - state.soc) };
}

function turned(state: ChargerState, at: number): ChargerState {
  const { max_ends: ending } = state;
  return currentTurned(hasCome(ending, at) ? { ...state, max_a: ending.follows, max_ends: null } : state, at);
}

function withMaximum(state: ChargerState, command: CommandOf<'set_limit'>, at: number): ChargerState {
  const { max_a, then_a = CHARGE_LIMITS.max_a } = command;
  if (max_a === undefined) throw new Refusal('wrong_axis', 'the charger limits by current only; set max_a');
  const range = { least: CHARGE_LIMITS.min_a, most: CHARGE_LIMITS.max_a };
  return {
    ...state,
    max_a: inRange('max_a', max_a, range),
    max_ends: endingOf(command, at, inRange('then_a', then_a, range)),
  };
}

/** A charging point with a car, balanced against the main fuse of a house. */
export const charger = model<ChargerState>({
  schema: ChargerState,
  initial: (seed) => ({
    ...arrivingCar(seed),
    max_a: CHARGE_LIMITS.max_a,
    meter_wh: between(seed, 'meter', [500_000, 4_000_000]),
  }),
  advance: endingWithin(
    { endings: (state) => [state.current_ends ?? null, state.max_ends ?? null], turned },
    advance,
  ),
  reading: (state, at, seed) => {
    const amperes = offeredA(state, at, seed);
    const drawnA = drawnW(chargingOf(state, amperes)) / WATT_PER_AMPERE;
    return {
      ...chargingView(state, amperes),
      meterKwh: state.meter_wh / 1_000,
      headroomAmperes: Math.max(0, roomForCarA(state, at, seed) - drawnA),
    };
  },
  orders: {
    start_charge: started,
    stop_charge: stopped,
    set_current: withCurrent,
    set_limit: withMaximum,
  },
  plug: plugged,
  charge: charged,
});
