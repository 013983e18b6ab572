import type { Status } from '../../adapter/device.ts';
import { figure, objectIn, timeIn, unrecognized, word } from '../../adapter/kit/index.ts';
import type { JsonObject } from '../../core/json.ts';
import { type Problem, problemIn, UNREACHABLE } from './failures.ts';

/** The signals that are used, by their codes at Smartcar. */
export const SIGNALS = {
  soc: 'tractionbattery-stateofcharge',
  power: 'charge-wattage',
  energy: 'charge-energyadded',
  charging: 'charge-ischarging',
  cable: 'charge-ischargingcableconnected',
  detail: 'charge-detailedchargingstatus',
  online: 'connectivitystatus-isonline',
} as const;
const CODES: readonly unknown[] = Object.values(SIGNALS);

/** What Smartcar has stored of one thing in a car. */
interface Signal {
  readonly status: unknown;
  readonly body: JsonObject;
  readonly problem: Problem | undefined;
  /** When the maker reported it, ms since 1970. */
  readonly at: number | null;
}

/** The signals of a car by their codes; those that are not used are left out, and those that Smartcar does not have are missing. */
export type Reading = ReadonlyMap<string, Signal | 'other'>;

/** A value with the time that it is of. */
interface Timed<T> {
  readonly value: T | null;
  readonly at: number | null;
}

/**
 * Signals in either form: JSON:API in responses (`attributes`), plain in webhooks. Signals that are not used count only as a sign that
 * Smartcar has something of the car.
 */
export function readingIn(list: unknown): Reading {
  const members = Array.isArray(list) ? list.map(objectIn) : [];
  return new Map(
    members.flatMap((member): [string, Signal | 'other'][] => {
      const { id } = member;
      const attributes = objectIn(member.attributes ?? member);
      const code = [attributes.code, id].find((one) => CODES.includes(one));
      if (typeof code !== 'string')
        return typeof attributes.code === 'string' ? [[attributes.code, 'other']] : [];
      const status = objectIn(attributes.status);
      const meta = objectIn(member.meta);
      const signal: Signal = {
        // Smartcar leaves it out of some deliveries where all is well.
        status: status.value ?? 'SUCCESS',
        body: objectIn(attributes.body),
        problem: status.error === undefined ? undefined : problemIn(status.error),
        at: momentIn(meta.oemUpdatedAt) ?? momentIn(meta.retrievedAt),
      };
      return [[code, signal]];
    }),
  );
}

/** Below it a number is seconds: it is a day of March 1973 in ms. */
const MOST_SECONDS = 1e11;

/** ISO text, ms or seconds since 1970: Smartcar uses all three. 0 stands for "unknown". */
export function momentIn(value: unknown): number | null {
  const number = figure(value, 1, 8.64e15);
  if (number === null) return timeIn(value);
  return number < MOST_SECONDS ? number * 1_000 : number;
}

const signalOf = (reading: Reading, code: string): Signal | undefined => {
  const signal = reading.get(code);
  return signal === 'other' ? undefined : signal;
};

const bodyOf = (signal: Signal | undefined): JsonObject => (signal?.status === 'SUCCESS' ? signal.body : {});

/** What failed of the signals that are used. */
export const problemsIn = (reading: Reading): Problem[] =>
  Object.values(SIGNALS).flatMap((code) => signalOf(reading, code)?.problem ?? []);

/** Whether any of the signals that are used has a value. */
export const hasValues = (reading: Reading): boolean =>
  Object.values(SIGNALS).some((code) => Object.keys(bodyOf(signalOf(reading, code))).length > 0);

/** Whether Smartcar never has a signal of the car: it cannot give it, or nothing stores it. */
export function isLacking(reading: Reading, code: string): boolean {
  const signal = signalOf(reading, code);
  return signal === undefined || signal.problem?.type === 'COMPATIBILITY';
}

const PERCENT: Readonly<Record<string, number>> = { percent: 1, percentage: 1 };
const WATT: Readonly<Record<string, number>> = {
  watt: 1,
  watts: 1,
  kilowatt: 1_000,
  kilowatts: 1_000,
  kw: 1_000,
};
const WATT_HOURS: Readonly<Record<string, number>> = { kwh: 1_000, 'kilowatt-hours': 1_000, wh: 1 };
const UNITS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  [SIGNALS.soc]: PERCENT,
  [SIGNALS.power]: WATT,
  [SIGNALS.energy]: WATT_HOURS,
};
const unitIn = ({ unit }: JsonObject): unknown => (typeof unit === 'string' ? unit.toLowerCase() : unit);

function measured(reading: Reading, code: string, most: number): Timed<number> {
  const signal = signalOf(reading, code);
  const body = bodyOf(signal);
  const times = UNITS[code]?.[String(unitIn(body))];
  const value = figure(body.value, -most, most);
  return { value: times === undefined || value === null ? null : value * times, at: signal?.at ?? null };
}

function flag(reading: Reading, code: string): Timed<boolean> {
  const signal = signalOf(reading, code);
  const { value } = bodyOf(signal);
  return { value: typeof value === 'boolean' ? value : null, at: signal?.at ?? null };
}

export function socOf(reading: Reading): Timed<number> {
  const { value, at } = measured(reading, SIGNALS.soc, 100);
  return { value: value !== null && value < 0 ? null : value, at };
}

/** A car that does not charge has no power at Smartcar, only an error that says so. */
export function powerOf(reading: Reading): Timed<number> {
  const power = measured(reading, SIGNALS.power, 1_000_000);
  const charging = chargingOf(reading);
  return power.value === null && charging.value === false ? { value: 0, at: charging.at } : power;
}

/** What the charge has added, Wh. */
export const energyOf = (reading: Reading): Timed<number> => measured(reading, SIGNALS.energy, 10_000_000);

/** Words of `charge-detailedchargingstatus`; makers may have others. */
const CHARGING_STATES: Readonly<Record<string, boolean>> = {
  CHARGING: true,
  NOT_CHARGING: false,
  FULLY_CHARGED: false,
};

const detailOf = (reading: Reading): Timed<string> => {
  const signal = signalOf(reading, SIGNALS.detail);
  return { value: word(bodyOf(signal).value), at: signal?.at ?? null };
};

function chargingOf(reading: Reading): Timed<boolean> {
  const own = flag(reading, SIGNALS.charging);
  if (own.value !== null) return own;
  const { value, at } = detailOf(reading);
  return { value: CHARGING_STATES[value ?? ''] ?? null, at };
}

/** Many cars do not say whether they are online: then one of which something could be had is. */
function onlineOf(reading: Reading): Timed<boolean> {
  const own = flag(reading, SIGNALS.online);
  if (own.value !== null) return own;
  const isAway = problemsIn(reading).some(
    ({ type, code }) => type === 'VEHICLE_STATE' && UNREACHABLE.includes(code),
  );
  return { value: hasValues(reading) && !isAway, at: observedAt(reading) };
}

export function statusOf(reading: Reading): Status {
  return {
    online: onlineOf(reading).value ?? false,
    connected: flag(reading, SIGNALS.cable).value,
    charging: chargingOf(reading).value,
    operation_state: detailOf(reading).value,
  };
}

/** The newest time of what is used; signals of a car are of different times. */
export function observedAt(reading: Reading): number | null {
  const times = Object.values(SIGNALS).flatMap((code) => {
    const signal = signalOf(reading, code);
    return signal?.status === 'SUCCESS' ? (signal.at ?? []) : [];
  });
  return times.length === 0 ? null : Math.max(...times);
}

/** The fields of the state that a delivery reports, each with its own time. */
export const fieldsOf = (reading: Reading) => ({
  online: onlineOf(reading),
  connected: flag(reading, SIGNALS.cable),
  charging: chargingOf(reading),
  operation_state: detailOf(reading),
  battery_soc: socOf(reading),
  power_w: powerOf(reading),
  energy_wh: energyOf(reading),
});

const STATUSES = ['SUCCESS', 'ERROR', 'UNAVAILABLE'];

/** Units and words of the signals that are used and not recognized. */
export function unrecognizedIn(reading: Reading): string[] {
  return Object.values(SIGNALS).flatMap((code) => {
    const signal = signalOf(reading, code);
    const body = bodyOf(signal);
    const units = UNITS[code];
    const isDecisive = code === SIGNALS.detail && flag(reading, SIGNALS.charging).value === null;
    return unrecognized({
      [`${code} status`]: [signal?.status, STATUSES],
      ...(units === undefined ? {} : { [`${code} unit`]: [unitIn(body), units] as const }),
      ...(isDecisive ? { [code]: [body.value, CHARGING_STATES] as const } : {}),
    });
  });
}
