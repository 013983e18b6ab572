import type { AvailableCapacity, Limits, Status } from '../../adapter/device.ts';
import { type ChargerRaw, flagOf, ID, numberOf, wordOf } from './observations.ts';

/** The least that a car charges with (IEC 61851-1); below it the charger pauses. */
export const LEAST_A = 6;
/** The most that an Easee charger gives, on each phase. */
export const MOST_A = 32;

interface Mode {
  readonly word: string;
  /** null where the mode does not tell. */
  readonly isConnected: boolean | null;
}

/** Op modes by their number (developer.easee.com, "Enumerations"; 7 and 8 as clients found them). */
const MODES: Readonly<Record<number, Mode>> = {
  0: { word: 'offline', isConnected: null },
  1: { word: 'disconnected', isConnected: false },
  2: { word: 'awaiting_start', isConnected: true },
  3: { word: 'charging', isConnected: true },
  4: { word: 'completed', isConnected: true },
  5: { word: 'error', isConnected: null },
  6: { word: 'ready_to_charge', isConnected: true },
  7: { word: 'awaiting_authorization', isConnected: true },
  8: { word: 'deauthorizing', isConnected: true },
};

const OFFLINE = 0;
export const DISCONNECTED = 1;
export const CHARGING = 3;
export const AWAITING_AUTHORIZATION = 7;
export const DEAUTHORIZING = 8;

export const modeOf = (raw: ChargerRaw): number | null => numberOf(raw, ID.opMode);

/** Whether Easee reaches the charger; one that has never told anything is not reached. */
export function isOnline(raw: ChargerRaw): boolean {
  const isConnected = flagOf(raw, ID.connectedToCloud);
  if (isConnected === false || modeOf(raw) === OFFLINE) return false;
  return isConnected === true || wordOf(raw, ID.opMode) !== null;
}

export function statusOf(raw: ChargerRaw): Status {
  if (!isOnline(raw)) return { online: false, connected: null, charging: null, operation_state: 'offline' };
  const number = modeOf(raw);
  const mode = number === null ? undefined : MODES[number];
  if (mode === undefined) {
    const word = wordOf(raw, ID.opMode);
    const operation_state = word === null ? null : `mode ${word}`;
    return { online: true, connected: null, charging: null, operation_state };
  }
  return {
    online: true,
    connected: mode.isConnected,
    charging: number === CHARGING,
    operation_state: mode.word,
  };
}

/** Watt, told in kilowatt; nothing is known of a charger that is not reached. */
export function powerOf(raw: ChargerRaw): number | null {
  const kw = numberOf(raw, ID.totalPower);
  return kw === null || !isOnline(raw) ? null : Math.round(kw * 1000);
}

/**
 * What the charger has delivered in its life, watt-hours; Easee tells it about once an hour. The energy of the session would be
 * fresher, but starts again with each car and shows stray zeros. A zero here is one, or a charger that has delivered nothing yet.
 */
export function energyOf(raw: ChargerRaw): number | null {
  const kwh = numberOf(raw, ID.lifetimeEnergy);
  return kwh === null || kwh <= 0 ? null : Math.round(kwh * 1000);
}

/** Ampere on each phase; the lowest of what the charger, its circuit and its installer permit. */
export function limitsOf(raw: ChargerRaw): Limits {
  const permitted = fixedLimits([numberOf(raw, ID.maxChargerCurrent), ...circuitFixed(raw)]);
  return { min_a: LEAST_A, max_a: Math.floor(Math.min(MOST_A, ...permitted)), min_w: null, max_w: null };
}

/**
 * What the circuit's limit leaves beside what the charger draws, on the phase that has least. Only where the charger is alone: of
 * the others' currents nothing is told here. What else the house draws is not in it: only an Equalizer knows.
 */
export function capacityOf(raw: ChargerRaw): AvailableCapacity {
  const limit = circuitLimit(raw);
  if (limit === null || !raw.circuit.isAlone || !isOnline(raw)) return { current_a: null, power_w: null };
  // Terminals, not phases: which is neutral depends on the grid, and the highest is no less than the highest phase.
  const drawn = [ID.currentT2, ID.currentT3, ID.currentT4, ID.currentT5].map((id) => numberOf(raw, id));
  const known = drawn.filter((amperes) => amperes !== null);
  if (known.length === 0) return { current_a: null, power_w: null };
  return { current_a: Math.max(0, Math.floor(limit - Math.max(...known))), power_w: null };
}

/** What the installer set for the circuit, on each phase. */
const circuitFixed = (raw: ChargerRaw): (number | null)[] => [
  raw.circuit.ratedA,
  numberOf(raw, ID.circuitMaxP1),
  numberOf(raw, ID.circuitMaxP2),
  numberOf(raw, ID.circuitMaxP3),
];

/** Those that are told; 0 stands for "not set". */
const fixedLimits = (amperes: readonly (number | null)[]): number[] =>
  amperes.filter((one) => one !== null).filter((one) => one > 0);

/** The circuit's own limit that can be set, on each phase. */
export const circuitDynamic = (raw: ChargerRaw): (number | null)[] =>
  [ID.dynamicCircuitP1, ID.dynamicCircuitP2, ID.dynamicCircuitP3].map((id) => numberOf(raw, id));

/** Ampere on the phase that may take least; a phase at 0 is switched off (that is how clients charge on one phase). */
function circuitLimit(raw: ChargerRaw): number | null {
  const dynamic = circuitDynamic(raw).filter((amperes) => amperes !== null);
  if (dynamic.length === 0) return null;
  const used = dynamic.filter((amperes) => amperes > 0);
  return used.length === 0 ? 0 : Math.min(...used, ...fixedLimits(circuitFixed(raw)));
}
