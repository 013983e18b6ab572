import { socAfter } from '../physics/car-battery.ts';
import {
  arrivingCar,
  Car,
  charged,
  chargingOf,
  chargingView,
  plugged,
  started,
  stopped,
  withChargeLimit,
  withCurrent,
} from './car.ts';
import { model } from './model.ts';

/** A car with its own current limit; nothing else shares its circuit. */
export const vehicle = model<Car>({
  schema: Car,
  initial: arrivingCar,
  advance: (car, { from, to }) => ({
    ...car,
    soc: socAfter(chargingOf(car, car.current_a), (to - from) / 1_000),
  }),
  reading: (car) => ({ ...chargingView(car, car.current_a), batteryPercent: car.soc }),
  orders: {
    set_charge_limit: (car, { percent }) => withChargeLimit(car, percent),
    start_charge: started,
    stop_charge: stopped,
    set_current: (car, { current_a }) => withCurrent(car, current_a),
  },
  plug: plugged,
  charge: charged,
});
