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
const USED = Object.values(SIGNALS);

/** What Smartcar has stored of one thing in a car. */
interface Signal {
  readonly status: unknown;
  /** Empty where the status says that there is no value. */
  readonly body: JsonObject;
  readonly problem: Problem | undefined;
  /** When the maker reported it, ms since 1970. */
  readonly at: number | null;
}

/** The signals of a car by their codes; one that is missing Smartcar does not have. */
export type Reading = ReadonlyMap<string, Signal>;

/** A value with the time that it is of. */
interface Timed<T> {
  readonly value: T | null;
  readonly at: number | null;
}

/** Signals in either form: JSON:API in responses (`attributes`), plain in webhooks. */
export function readingIn(list: unknown): Reading {
  const members = Array.isArray(list) ? list.map(objectIn) : [];
  return new Map(
    members.flatMap((member): [string, Signal][] => {
      const attributes = objectIn(member.attributes ?? member);
      const named = [attributes.code, member.id];
      const code = USED.find((one) => named.includes(one)) ?? attributes.code;
      return typeof code === 'string' ? [[code, signalIn(attributes, objectIn(member.meta))]] : [];
    }),
  );
}

function signalIn(attributes: JsonObject, meta: JsonObject): Signal {
  // Smartcar leaves the status out of some deliveries where all is well.
  const { value: status = 'SUCCESS', error } = objectIn(attributes.status);
  return {
    status,
    body: status === 'SUCCESS' ? objectIn(attributes.body) : {},
    problem: error === undefined ? undefined : problemIn(error),
    at: momentIn(meta.oemUpdatedAt) ?? momentIn(meta.retrievedAt),
  };
}

/** Below it a number is seconds: it is a day of March 1973 in ms. */
const MOST_SECONDS = 1e11;

/** ISO text, ms or seconds since 1970: Smartcar uses all three. 0 stands for "unknown". */
export function momentIn(value: unknown): number | null {
  const number = figure(value, 1, 8.64e15);
  if (number === null) return timeIn(value);
  return number < MOST_SECONDS ? number * 1_000 : number;
}

/** What failed of the signals that are used. */
export const problemsIn = (reading: Reading): Problem[] =>
  USED.flatMap((code) => reading.get(code)?.problem ?? []);

/** Whether any of the signals that are used has a value. */
export const hasValues = (reading: Reading): boolean =>
  USED.some((code) => Object.keys(reading.get(code)?.body ?? {}).length > 0);

/** The signals that Smartcar never has of a car: it cannot give them, or nothing stores them. */
export const lackingIn = (reading: Reading): string[] =>
  USED.filter((code) => {
    const signal = reading.get(code);
    return signal === undefined || signal.problem?.type === 'COMPATIBILITY';
  });

/** What a value is multiplied with, by its unit in lower case. */
const UNITS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  [SIGNALS.soc]: { percent: 1, percentage: 1 },
  [SIGNALS.power]: { watt: 1, watts: 1, kilowatt: 1_000, kilowatts: 1_000, kw: 1_000 },
  [SIGNALS.energy]: { kwh: 1_000, 'kilowatt-hours': 1_000, wh: 1 },
};
const unitIn = ({ unit }: JsonObject): unknown => (typeof unit === 'string' ? unit.toLowerCase() : unit);

/** What `read` makes of the body of a signal. */
function timedOf<T>(reading: Reading, code: string, read: (body: JsonObject) => T | null): Timed<T> {
  const { body = {}, at = null } = reading.get(code) ?? {};
  return { value: read(body), at };
}

const measured = (reading: Reading, code: string, [least, most]: readonly [number, number]) =>
  timedOf(reading, code, (body) => {
    const times = UNITS[code]?.[String(unitIn(body))];
    const value = figure(body.value, least, most);
    return times === undefined || value === null ? null : value * times;
  });

const flag = (reading: Reading, code: string) =>
  timedOf(reading, code, ({ value }) => (typeof value === 'boolean' ? value : null));

const detailOf = (reading: Reading) => timedOf(reading, SIGNALS.detail, ({ value }) => word(value));

export const socOf = (reading: Reading): Timed<number> => measured(reading, SIGNALS.soc, [0, 100]);

/** What the charge has added, Wh. */
export const energyOf = (reading: Reading): Timed<number> =>
  measured(reading, SIGNALS.energy, [0, 10_000_000]);

/**
 * W; negative where the car gives power back. A car that does not charge takes none: Smartcar has an error in its place, or still the last
 * power of the charge.
 */
export function powerOf(reading: Reading): Timed<number> {
  const power = measured(reading, SIGNALS.power, [-1_000_000, 1_000_000]);
  const charging = chargingOf(reading);
  const isNewer = power.at !== null && charging.at !== null && power.at > charging.at;
  const isOver = power.value === null || (power.value > 0 && !isNewer);
  return charging.value === false && isOver ? { value: 0, at: charging.at } : power;
}

/** Words of `charge-detailedchargingstatus`; makers may have others. */
const CHARGING_STATES: Readonly<Record<string, boolean>> = {
  CHARGING: true,
  NOT_CHARGING: false,
  FULLY_CHARGED: false,
};

function chargingOf(reading: Reading): Timed<boolean> {
  const own = flag(reading, SIGNALS.charging);
  if (own.value !== null) return own;
  const { value, at } = detailOf(reading);
  return { value: CHARGING_STATES[value ?? ''] ?? null, at };
}

/** Many cars do not say whether they are online: then one of which something could be had is. Null where nothing is said of a car. */
function onlineOf(reading: Reading): Timed<boolean> {
  const own = flag(reading, SIGNALS.online);
  if (own.value !== null) return own;
  const isUnreachable = problemsIn(reading).some(
    ({ type, code }) => type === 'VEHICLE_STATE' && UNREACHABLE.includes(code),
  );
  const isKnown = isUnreachable || hasValues(reading);
  return { value: isKnown ? !isUnreachable : null, at: observedAt(reading) };
}

/** The fields of the state, each with its own time. */
export const fieldsOf = (reading: Reading) => ({
  online: onlineOf(reading),
  connected: flag(reading, SIGNALS.cable),
  charging: chargingOf(reading),
  operation_state: detailOf(reading),
  battery_soc: socOf(reading),
  power_w: powerOf(reading),
  energy_wh: energyOf(reading),
});

export function statusOf(reading: Reading): Status {
  const { online, connected, charging, operation_state } = fieldsOf(reading);
  return {
    online: online.value ?? false,
    connected: connected.value,
    charging: charging.value,
    operation_state: operation_state.value,
  };
}

/** The newest time of what is used; signals of a car are of different times. */
export function observedAt(reading: Reading): number | null {
  const times = USED.flatMap((code) => {
    const { status, at } = reading.get(code) ?? {};
    return status === 'SUCCESS' ? (at ?? []) : [];
  });
  return times.length === 0 ? null : Math.max(...times);
}

const STATUSES = ['SUCCESS', 'ERROR', 'UNAVAILABLE'];

/** Units and words of the signals that are used and not recognized. */
export const unrecognizedIn = (reading: Reading): string[] =>
  USED.flatMap((code) => {
    const { status, body = {} } = reading.get(code) ?? {};
    const isDecisive = code === SIGNALS.detail && flag(reading, SIGNALS.charging).value === null;
    return unrecognized({
      [`${code} status`]: [status, STATUSES],
      ...(UNITS[code] === undefined ? {} : { [`${code} unit`]: [unitIn(body), UNITS[code]] }),
      ...(isDecisive ? { [code]: [body.value, CHARGING_STATES] } : {}),
    });
  });
