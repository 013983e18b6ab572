import { type HouseMeter, type Limits, NO_LIMITS, type Status } from '../../adapter/device.ts';
import { figure, timeIn, unrecognized, word } from '../../adapter/kit/index.ts';
import type { JsonObject } from '../../core/json.ts';

/*
 * Fields are judged one by one: an unknown word is let through as text, a field that is missing or odd counts as null.
 */

/** `charge_state` of a car's data. */
export type ChargeState = Readonly<JsonObject>;

/** A car that answered. */
interface AwakeCar {
  readonly isAwake: true;
  readonly charge: ChargeState;
}

/** A car that could not be asked without waking it. */
interface AwayCar {
  readonly isAwake: false;
  /** `asleep`, `offline`, or what Tesla calls it. */
  readonly state: string;
  /** What it said when it was last awake. */
  readonly last: ChargeState | undefined;
}

export type CarReading = AwakeCar | AwayCar;

const chargeOf = (car: CarReading): ChargeState => (car.isAwake ? car.charge : (car.last ?? {}));

/** The words of `charging_state`: each but the first has a cable, and in one of them current flows. */
const CHARGING_STATES = ['Disconnected', 'NoPower', 'Starting', 'Charging', 'Complete', 'Stopped'];

export function connectedIn({
  charging_state: state,
  conn_charge_cable: cable,
}: ChargeState): boolean | null {
  if (CHARGING_STATES.includes(String(state))) return state !== 'Disconnected';
  return typeof cable === 'string' ? cable !== '<invalid>' : null;
}

/**
 * A car charges awake, so one that sleeps does not charge, and unplugging would have woken it. One without connection may do
 * either.
 */
export function carStatus(car: CarReading): Status {
  if (car.isAwake) {
    const state = word(car.charge.charging_state);
    return {
      online: true,
      connected: connectedIn(car.charge),
      charging: CHARGING_STATES.includes(state ?? '') ? state === 'Charging' : null,
      operation_state: state ?? 'online',
    };
  }
  const isAsleep = car.state === 'asleep';
  return {
    online: false,
    connected: isAsleep ? connectedIn(chargeOf(car)) : null,
    charging: isAsleep ? false : null,
    operation_state: car.state,
  };
}

/** The states of a car that Tesla documents; the last one stands for a car that fell asleep while it was asked. */
export const ASLEEP_OR_OFFLINE = 'asleep or offline';
const CAR_STATES = ['online', 'asleep', 'offline', ASLEEP_OR_OFFLINE];

export const unrecognizedOfCar = (car: CarReading): string[] =>
  unrecognized({
    state: [car.isAwake ? undefined : car.state, CAR_STATES],
    charging_state: [chargeOf(car).charging_state, CHARGING_STATES],
    charger_phases: [car.isAwake ? car.charge.charger_phases : undefined, PHASES],
  });

export const carSoc = (car: CarReading) => figure(chargeOf(car).battery_level, 0, 100);

/** `charger_phases` of a three-phase charger is 2. */
const PHASES = new Map<unknown, number>([
  [1, 1],
  [2, 3],
  [3, 3],
]);
/** `charger_power` is whole kilowatts, rounded one way or the other. */
const COARSENESS_W = 1_500;
const MOST_W = 1_000_000;

/**
 * Watts taken from the grid. Volts and amperes are finer than the kilowatts that the car states, so they are taken while they
 * agree with them; at a fast charger the car measures neither.
 */
export function carPowerW(car: CarReading): number | null {
  if (!car.isAwake) return car.state === 'asleep' ? 0 : null;
  const { charger_power, charger_voltage, charger_actual_current, charger_phases } = car.charge;
  const kilowatts = figure(charger_power, -MOST_W / 1_000, MOST_W / 1_000);
  const coarse = kilowatts === null ? null : kilowatts * 1_000;
  const [volts, amperes] = [figure(charger_voltage, 0, MOST_W), figure(charger_actual_current, 0, MOST_W)];
  const fine = (volts ?? 0) * (amperes ?? 0) * (PHASES.get(charger_phases) ?? 0);
  const agrees = fine > 0 && (coarse === null || Math.abs(fine - coarse) <= COARSENESS_W);
  return agrees ? figure(fine, 0, MOST_W) : coarse;
}

/** What the battery got since the cable was plugged in, Wh. */
export function carEnergyWh(car: CarReading): number | null {
  const added = figure(chargeOf(car).charge_energy_added, 0, 10_000);
  return added === null ? null : added * 1_000;
}

/** Below it a car does not reliably take a current; its own screen goes no lower either. */
const LEAST_AMPERES = 5;

export function carLimits(car: CarReading): Limits {
  const most = figure(chargeOf(car).charge_current_request_max, 1, 500);
  if (most === null) return NO_LIMITS;
  return { ...NO_LIMITS, min_a: Math.min(LEAST_AMPERES, Math.floor(most)), max_a: Math.floor(most) };
}

/** What the car takes as its charge limit, percent. */
export const chargeLimitRange = (charge: ChargeState | undefined) => ({
  least: figure(charge?.charge_limit_soc_min, 0, 100) ?? 50,
  most: figure(charge?.charge_limit_soc_max, 0, 100) ?? 100,
});

export const carObservedAt = (car: CarReading): number | null => figure(chargeOf(car).timestamp, 1, 8.6e15);

/** `live_status` of an energy site; undefined while its gateway has no connection. */
export type SiteReading = Readonly<JsonObject> | undefined;

export function batteryStatus(site: SiteReading): Status {
  if (site === undefined) return { online: false };
  const power = batteryPowerW(site);
  return { ...solarStatus(site), charging: power === null ? null : power > 0 };
}

export function solarStatus(site: SiteReading): Status {
  if (site === undefined) return { online: false };
  return { online: true, operation_state: word(site.island_status) ?? word(site.grid_status) };
}

const watts = (value: unknown) => figure(value, -100_000_000, 100_000_000);

export const siteSoc = (site: SiteReading) => figure(site?.percentage_charged, 0, 100);

/** Tesla counts what a battery gives as positive; here it is what it takes. */
export function batteryPowerW(site: SiteReading): number | null {
  const given = watts(site?.battery_power);
  // Never -0.
  return given === null ? null : 0 - given;
}

/** At night inverters take a few watts, which is no production. */
export function productionW(site: SiteReading): number | null {
  const power = watts(site?.solar_power);
  return power === null ? null : Math.max(0, power);
}

export const siteObservedAt = (site: SiteReading): number | null => timeIn(site?.timestamp);

/** A meter of an energy site. */
export interface MeterReading {
  readonly site: SiteReading;
  readonly meter: HouseMeter;
}

const MEASURED = { grid: 'grid_power', house: 'load_power' } as const;

/** What the house takes from the grid, negative while it gives back, or what it consumes, W. */
export const houseMeterW = ({ site, meter }: MeterReading): number | null => watts(site?.[MEASURED[meter]]);
