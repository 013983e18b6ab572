import { socAfter } from '../../../simulation/physics/car-battery.ts';
import type { Span } from '../../../simulation/physics/stockholm.ts';
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
  withChargeLimit,
  withCurrent,
} from './car.ts';
import { endingWithin } from './ending.ts';
import { model } from './model.ts';

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
