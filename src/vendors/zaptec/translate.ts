import Type, { type Static } from 'typebox';
import type { AvailableCapacity, Found, Limits, Status } from '../../adapter/device.ts';
import type { Capability } from '../../adapter/fields.ts';
import * as kit from '../../adapter/kit/index.ts';

/** The most that a charger of Zaptec's gives, ampere on each phase. */
export const MOST_A = 32;

const UNBALANCED = {
  access: 'the Zaptec account may not change the installation of this charger; link the account of its owner',
  shared:
    'the installation of this charger has several, and takes more than one can be set to; set the current of each charger',
  unknown: 'Zaptec does not say how much current the installation of this charger takes',
} as const;

/** What linking stores of a charger. */
export const Details = Type.Object({
  /** Ampere on each phase that the charger can be set to. */
  max_a: Type.Integer(),
  installation: Type.Union([kit.PlainId, Type.Null()]),
  /** The other chargers of the installation. */
  others: Type.Array(kit.PlainId),
  /** Why the installation's limit is not set through this charger; null where it is. */
  unbalanced: Type.Union([Type.Enum(['access', 'shared', 'unknown']), Type.Null()]),
});
export type Details = Static<typeof Details>;

export function whyWithheld({ details }: Pick<Found, 'details'>): string | undefined {
  const reason = kit.fits(Details, details) ? details.unbalanced : 'unknown';
  return reason === null ? undefined : UNBALANCED[reason];
}

export const withheldFrom = (found: Pick<Found, 'details'>): readonly Capability[] =>
  whyWithheld(found) === undefined ? [] : ['load_balancing'];

/** Ampere; absent where nothing limits the installation below its maximum. */
const AVAILABLE = ['', 'Phase1', 'Phase2', 'Phase3'].map((of) => `AvailableCurrent${of}` as const);
export const Installation = kit.lenient({ Id: kit.PlainId }, 'MaxCurrent', 'CurrentUserRoles', ...AVAILABLE);
export type Installation = Static<typeof Installation>;

/** What a charger reports. */
export interface Observing {
  readonly observed: kit.Observations;
}

/** All that Zaptec says of a charger. */
export interface ChargerRaw extends Observing {
  readonly details: Details;
  /** Where its limit is set through this charger, with what its other chargers report; null too where Zaptec refuses it. */
  readonly installation: { readonly is: Installation; readonly others: readonly Observing[] } | null;
}

const Observation = kit.lenient({ StateId: Type.Integer() }, 'ValueAsString', 'Timestamp');

/** The observations of a charger by their number; one that cannot be read is left out. */
export function observingIn(state: readonly unknown[]): Observing {
  const observed = kit.each(state, Observation).reduce<kit.Observations>((before, one) => {
    const value = typeof one.ValueAsString === 'string' ? one.ValueAsString : '';
    return kit.observing(before, one.StateId, { value, at: kit.timeIn(one.Timestamp) });
  }, new Map());
  return { observed };
}

/** Numbers as in "Observations" of `GET /api/constants`; the pulse has a time and no value. */
const [PULSE, CURRENTS, POWER, ENERGY, MODE] = [-1, [507, 508, 509], 513, 553, 710];
const numberAt = (id: number) => (seen: Observing) => kit.numberIn(seen.observed.get(id));
const flagAt = (id: number) => (seen: Observing) => kit.flagIn(seen.observed.get(id)) === true;
const isOnline = flagAt(-2);
export const needsAuthorization = flagAt(120);
/** The charger's own limits, which can be set. */
export const maxCurrentOf = numberAt(510);
const minCurrentOf = numberAt(511);
/** It does not follow its installation. */
export const isStandalone = flagAt(712);
/** "FinalStopActive": somebody has stopped it, and only resuming starts it again. */
const isStopped = flagAt(718);

/** When the charger last reported, ms since 1970; settings and flags of the cloud do not show that. */
export function reportedAt({ observed }: Observing): number | null {
  const measured = [PULSE, ...CURRENTS, POWER, ENERGY, MODE];
  const times = measured.map((id) => observed.get(id)?.at ?? null).filter((at) => at !== null);
  return times.length === 0 ? null : Math.max(...times);
}

const unknown = { connected: null, charging: null, operation_state: null };
/** "ChargerOperationModes"; 0 is unknown to Zaptec itself. */
const MODES: ReadonlyMap<unknown, Omit<Status, 'online'>> = new Map([
  [0, { ...unknown, operation_state: 'mode 0' }],
  [1, { connected: false, charging: false, operation_state: 'disconnected' }],
  [2, { connected: true, charging: false, operation_state: 'connected_requesting' }],
  [3, { connected: true, charging: true, operation_state: 'connected_charging' }],
  [5, { connected: true, charging: false, operation_state: 'connected_finished' }],
]);

export function statusOf(seen: Observing): Status {
  if (!isOnline(seen)) return { ...unknown, online: false, operation_state: 'offline' };
  const mode = numberAt(MODE)(seen);
  const operation_state = mode === null ? null : `mode ${mode}`;
  const isPaused = mode === 5 && isStopped(seen);
  return {
    online: true,
    ...(MODES.get(mode) ?? { ...unknown, operation_state }),
    ...(isPaused ? { operation_state: 'paused' } : {}),
  };
}

export const unrecognizedIn = (seen: Observing): string[] =>
  kit.unrecognized({ mode: [numberAt(MODE)(seen) ?? seen.observed.get(MODE)?.value, MODES] });

/** Watt; null for a charger that is not reached. */
export function powerOf(seen: Observing): number | null {
  const watts = numberAt(POWER)(seen);
  return isOnline(seen) && watts !== null && watts >= 0 ? watts : null;
}

/** Of the session, watt-hours, reported in kilowatt-hours; the last session's until the next one begins. */
export function energyOf(seen: Observing): number | null {
  const kwh = numberAt(ENERGY)(seen);
  return kwh === null || kwh < 0 ? null : kwh * 1_000;
}

/** Ampere on each phase, for the charger and its installation; below its own minimum the charger gives nothing. */
export function limitsOf(raw: ChargerRaw): Limits {
  const { max_a } = raw.details;
  const least = Math.ceil(Math.max(kit.LEAST_A, minCurrentOf(raw) ?? 0));
  return { min_a: Math.min(least, max_a), max_a, min_w: null, max_w: null };
}

/** What a charger draws, ampere on the phase that has most; its sensors show noise while it does not charge. */
function drawnBy(seen: Observing): number | null {
  const { charging } = statusOf(seen);
  const currents = CURRENTS.map((id) => numberAt(id)(seen)).filter((amperes) => amperes !== null);
  return charging === false
    ? 0
    : charging === null || currents.length === 0
      ? null
      : Math.max(0, ...currents);
}

/**
 * What the installation's limit leaves beside what its chargers draw. Their phases may be wired in any order, so that the highest of
 * each are added up. What else the house draws is not in it.
 */
export function capacityOf(raw: ChargerRaw): AvailableCapacity {
  const { is = null, others = [] } = raw.installation ?? {};
  const all = [is?.MaxCurrent, ...AVAILABLE.map((name) => is?.[name])];
  const limits = all.filter((amperes) => typeof amperes === 'number');
  const drawn = [raw, ...others].map(drawnBy);
  if (limits.length === 0 || isStandalone(raw) || drawn.includes(null))
    return { current_a: null, power_w: null };
  const left = drawn.reduce<number>((rest, amperes) => rest - (amperes ?? 0), Math.min(...limits));
  return { current_a: Math.max(0, Math.floor(left)), power_w: null };
}
