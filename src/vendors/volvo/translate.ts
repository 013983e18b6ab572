import Type, { type Static } from 'typebox';
import type { Found, Status } from '../../adapter/device.ts';
import type { Capability } from '../../adapter/fields.ts';
import { figure, fits, lenient, objectIn, timeIn, unrecognized, word } from '../../adapter/kit/index.ts';
import type { JsonObject } from '../../core/json.ts';

const LEVEL = 'batteryChargeLevel';
const CONNECTION = 'chargerConnectionStatus';
const STATE = 'chargingStatus';
const POWER = 'chargingPower';
const REMAINING = 'estimatedChargingTimeToTargetBatteryChargeLevel';
/** The fields of the energy state that are used, each with its unit. All change by themselves. */
const FIELDS = {
  [LEVEL]: 'percentage',
  [CONNECTION]: undefined,
  [STATE]: undefined,
  [POWER]: 'watts',
  [REMAINING]: 'minutes',
} as const;
type Field = keyof typeof FIELDS;

export const EnergyState = lenient({}, LEVEL, CONNECTION, STATE, POWER, REMAINING);
/** Has a charge level for some cars that the energy API does not know. */
export const Fuel = lenient({}, LEVEL);
export const Accessibility = lenient({}, 'availabilityStatus');

/** What Volvo's APIs say of a car; undefined where one refuses it, and `fuel` where the energy state has a charge level. */
export interface CarReading {
  readonly energy: Static<typeof EnergyState> | undefined;
  readonly fuel: Static<typeof Fuel> | undefined;
  readonly accessibility: Static<typeof Accessibility> | undefined;
}

type Flags = ReadonlyMap<unknown, boolean>;
/** A cable at a faulty charger is connected too. */
const CONNECTED: Flags = new Map([
  ['CONNECTED', true],
  ['DISCONNECTED', false],
  ['FAULT', true],
]);
const CHARGING: Flags = new Map([
  ['CHARGING', true],
  ...['IDLE', 'SCHEDULED', 'DONE', 'ERROR', 'DISCHARGING'].map((state) => [state, false] as const),
]);
/** Why a car takes no commands, and whether it is online nevertheless. */
const REASONS: Flags = new Map([
  ...['CAR_IN_USE', 'OTA_INSTALLATION_IN_PROGRESS'].map((reason) => [reason, true] as const),
  ...['NO_INTERNET', 'POWER_SAVING_MODE', 'UNSPECIFIED'].map((reason) => [reason, false] as const),
]);

const entry = ({ energy }: Pick<CarReading, 'energy'>, field: Field): JsonObject => objectIn(energy?.[field]);
const fuelLevel = ({ fuel }: CarReading): JsonObject => objectIn(fuel?.[LEVEL]);
const availability = ({ accessibility }: CarReading) => objectIn(accessibility?.availabilityStatus);

/** A field that cannot be read has the status ERROR in a response of 200. */
function valueIn(car: Pick<CarReading, 'energy'>, field: Field): unknown {
  const { status, value, unit } = entry(car, field);
  return status === 'OK' && (FIELDS[field] === undefined || unit === FIELDS[field]) ? value : undefined;
}

/** Of a car that it cannot reach Volvo serves the last report. */
export function statusOf(car: CarReading): Status {
  const { value, unavailableReason: reason } = availability(car);
  if (value === 'UNAVAILABLE' && REASONS.get(reason) !== true)
    return { online: false, connected: null, charging: null, operation_state: word(reason) ?? value };
  const charging = CHARGING.get(valueIn(car, STATE)) ?? null;
  const minutes = figure(valueIn(car, REMAINING), 0, 100_000);
  return {
    online: true,
    connected: CONNECTED.get(valueIn(car, CONNECTION)) ?? (charging === true ? true : null),
    charging,
    operation_state: word(valueIn(car, STATE)),
    // A car that does not charge says 0 or 1 minute.
    ...(charging === true && minutes !== null ? { remaining_seconds: Math.round(minutes * 60) } : {}),
  };
}

export const energySoc = (car: Pick<CarReading, 'energy'>): number | null =>
  figure(valueIn(car, LEVEL), 0, 100);

/** Percent. In `/fuel`, 0 has been seen of cars that were not empty. */
export function socOf(car: CarReading): number | null {
  const { value, unit } = fuelLevel(car);
  const percent = typeof value === 'string' ? Number(value) : value;
  return energySoc(car) ?? (unit === '%' ? figure(percent, 1, 100) : null);
}

/** Watts. Cars report them while they charge alone, some 0 as they do not measure; the sign of discharging is not documented. */
export function powerOf(car: CarReading): number | null {
  const { charging } = statusOf(car);
  if (charging === null || valueIn(car, STATE) === 'DISCHARGING') return null;
  const watts = figure(valueIn(car, POWER), 0, 400_000);
  return charging ? watts || null : (watts ?? 0);
}

/** The newest time of the fields; each has its own. */
export function observedAt(car: CarReading): number | null {
  const fields = (Object.keys(FIELDS) as Field[]).filter((field) => valueIn(car, field) !== undefined);
  const times = [...fields.map((field) => entry(car, field).updatedAt), fuelLevel(car).timestamp];
  const read = times.map(timeIn).filter((time) => time !== null);
  return read.length === 0 ? null : Math.max(...read);
}

/** Volvo says that values may be added to each. */
export function unrecognizedIn(car: CarReading): string[] {
  const { value, unavailableReason } = availability(car);
  const ofFields = Object.entries(FIELDS).flatMap(([field, unit]) => {
    const said = entry(car, field as Field);
    return [
      [`status of ${field}`, [said.status, ['OK', 'ERROR']]] as const,
      ...(unit === undefined ? [] : [[`unit of ${field}`, [said.unit, [unit]]] as const]),
    ];
  });
  return unrecognized({
    ...Object.fromEntries(ofFields),
    [STATE]: [valueIn(car, STATE), CHARGING],
    [CONNECTION]: [valueIn(car, CONNECTION), CONNECTED],
    'unit of fuel': [fuelLevel(car).unit, ['%']],
    availabilityStatus: [value, ['AVAILABLE', 'UNAVAILABLE', 'UNSPECIFIED']],
    unavailableReason: [unavailableReason, REASONS],
  });
}

const READS = ['read_battery_soc', 'read_power'] as const;
/** What listing stores of a car. */
export const Details = Type.Object({
  model: Type.Union([Type.String(), Type.Null()]),
  reads: Type.Array(Type.Enum([...READS])),
});
export type Details = Static<typeof Details>;

export const withheldFrom = ({ details }: Pick<Found, 'details'>): readonly Capability[] =>
  READS.filter((one) => !fits(Details, details) || !details.reads.includes(one));

export const whyWithheld = (found: Pick<Found, 'details'>): string | undefined =>
  withheldFrom(found).length === 0
    ? undefined
    : 'Volvo does not provide this value for the car now; it is asked again within a day';
