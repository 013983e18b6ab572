import type { Limits, Status } from '../../adapter/device.ts';
import { NO_LIMITS } from '../../adapter/device.ts';
import type { ChargeState, LiveStatus } from './payloads.ts';

/** A car that answered. */
export interface AwakeCar {
  readonly isAwake: true;
  readonly charge: ChargeState;
}

/** A car that could not be asked without waking it. */
export interface AwayCar {
  readonly isAwake: false;
  /** `asleep`, `offline`, or what Tesla calls it. */
  readonly state: string;
  /** What it said when it was last awake. */
  readonly last: ChargeState | undefined;
}

export type CarReading = AwakeCar | AwayCar;

const chargeOf = (car: CarReading): ChargeState => (car.isAwake ? car.charge : (car.last ?? {}));

/** A figure within what is physically possible, else null. */
function figure(value: number | null | undefined, least: number, most: number): number | null {
  return value != null && value >= least && value <= most ? value : null;
}

/** The words of `charging_state`, and what each says of the cable and of the current. */
const CHARGING_STATES: Readonly<Record<string, { readonly connected: boolean; readonly charging: boolean }>> =
  Object.assign(Object.create(null), {
    Disconnected: { connected: false, charging: false },
    NoPower: { connected: true, charging: false },
    Starting: { connected: true, charging: false },
    Charging: { connected: true, charging: true },
    Complete: { connected: true, charging: false },
    Stopped: { connected: true, charging: false },
  });

export function connectedIn({ charging_state, conn_charge_cable }: ChargeState): boolean | null {
  const known = CHARGING_STATES[charging_state ?? ''];
  if (known !== undefined) return known.connected;
  return conn_charge_cable == null ? null : conn_charge_cable !== '<invalid>';
}

/**
 * A car charges awake, so one that sleeps does not charge, and unplugging would have woken it. One without connection may do
 * either.
 */
export function carStatus(car: CarReading): Status {
  if (car.isAwake) {
    const { charging_state } = car.charge;
    return {
      online: true,
      connected: connectedIn(car.charge),
      charging: CHARGING_STATES[charging_state ?? '']?.charging ?? null,
      operation_state: charging_state ?? 'online',
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

export const carSoc = (car: CarReading) => figure(chargeOf(car).battery_level, 0, 100);

/** `charger_phases` of a three-phase charger is 2. */
const PHASES = new Map([
  [1, 1],
  [2, 3],
  [3, 3],
]);
/** `charger_power` is whole kilowatts, rounded one way or the other. */
const COARSENESS_W = 1_500;

/**
 * Watts taken from the grid. Volts and amperes are finer than the kilowatts that the car states, so they are taken while they
 * agree with them; at a fast charger the car measures neither.
 */
export function carPowerW(car: CarReading): number | null {
  if (!car.isAwake) return car.state === 'asleep' ? 0 : null;
  const { charger_power, charger_voltage, charger_actual_current, charger_phases } = car.charge;
  const coarse = charger_power == null ? null : charger_power * 1_000;
  const phases = PHASES.get(charger_phases ?? 0);
  if (phases !== undefined && charger_voltage != null && charger_actual_current != null) {
    const fine = charger_voltage * charger_actual_current * phases;
    if (fine > 0 && (coarse === null || Math.abs(fine - coarse) <= COARSENESS_W))
      return figure(fine, 0, 1_000_000);
  }
  return figure(coarse, -1_000_000, 1_000_000);
}

/** What the battery got since the cable was plugged in, Wh. */
export function carEnergyWh(car: CarReading): number | null {
  const added = figure(chargeOf(car).charge_energy_added, 0, 10_000);
  return added === null ? null : added * 1_000;
}

/** Below it a car does not reliably take the current that it is told; its own screen goes no lower either. */
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

/** Undefined while the gateway has no connection. */
export type SiteReading = LiveStatus | undefined;

export function batteryStatus(site: SiteReading): Status {
  if (site === undefined) return { online: false };
  const power = batteryPowerW(site);
  return { online: true, charging: power === null ? null : power > 0, operation_state: stateOf(site) };
}

export function solarStatus(site: SiteReading): Status {
  return site === undefined ? { online: false } : { online: true, operation_state: stateOf(site) };
}

const stateOf = ({ island_status, grid_status }: LiveStatus) => island_status ?? grid_status ?? null;

export const siteSoc = (site: SiteReading) => figure(site?.percentage_charged, 0, 100);

/** Tesla counts what a battery gives as positive; here it is what it takes. */
export function batteryPowerW(site: SiteReading): number | null {
  const given = figure(site?.battery_power, -100_000_000, 100_000_000);
  // Never -0.
  return given === null ? null : 0 - given;
}

/** At night inverters take a few watts, which is no production. */
export function productionW(site: SiteReading): number | null {
  const power = figure(site?.solar_power, -100_000_000, 100_000_000);
  return power === null ? null : Math.max(0, power);
}

export function siteObservedAt(site: SiteReading): number | null {
  const at = Date.parse(site?.timestamp ?? '');
  return Number.isNaN(at) ? null : at;
}
