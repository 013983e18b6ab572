import Type from 'typebox';
import { Compile } from 'typebox/compile';

/** Numbers of the charger's observations that we use (developer.easee.com, "Charger observation IDs"). */
export const ID = {
  circuitMaxP1: 22,
  circuitMaxP2: 23,
  circuitMaxP3: 24,
  maxChargerCurrent: 47,
  dynamicChargerCurrent: 48,
  opMode: 109,
  dynamicCircuitP1: 111,
  dynamicCircuitP2: 112,
  dynamicCircuitP3: 113,
  totalPower: 120,
  lifetimeEnergy: 124,
  currentT2: 182,
  currentT3: 183,
  currentT4: 184,
  currentT5: 185,
  connectedToCloud: 250,
} as const;

export const IDS: readonly number[] = Object.values(ID);

/** Settings of the installation: when they were last changed says nothing of when the charger was last heard. */
const SETTINGS: ReadonlySet<number> = new Set([
  ID.circuitMaxP1,
  ID.circuitMaxP2,
  ID.circuitMaxP3,
  ID.maxChargerCurrent,
]);

const MOST_TEXT = 64;
/** No kilowatt, kilowatt-hour or ampere of a charger is beyond it; the thousandfold is still a safe whole number. */
const MOST_NUMBER = 1e9;

/** As it comes in answers and over the stream, where every value is text. */
const observations = Compile(
  Type.Object({
    id: Type.Integer(),
    value: Type.Unknown(),
    timestamp: Type.Optional(Type.Union([Type.String({ maxLength: MOST_TEXT }), Type.Null()])),
  }),
);

export interface Observed {
  readonly value: string | number | boolean;
  /** When the charger said it, ms since 1970; null when that is not told. */
  readonly at: number | null;
}

/** The circuit as linking found it. */
export interface Circuit {
  /** Ampere, as the installer set it; null when that is not told. */
  readonly ratedA: number | null;
  /** No other charger hangs on it. */
  readonly isAlone: boolean;
}

/** All that is known of a charger: its latest observations by their number. */
export interface ChargerRaw {
  readonly circuit: Circuit;
  readonly observed: ReadonlyMap<number, Observed>;
}

/**
 * The charger as it is after one more observation; the same object when it changes nothing: one that we do not use or cannot
 * read, an older one, one told twice, and a lifetime energy that falls, for the vendor sends stray zeros.
 */
export function withObservation(raw: ChargerRaw, told: unknown): ChargerRaw {
  if (!observations.Check(told) || !IDS.includes(told.id)) return raw;
  const { id, value } = told;
  if (typeof value !== 'number' && typeof value !== 'boolean' && typeof value !== 'string') return raw;
  if (typeof value === 'string' && value.length > MOST_TEXT) return raw;
  const next: Observed = { value, at: timeOf(told.timestamp) };
  const before = raw.observed.get(id);
  if (before !== undefined) {
    if (before.at !== null && next.at !== null && next.at < before.at) return raw;
    if (before.at === next.at && before.value === value) return raw;
    if (id === ID.lifetimeEnergy && (numberIn(next) ?? 0) < (numberIn(before) ?? 0)) return raw;
  }
  return { ...raw, observed: new Map(raw.observed).set(id, next) };
}

export function numberOf(raw: ChargerRaw, id: number): number | null {
  return numberIn(raw.observed.get(id));
}

export function flagOf(raw: ChargerRaw, id: number): boolean | null {
  const value = raw.observed.get(id)?.value;
  if (typeof value === 'boolean') return value;
  if (/^(1|true)$/i.test(String(value))) return true;
  return /^(0|false)$/i.test(String(value)) ? false : null;
}

export function wordOf(raw: ChargerRaw, id: number): string | null {
  const value = raw.observed.get(id)?.value;
  return value === undefined ? null : String(value);
}

/** When the charger was last heard, ms since 1970. */
export function heardAt(raw: ChargerRaw): number | null {
  let latest: number | null = null;
  for (const [id, { at }] of raw.observed)
    if (at !== null && !SETTINGS.has(id) && (latest === null || at > latest)) latest = at;
  return latest;
}

function numberIn(observed: Observed | undefined): number | null {
  if (observed === undefined || typeof observed.value === 'boolean' || observed.value === '') return null;
  const number = Number(observed.value);
  return Math.abs(number) <= MOST_NUMBER ? number : null;
}

/** Times without a zone are UTC. */
function timeOf(timestamp: string | null | undefined): number | null {
  if (typeof timestamp !== 'string') return null;
  const ms = Date.parse(/(Z|[+-]\d\d:?\d\d)$/i.test(timestamp) ? timestamp : `${timestamp}Z`);
  return Number.isFinite(ms) ? ms : null;
}
