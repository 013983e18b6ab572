import Type from 'typebox';
import type { CommandOf } from '../../../adapter/commands.ts';
import {
  type Charging,
  drawnW,
  socAfter,
  WATT_PER_AMPERE,
} from '../../../proof/simulation/physics/car-battery.ts';
import type { Span } from '../../../proof/simulation/physics/sun.ts';
import { between } from '../../../proof/simulation/physics/week.ts';
import { CHARGE_LIMITS, Ending, endingOf, endingWithin, hasCome, inRange, model, Refusal } from './model.ts';

/** A car at its cable, as used by the vehicle and the charger. */
export const Car = Type.Object({
  soc: Type.Number({ minimum: 0, maximum: 100 }),
  limit_percent: Type.Integer({ minimum: 0, maximum: 100 }),
  current_a: Type.Integer({ minimum: 0 }),
  /** Absent in states stored before limits could end. */
  current_ends: Type.Optional(Ending),
  plugged_in: Type.Boolean(),
  /** False after a command to stop charging. */
  wanted: Type.Boolean(),
});
export type Car = Type.Static<typeof Car>;

const PERCENT = { least: 0, most: 100 };

/** A car that arrived with 35–65 % and was plugged in. */
export function arrivingCar(seed: string): Car {
  return {
    soc: between(seed, 'arrival', [35, 65]),
    limit_percent: 80,
    current_a: CHARGE_LIMITS.max_a,
    plugged_in: true,
    wanted: true,
  };
}

/** The car's charging when `amperes` are offered on three phases. */
export function chargingOf(car: Car, amperes: number): Charging {
  const offered = car.plugged_in && car.wanted ? amperes * WATT_PER_AMPERE : 0;
  return { soc: car.soc, limit: car.limit_percent, offeredW: offered };
}

/** The car's state in the fields of the simulated cloud. */
export function chargingView(car: Car, amperes: number) {
  const watts = drawnW(chargingOf(car, amperes));
  return {
    pluggedIn: car.plugged_in,
    charging: watts > 0,
    powerKw: watts / 1_000,
    phase: phaseOf(car, watts > 0),
  };
}

function phaseOf(car: Car, charging: boolean) {
  if (!car.plugged_in) return 'disconnected';
  if (charging) return 'charging';
  return car.soc >= car.limit_percent ? 'complete' : 'paused';
}

const inCurrentRange = (field: string, amperes: number): number =>
  amperes === 0
    ? 0
    : inRange(`${field}, unless 0 to pause,`, amperes, {
        least: CHARGE_LIMITS.min_a,
        most: CHARGE_LIMITS.max_a,
      });

export function withCurrent<C extends Car>(car: C, command: CommandOf<'set_current'>, at: number): C {
  const { current_a, then_current_a = CHARGE_LIMITS.max_a } = command;
  return {
    ...car,
    current_a: inCurrentRange('current_a', current_a),
    current_ends: endingOf(command, at, inCurrentRange('then_current_a', then_current_a)),
  };
}

/** Replaces a limit whose time is over by the following one. */
export function currentTurned<C extends Car>(car: C, at: number): C {
  const { current_ends: ending } = car;
  return hasCome(ending, at) ? { ...car, current_a: ending.follows, current_ends: null } : car;
}

function withChargeLimit<C extends Car>(car: C, percent: number): C {
  return { ...car, limit_percent: inRange('percent', percent, PERCENT) };
}

/** A start after a pause by 0 A resumes at the highest current, since a start must have an effect. */
export function started<C extends Car>(car: C): C {
  if (!car.plugged_in) throw new Refusal('not_plugged_in', 'no car is plugged in');
  if (car.current_a !== 0) return { ...car, wanted: true };
  return { ...car, wanted: true, current_a: CHARGE_LIMITS.max_a, current_ends: null };
}

export function stopped<C extends Car>(car: C): C {
  return { ...car, wanted: false };
}

/** A car that is plugged in charges until a command stops it. */
export function plugged<C extends Car>(car: C, pluggedIn: boolean): C {
  return { ...car, plugged_in: pluggedIn, wanted: car.wanted || (pluggedIn && !car.plugged_in) };
}

export function charged<C extends Car>(car: C, soc: number): C {
  return { ...car, soc };
}

function advance(car: Car, { from, to }: Span): Car {
  return { ...car, soc: socAfter(chargingOf(car, car.current_a), (to - from) / 1_000) };
}

/** A car with its own current limit and no other load on its circuit. */
export const vehicle = model<Car>({
  schema: Car,
  initial: arrivingCar,
  advance: endingWithin({ endings: (car) => [car.current_ends ?? null], turned: currentTurned }, advance),
  reading: (car) => ({ ...chargingView(car, car.current_a), batteryPercent: car.soc }),
  orders: {
    set_charge_limit: (car, { percent }) => withChargeLimit(car, percent),
    start_charge: started,
    stop_charge: stopped,
    set_current: withCurrent,
  },
  plug: plugged,
  charge: charged,
});
