import type { Situation } from '../../adapter/simulator.ts';
import type { JsonObject } from '../../core/json.ts';

const CAPACITY_WH = 75_000;
const EFFICIENCY = 0.92;
const VOLTS = 230;
const MOST_AMPERES = 16;
/** From the command until current flows. */
const START_MS = 2_000;
/** A car that nobody talks to falls asleep after this. */
const IDLE_MS = 15 * 60_000;
/** From `wake_up` until it answers. */
const WAKING_MS = 4_000;
/** Tesla's own word on it is this much older than the truth. */
const STALE_MS = 30_000;

/** A simulated car at one moment. */
export interface SimulatedCar {
  readonly vin: string;
  readonly name: string;
  signing: 'allowed' | 'required';
  /** Somebody on the way signs its commands, as a proxy does. */
  isSigned: boolean;
  /** Its owner has turned off access from outside. */
  isAccessOff: boolean;
  /** It has the key of the service that calls. */
  isPaired: boolean;
  /** ms since 1970. */
  at: number;
  isOffline: boolean;
  /** Percent. */
  soc: number;
  isPlugged: boolean;
  isStopped: boolean;
  /** When current flows again after a start. */
  startsAt: number;
  /** Percent. */
  limit: number;
  amperes: number;
  addedWh: number;
  /** When it last got a command, was read, or did something. */
  activeAt: number;
  wakesAt: number | null;
}

export function newCar({ vin, name }: Pick<SimulatedCar, 'vin' | 'name'>, now: number): SimulatedCar {
  return {
    vin,
    name,
    signing: 'allowed',
    isSigned: false,
    isAccessOff: false,
    isPaired: false,
    at: now,
    isOffline: false,
    soc: 50,
    isPlugged: true,
    isStopped: true,
    startsAt: now,
    limit: 80,
    amperes: MOST_AMPERES,
    addedWh: 0,
    activeAt: now,
    wakesAt: null,
  };
}

const wattsOf = (car: SimulatedCar) => car.amperes * VOLTS * 3;
const mayCharge = (car: SimulatedCar) => car.isPlugged && !car.isStopped && car.soc < car.limit;

/** Awake, plugged in at half charge, with the highest current. */
export function arrangeCar(car: SimulatedCar, situation: Situation, now: number): void {
  advance(car, now);
  Object.assign(car, {
    ...newCar(car, now),
    signing: car.signing,
    isPaired: car.isPaired,
    isSigned: car.isSigned,
    isPlugged: situation !== 'off',
    isStopped: situation !== 'charging',
  });
}

/** Brings the car to `now`. It is awake while it charges, and for a while after the last thing that happened. */
export function advance(car: SimulatedCar, now: number): void {
  if (car.wakesAt !== null && now >= car.wakesAt) {
    car.activeAt = Math.max(car.activeAt, car.wakesAt);
    car.wakesAt = null;
  }
  if (mayCharge(car)) {
    const ms = Math.max(0, now - Math.max(car.at, car.startsAt));
    const storedWhPerMs = (wattsOf(car) * EFFICIENCY) / 3_600_000;
    const roomWh = ((car.limit - car.soc) / 100) * CAPACITY_WH;
    const isFull = storedWhPerMs * ms >= roomWh;
    const gainedWh = isFull ? roomWh : storedWhPerMs * ms;
    car.activeAt = isFull ? now - ms + roomWh / storedWhPerMs : now;
    car.soc = isFull ? car.limit : car.soc + (gainedWh / CAPACITY_WH) * 100;
    car.addedWh += gainedWh;
  }
  car.at = Math.max(car.at, now);
}

export const isAwake = (car: SimulatedCar) => !car.isOffline && car.at - car.activeAt < IDLE_MS;

/** What Tesla believes. */
export function cachedState(car: SimulatedCar): string {
  if (car.isOffline) return 'offline';
  return car.at - car.activeAt < IDLE_MS + STALE_MS ? 'online' : 'asleep';
}

export function wake(car: SimulatedCar): void {
  if (!isAwake(car) && !car.isOffline) car.wakesAt ??= car.at + WAKING_MS;
  else car.activeAt = car.at;
}

/** Asking an awake car keeps it awake. */
export function chargeState(car: SimulatedCar): JsonObject {
  car.activeAt = car.at;
  const isFlowing = mayCharge(car) && car.at >= car.startsAt;
  const power = isFlowing ? wattsOf(car) : 0;
  const label = mayCharge(car)
    ? isFlowing
      ? 'Charging'
      : 'Starting'
    : !car.isPlugged
      ? 'Disconnected'
      : car.soc >= car.limit
        ? 'Complete'
        : 'Stopped';
  return {
    battery_level: Math.floor(car.soc + 1e-9),
    usable_battery_level: Math.floor(car.soc + 1e-9),
    battery_range: Math.round(car.soc * 2.7 * 100) / 100,
    charge_amps: car.amperes,
    charge_current_request: car.amperes,
    charge_current_request_max: MOST_AMPERES,
    charge_energy_added: Math.round(car.addedWh / 10) / 100,
    charge_limit_soc: car.limit,
    charge_limit_soc_max: 100,
    charge_limit_soc_min: 50,
    charge_limit_soc_std: 80,
    charger_actual_current: isFlowing ? car.amperes : 0,
    charger_phases: isFlowing ? 2 : null,
    charger_pilot_current: MOST_AMPERES,
    charger_power: Math.round(power / 1_000),
    charger_voltage: isFlowing ? VOLTS : 2,
    charging_state: label,
    conn_charge_cable: car.isPlugged ? 'IEC' : '<invalid>',
    fast_charger_present: false,
    timestamp: car.at,
  };
}

const done = { result: true, reason: '' };
const refused = (reason: string) => ({ result: false, reason });

/** What an awake car says to a command; undefined for one that Tesla does not know. */
export function order(
  car: SimulatedCar,
  name: string,
  body: JsonObject,
): { result: boolean; reason: string } | undefined {
  car.activeAt = car.at;
  switch (name) {
    case 'charge_start':
      if (!car.isPlugged) return refused('disconnected');
      if (mayCharge(car)) return refused('is_charging');
      if (car.soc >= car.limit) return refused('complete');
      car.isStopped = false;
      car.startsAt = car.at + START_MS;
      return done;
    case 'charge_stop':
      if (!mayCharge(car)) return refused('not_charging');
      car.isStopped = true;
      return done;
    case 'set_charge_limit': {
      const { percent } = body;
      if (typeof percent !== 'number' || percent < 50 || percent > 100) return refused('invalid_percent');
      if (percent === car.limit) return refused('already_set');
      car.limit = percent;
      return done;
    }
    case 'set_charging_amps': {
      const { charging_amps: amperes } = body;
      if (typeof amperes !== 'number' || amperes < 0) return refused('invalid_amps');
      car.amperes = Math.min(amperes, MOST_AMPERES);
      return done;
    }
    default:
      return undefined;
  }
}
