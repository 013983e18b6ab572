import type { Situation } from '../../adapter/conformance/witnesses.ts';
import { HOUR_MS } from '../../core/durations.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { drawnW, gridWh, socAfter } from '../../simulation/physics/car-battery.ts';

/** What the energy API reports of a model: all, the cable alone, or nothing for the time being. */
const MODELS = {
  EX40: { fuelType: 'ELECTRIC', capacity: 81.6, energy: 'all' },
  XC60: { fuelType: 'PETROL/ELECTRIC', capacity: 11.8, energy: 'cable' },
  C40: { fuelType: 'ELECTRIC', capacity: 78, energy: 'nothing' },
  V90: { fuelType: 'DIESEL', capacity: null, energy: 'nothing' },
} as const;
type Model = keyof typeof MODELS;

/** A simulated car as it reported itself last, at `at`, ms since 1970. */
export interface SimulatedCar {
  readonly id: string;
  readonly model: Model;
  online: boolean;
  at: number;
  /** Percent. */
  soc: number;
  limit: number;
  isPlugged: boolean;
  isStopped: boolean;
}

/** While it charges a car reports itself each minute. */
const REPORT_MS = 60_000;
const OFFERED_W = 11_040;

const mayCharge = ({ isPlugged, isStopped, soc, limit }: SimulatedCar) =>
  isPlugged && !isStopped && soc < limit;
const offered = ({ soc, limit }: SimulatedCar) => ({ soc, limit, offeredW: OFFERED_W });

/** Brings a car to its last report. A car that Volvo does not reach goes on, and reports that later. */
export function settle(car: SimulatedCar, now: number): void {
  const at = now - (now % REPORT_MS);
  if (!car.online || !mayCharge(car) || at <= car.at) return;
  car.soc = socAfter(offered(car), (at - car.at) / 1_000);
  car.at = at;
}

export function newCar(number: number, model: Model, now: number): SimulatedCar {
  const common = { online: true, at: now, soc: 50, limit: 90, isPlugged: true, isStopped: false };
  return { id: `YV1SMLTD0R${String(number).padStart(7, '0')}`, model, ...common };
}

export function arrange(car: SimulatedCar, situation: Situation, now: number): void {
  Object.assign(car, newCar(0, car.model, now), { id: car.id });
  car.isPlugged = situation !== 'off';
  car.isStopped = situation !== 'charging';
}

const iso = (ms: number) => new Date(ms).toISOString();

/** `GET …/vehicles/{vin}` */
export function vehicleOf({ id, model }: SimulatedCar): JsonObject {
  const { fuelType, capacity } = MODELS[model];
  return {
    vin: id,
    modelYear: 2024,
    gearbox: 'AUTOMATIC',
    fuelType,
    externalColour: 'Vapour Grey',
    ...(capacity === null ? {} : { batteryCapacityKWH: capacity }),
    images: { exteriorImageUrl: '', internalImageUrl: '' },
    descriptions: { model, upholstery: 'null', steering: 'LEFT' },
  };
}

const SUPPORTED = {
  all: null,
  cable: ['chargerConnectionStatus', 'chargingStatus', 'targetBatteryChargeLevel'],
} as const;
const failed = (code: string): JsonObject => ({ status: 'ERROR', code, message: 'simulated' });

/** The energy state; undefined of a car that the energy API does not have. */
export function energyOf(car: SimulatedCar): Record<string, JsonObject> | undefined {
  const { energy } = MODELS[car.model];
  if (energy === 'nothing') return undefined;
  const updatedAt = iso(car.at).replace(/\.\d+Z$/, 'Z');
  const says = (value: Json, unit?: string): JsonObject => ({
    status: 'OK',
    value,
    ...(unit === undefined ? {} : { unit }),
    updatedAt,
  });
  const isCharging = mayCharge(car);
  const watts = isCharging ? Math.round(drawnW(offered(car))) : 0;
  const hours = isCharging ? gridWh(car.limit - car.soc) / watts : 0;
  const rest = car.soc >= car.limit ? 'DONE' : 'IDLE';
  const level = Math.round(car.soc * 10) / 10;
  const fields: Record<string, JsonObject> = {
    batteryChargeLevel: says(level, 'percentage'),
    electricRange: says(Math.round(car.soc * 4.6), 'km'),
    chargerConnectionStatus: says(car.isPlugged ? 'CONNECTED' : 'DISCONNECTED'),
    chargingStatus: says(isCharging ? 'CHARGING' : rest),
    chargingType: says(car.isPlugged ? 'AC' : 'NONE'),
    chargerPowerStatus: says(isCharging ? 'PROVIDING_POWER' : 'NO_POWER_AVAILABLE'),
    estimatedChargingTimeToTargetBatteryChargeLevel: says(Math.round(hours * 60), 'minutes'),
    chargingCurrentLimit: says(32, 'ampere'),
    targetBatteryChargeLevel: { ...says(car.limit, 'percentage'), updatedAt: iso(car.at - 100 * HOUR_MS) },
    chargingPower: isCharging ? says(watts, 'watts') : failed('PROPERTY_NOT_FOUND'),
  };
  const supported: readonly string[] | null = SUPPORTED[energy];
  return Object.fromEntries(
    Object.entries(fields).map(([field, said]) => [
      field,
      supported === null || supported.includes(field) ? said : failed('NOT_SUPPORTED'),
    ]),
  );
}

/** What the energy API can say of a car; `chargingStatus` has another name here. */
export function capabilitiesOf(car: SimulatedCar): JsonObject | undefined {
  const fields = energyOf(car);
  if (fields === undefined) return undefined;
  const supported = Object.entries(fields).map(([field, { code }]): [string, Json] => [
    field === 'chargingStatus' ? 'chargingSystemStatus' : field,
    { isSupported: code !== 'NOT_SUPPORTED' },
  ]);
  return { getEnergyState: { isSupported: true, ...Object.fromEntries(supported) } };
}

/** `GET …/fuel` */
export function fuelOf({ model, soc, at }: SimulatedCar): JsonObject {
  const { fuelType } = MODELS[model];
  const timestamp = iso(at);
  return {
    ...(fuelType === 'ELECTRIC' ? {} : { fuelAmount: { value: '47.3', unit: 'l', timestamp } }),
    ...(fuelType === 'DIESEL' ? {} : { batteryChargeLevel: { value: soc.toFixed(1), unit: '%', timestamp } }),
  };
}

/** `GET …/command-accessibility` */
export const accessibilityOf = ({ online, at }: SimulatedCar): JsonObject => ({
  availabilityStatus: {
    value: online ? 'AVAILABLE' : 'UNAVAILABLE',
    ...(online ? {} : { unavailableReason: 'NO_INTERNET' }),
    timestamp: iso(at),
  },
});
