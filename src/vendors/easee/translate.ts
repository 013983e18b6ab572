import Type from 'typebox';
import type { AvailableCapacity, Limits, Status } from '../../adapter/device.ts';
import {
  fits,
  flagIn,
  lenient,
  numberIn,
  type Observations,
  type Observed,
  observing,
  timeIn,
  unrecognized,
} from '../../adapter/kit/index.ts';
import type { DeviceRef } from '../../adapter/session.ts';
import { MINUTE_MS } from '../../core/durations.ts';

/** Numbers of the observations that we use (developer.easee.com, "Charger observation IDs"); an owner may read each of them. */
export const ID = {
  /** On each phase. */
  circuitMax: [22, 23, 24],
  isEnabled: 31,
  maxChargerCurrent: 47,
  dynamicChargerCurrent: 48,
  opMode: 109,
  /** On each phase. */
  dynamicCircuit: [111, 112, 113],
  totalPower: 120,
  lifetimeEnergy: 124,
  /** Reported every quarter of an hour, whatever the charger does: what shows that it still reports. */
  temperature: 150,
  /** At each terminal, of which one is neutral: which one depends on the grid. */
  currents: [182, 183, 184, 185],
  connectedToCloud: 250,
} as const;

export const IDS: readonly number[] = Object.values(ID).flat();

/** Settings of the installation: when they were changed says nothing of when the charger last reported. */
const SETTINGS: readonly number[] = [...ID.circuitMax, ID.isEnabled, ID.maxChargerCurrent];

/** A charger that has reported nothing for so long may have stopped charging; one at rest reports each quarter of an hour. */
const SILENT_MS = 20 * MINUTE_MS;

/** As it comes in responses and over the stream, where every value is text. */
const ShortText = Type.String({ maxLength: 64 });
const Observation = lenient(
  { id: Type.Integer(), value: Type.Union([Type.Number(), Type.Boolean(), ShortText]) },
  'timestamp',
);

/** All that Easee says of a charger: its latest observations by their number. */
export interface ChargerRaw {
  readonly circuit: {
    /** Ampere, as the installer set it; null when Easee does not say. */
    readonly ratedA: number | null;
    /** No other charger hangs on it. */
    readonly isAlone: boolean;
  };
  readonly observed: Observations;
  /** When we looked, ms since 1970. */
  readonly now: number;
}

/** A charger that has reported nothing yet. */
export function emptyRaw({ details }: Pick<DeviceRef, 'details'>, now: number): ChargerRaw {
  const ratedA = typeof details.rated_a === 'number' ? details.rated_a : null;
  return { circuit: { ratedA, isAlone: details.alone === true }, observed: new Map(), now };
}

/** Whether all is there that the words below are made of; a model that reports no temperature is whole without. */
export const isWhole = ({ observed }: ChargerRaw): boolean =>
  IDS.every((id) => id === ID.temperature || observed.has(id));

/** The charger after one more observation; the same object when it changes nothing: also one that we do not use or cannot read. */
export function withObservation(raw: ChargerRaw, payload: unknown): ChargerRaw {
  if (!fits(Observation, payload) || !IDS.includes(payload.id)) return raw;
  return withObserved(raw, payload.id, { value: payload.value, at: timeIn(payload.timestamp) });
}

/** `base` with what is newer in `other`. */
export function merged(base: ChargerRaw, other: ChargerRaw): ChargerRaw {
  return [...other.observed].reduce((raw, [id, observed]) => withObserved(raw, id, observed), base);
}

function withObserved(raw: ChargerRaw, id: number, next: Observed): ChargerRaw {
  const before = raw.observed.get(id);
  // Easee sends stray zeros of a meter that never falls.
  if (id === ID.lifetimeEnergy && (numberIn(next) ?? 0) < (numberIn(before) ?? 0)) return raw;
  const observed = observing(raw.observed, id, next);
  return observed === raw.observed ? raw : { ...raw, observed };
}

const numberOf = (raw: ChargerRaw, id: number): number | null => numberIn(raw.observed.get(id));
const numbersOf = (raw: ChargerRaw, ids: readonly number[]): number[] =>
  ids.map((id) => numberOf(raw, id)).filter((number) => number !== null);

/** When the charger last reported, ms since 1970. */
export function reportedAt(raw: ChargerRaw): number | null {
  const times = [...raw.observed].flatMap(([id, { at }]) =>
    at === null || SETTINGS.includes(id) ? [] : [at],
  );
  return times.length === 0 ? null : Math.max(...times);
}

export function isSilent(raw: ChargerRaw): boolean {
  const at = reportedAt(raw);
  return at !== null && raw.now - at > SILENT_MS;
}

/** The least that a car charges with (IEC 61851-1); below it the charger pauses. */
export const LEAST_A = 6;
/** The most that an Easee charger gives, on each phase. */
const MOST_A = 32;

/** Op modes by their number (developer.easee.com, "Enumerations"; 7 and 8 as clients found them). */
export const MODE = {
  offline: 0,
  disconnected: 1,
  awaiting_start: 2,
  charging: 3,
  completed: 4,
  error: 5,
  ready_to_charge: 6,
  awaiting_authorization: 7,
  deauthorizing: 8,
} as const;
const MODE_WORDS = Object.keys(MODE);

export const modeOf = (raw: ChargerRaw): number | null => numberOf(raw, ID.opMode);
export const dynamicCurrentOf = (raw: ChargerRaw): number | null => numberOf(raw, ID.dynamicChargerCurrent);
export const isDisabled = (raw: ChargerRaw): boolean => flagIn(raw.observed.get(ID.isEnabled)) === false;

/** Whether Easee reaches the charger; one that has never reported anything is not reached. */
export function isOnline(raw: ChargerRaw): boolean {
  const isConnected = flagIn(raw.observed.get(ID.connectedToCloud));
  if (isConnected === false || modeOf(raw) === MODE.offline) return false;
  return isConnected === true || raw.observed.has(ID.opMode);
}

export const unrecognizedIn = (raw: ChargerRaw): string[] =>
  unrecognized({ 'op mode': [modeOf(raw) ?? raw.observed.get(ID.opMode)?.value, Object.values(MODE)] });

/** A charger that was charging when it last reported, and has been silent since, may do so no longer. */
export function statusOf(raw: ChargerRaw): Status {
  if (!isOnline(raw)) return { online: false, connected: null, charging: null, operation_state: 'offline' };
  const mode = modeOf(raw);
  const word = MODE_WORDS[mode ?? -1];
  if (word === undefined) {
    const value = raw.observed.get(ID.opMode)?.value;
    const operation_state = value === undefined ? null : `mode ${value}`;
    return { online: true, connected: null, charging: null, operation_state };
  }
  const isCharging = mode === MODE.charging;
  return {
    online: true,
    connected: mode === MODE.error ? null : mode !== MODE.disconnected,
    charging: isCharging && isSilent(raw) ? null : isCharging,
    operation_state: word,
  };
}

/** Watt, reported in kilowatt; null for a charger that is not reached, and for a figure that nothing has confirmed for 20 minutes. */
export function powerOf(raw: ChargerRaw): number | null {
  const kw = numberOf(raw, ID.totalPower);
  if (kw === null || !isOnline(raw)) return null;
  // Changes alone are reported: a zero stands until there is another figure.
  return kw !== 0 && isSilent(raw) ? null : Math.round(kw * 1_000);
}

/**
 * What the charger has delivered in its life, watt-hours; Easee reports it about once an hour. The energy of the session would be
 * fresher, but starts again with each car and shows stray zeros. A zero here is one, or a charger that has delivered nothing yet.
 */
export function energyOf(raw: ChargerRaw): number | null {
  const kwh = numberOf(raw, ID.lifetimeEnergy);
  return kwh === null || kwh <= 0 ? null : Math.round(kwh * 1_000);
}

/** What the installer set for the circuit, on each phase; 0 stands for "not set". */
const circuitFixed = (raw: ChargerRaw): number[] =>
  [raw.circuit.ratedA ?? 0, ...numbersOf(raw, ID.circuitMax)].filter((amperes) => amperes > 0);

/** Ampere on each phase; the lowest of what the charger, its circuit and its installer permit. */
export function limitsOf(raw: ChargerRaw): Limits {
  const own = numbersOf(raw, [ID.maxChargerCurrent]).filter((amperes) => amperes > 0);
  const most = Math.min(MOST_A, ...own, ...circuitFixed(raw));
  return { min_a: LEAST_A, max_a: Math.floor(most), min_w: null, max_w: null };
}

/** The circuit's own limit that can be set, on each phase. */
export const circuitDynamicOf = (raw: ChargerRaw): number[] => numbersOf(raw, ID.dynamicCircuit);

/**
 * What the circuit's limit leaves beside what the charger draws, on the phase that has least. Only where the charger is alone: the
 * others' currents are not reported here. What else the house draws is not in it: only an Equalizer measures that.
 */
export function capacityOf(raw: ChargerRaw): AvailableCapacity {
  const dynamic = circuitDynamicOf(raw);
  // A phase at 0 is switched off (that is how clients charge on one phase).
  const used = dynamic.filter((amperes) => amperes > 0);
  const limit = used.length === 0 ? 0 : Math.min(...used, ...circuitFixed(raw));
  // The highest of the terminals is no less than the highest phase.
  const drawn = numbersOf(raw, ID.currents);
  const most = Math.max(0, ...drawn);
  const isReported = raw.circuit.isAlone && isOnline(raw) && dynamic.length > 0 && drawn.length > 0;
  if (!isReported || (most >= 1 && isSilent(raw))) return { current_a: null, power_w: null };
  return { current_a: Math.max(0, Math.floor(limit - most)), power_w: null };
}
