import Type, { type Static } from 'typebox';
import type { Found } from '../../adapter/adapter.ts';
import type { Capability } from '../../adapter/capabilities.ts';
import type { AvailableCapacity, Limits, Status } from '../../adapter/device.ts';
import * as kit from '../../adapter/kit/index.ts';

/** Numbers of the observations that we use ("Observations" of `GET /api/constants`); lists are on each phase. */
export const ID = {
  isOnline: -2,
  /** Has a time and no value: when the charger was last heard of. */
  pulse: -1,
  needsAuthorization: 120,
  currents: [507, 508, 509],
  /** The charger's own limits, which can be set. */
  maxCurrent: 510,
  minCurrent: 511,
  power: 513,
  sessionEnergy: 553,
  mode: 710,
  /** It does not follow its installation. */
  isStandalone: 712,
  /** "FinalStopActive": somebody has stopped it. */
  isStopped: 718,
} as const;

/** What the charger went through; settings and the cloud's own flags say nothing of when it reported. */
const MEASURED: readonly number[] = [ID.pulse, ...ID.currents, ID.power, ID.sessionEnergy, ID.mode];

/** "ChargerOperationModes". */
export const MODE = { unknown: 0, disconnected: 1, requesting: 2, charging: 3, finished: 5 } as const;
const MODE_WORDS: Readonly<Record<number, string>> = {
  [MODE.disconnected]: 'disconnected',
  [MODE.requesting]: 'connected_requesting',
  [MODE.charging]: 'connected_charging',
  [MODE.finished]: 'connected_finished',
};

/** The least that a car charges with (IEC 61851-1); with less, Zaptec allocates nothing. */
export const LEAST_A = 6;
/** The most that a charger of Zaptec's gives, on each phase. */
export const MOST_A = 32;

const UNBALANCED = {
  access: 'the Zaptec account may not change the installation of this charger; link the account of its owner',
  shared:
    'the installation of this charger has several, and takes more than one can be set to; set the current of each charger',
  unknown: 'Zaptec does not say how much current the installation of this charger takes',
} as const;
const Reason = Type.Enum(Object.keys(UNBALANCED) as (keyof typeof UNBALANCED)[]);

/** What linking kept of a charger, in `DeviceRef.details`. */
export const Details = Type.Object({
  /** Ampere on each phase that the charger can be set to. */
  max_a: Type.Integer(),
  installation: Type.Union([kit.PlainId, Type.Null()]),
  /** The other chargers of the installation. */
  others: Type.Array(kit.PlainId),
  /** Why the installation's limit is not set through this charger; null where it is. */
  unbalanced: Type.Union([Reason, Type.Null()]),
});
export type Details = Static<typeof Details>;

const reasonFor = ({ details }: Pick<Found, 'details'>) =>
  kit.fits(Details, details) ? details.unbalanced : 'unknown';

export const withheldFrom = (found: Pick<Found, 'details'>): readonly Capability[] =>
  reasonFor(found) === null ? [] : ['load_balancing'];

export function whyWithheld(found: Pick<Found, 'details'>): string | undefined {
  const reason = reasonFor(found);
  return reason === null ? undefined : UNBALANCED[reason];
}

/** Ampere; absent where nothing limits the installation below its maximum. */
const AVAILABLE = [
  'AvailableCurrent',
  'AvailableCurrentPhase1',
  'AvailableCurrentPhase2',
  'AvailableCurrentPhase3',
] as const;
export const Installation = kit.lenient({ Id: kit.PlainId }, 'MaxCurrent', 'CurrentUserRoles', ...AVAILABLE);
export type Installation = Static<typeof Installation>;

/** All that Zaptec says of a charger. */
export interface ChargerRaw {
  readonly details: Details;
  readonly observed: kit.Observations;
  /** Where its limit is set through this charger, with what its other chargers report. */
  readonly installation: { readonly is: Installation; readonly others: readonly kit.Observations[] } | null;
}
type Observing = Pick<ChargerRaw, 'observed'>;

const Observation = kit.lenient({ StateId: Type.Integer() }, 'ValueAsString', 'Timestamp');

/** The observations of a charger by their number; one that cannot be read is left out. */
export const observationsIn = (state: readonly unknown[]): kit.Observations =>
  kit.each(state, Observation).reduce<kit.Observations>((observed, one) => {
    const value = typeof one.ValueAsString === 'string' ? one.ValueAsString : '';
    return kit.observing(observed, one.StateId, { value, at: kit.timeIn(one.Timestamp) });
  }, new Map());

const numberAt =
  (id: number) =>
  ({ observed }: Observing): number | null =>
    kit.numberIn(observed.get(id));
const flagAt =
  (id: number) =>
  ({ observed }: Observing): boolean =>
    kit.flagIn(observed.get(id)) === true;
export const modeOf = numberAt(ID.mode);
export const maxCurrentOf = numberAt(ID.maxCurrent);
export const isOnline = flagAt(ID.isOnline);
export const isStandalone = flagAt(ID.isStandalone);
export const needsAuthorization = flagAt(ID.needsAuthorization);
const isStopped = flagAt(ID.isStopped);
/** Only resuming starts it again. */
export const isPaused = (raw: Observing) => modeOf(raw) === MODE.finished && isStopped(raw);

/** When the charger was last heard of, ms since 1970. */
export function reportedAt({ observed }: Observing): number | null {
  const times = MEASURED.map((id) => observed.get(id)?.at ?? null).filter((at) => at !== null);
  return times.length === 0 ? null : Math.max(...times);
}

export const unrecognizedIn = (raw: Observing): string[] =>
  kit.unrecognized({ mode: [modeOf(raw), Object.values(MODE)] });

export function statusOf(raw: Observing): Status {
  if (!isOnline(raw)) return { online: false, connected: null, charging: null, operation_state: 'offline' };
  const mode = modeOf(raw);
  const word = MODE_WORDS[mode ?? MODE.unknown];
  if (word === undefined) {
    const operation_state = mode === null ? null : `mode ${mode}`;
    return { online: true, connected: null, charging: null, operation_state };
  }
  return {
    online: true,
    connected: mode !== MODE.disconnected,
    charging: mode === MODE.charging,
    operation_state: isPaused(raw) ? 'paused' : word,
  };
}

/** Watt; what a charger that is not reached draws is not known. */
export function powerOf(raw: Observing): number | null {
  const watts = numberAt(ID.power)(raw);
  return isOnline(raw) && watts !== null && watts >= 0 ? watts : null;
}

/** Of the session, watt-hours, reported in kilowatt-hours; the last session's until the next one begins. */
export function energyOf(raw: Observing): number | null {
  const kwh = numberAt(ID.sessionEnergy)(raw);
  return kwh === null || kwh < 0 ? null : kwh * 1_000;
}

/** Ampere on each phase, for the charger and its installation; below its own minimum the charger gives nothing. */
export function limitsOf(raw: ChargerRaw): Limits {
  const { max_a } = raw.details;
  const least = Math.ceil(Math.max(LEAST_A, numberAt(ID.minCurrent)(raw) ?? 0));
  return { min_a: Math.min(least, max_a), max_a, min_w: null, max_w: null };
}

/** What a charger draws, ampere on the phase that has most; its sensors show noise while it does not charge. */
function drawnBy(raw: Observing): number | null {
  const { online, charging } = statusOf(raw);
  if (!online || charging === null) return null;
  const currents = ID.currents.map((id) => numberAt(id)(raw)).filter((amperes) => amperes !== null);
  return charging === false ? 0 : currents.length === 0 ? null : Math.max(0, ...currents);
}

/**
 * What the installation's limit leaves beside what its chargers draw. Their phases may be wired in any order, so that the highest of
 * each are added up. What else the house draws is not in it.
 */
export function capacityOf(raw: ChargerRaw): AvailableCapacity {
  const { is = null, others = [] } = raw.installation ?? {};
  const limits = [is?.MaxCurrent, ...AVAILABLE.map((name) => is?.[name])].filter(
    (amperes) => typeof amperes === 'number',
  );
  const drawn = [raw, ...others.map((observed) => ({ observed }))].map(drawnBy);
  if (limits.length === 0 || isStandalone(raw) || drawn.includes(null))
    return { current_a: null, power_w: null };
  const sum = drawn.reduce<number>((total, amperes) => total + (amperes ?? 0), 0);
  return { current_a: Math.max(0, Math.floor(Math.min(...limits) - sum)), power_w: null };
}
