import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../core/durations.ts';
import type { Session, TransactionRecord } from './session.ts';
import { type ChargeValues, held, type MeterKind, metered, read, tallyFrom } from './tally.ts';

/** What is known of a device that charges, up to a moment. It is stored as JSON; times are ms since 1970 UTC. */
export interface Progress {
  /** Since when `values` are so, and up to where the session is counted. */
  readonly at: number;
  /** Null where it is not known what the device is like. */
  readonly values: ChargeValues | null;
  /** The device has told whether it is plugged in. */
  readonly tellsPlug: boolean;
  /** Whether it charged when it was last known. */
  readonly charging: number | null;
  readonly meter: number | null;
  /** The one that runs. */
  readonly session: Session | null;
  /** The one before: a meter may be read late. */
  readonly last: Session | null;
}

/** What happens to a device. */
export type Happening =
  | { readonly kind: 'state'; readonly at: number; readonly values: ChargeValues | null }
  | { readonly kind: 'removed'; readonly at: number }
  | { readonly kind: 'transaction'; readonly at: number; readonly record: TransactionRecord };

export interface FoldOptions {
  readonly link: string | null;
  readonly userRef: string;
  readonly meter: MeterKind;
  /** Sessions are the transactions that its station reports, and not what its states say. */
  readonly hasTransactions: boolean;
  readonly newId: () => string;
  /** A session of an earlier transaction, as it is stored. */
  readonly ofTransaction: (id: string) => Session | undefined;
  /** Takes each session that is to be stored; the last one of an id counts. */
  readonly changed: (session: Session) => void;
}

export const NOTHING_KNOWN: Progress = {
  ...{ at: 0, values: null, tellsPlug: false, charging: null },
  ...{ meter: null, session: null, last: null },
};

/** A shorter pause does not end a charge of a device that does not tell whether it is plugged in. */
const PAUSE_MS = 15 * MINUTE_MS;
/** After a longer silence, a device that is plugged in is taken to be so again, not still. */
export const LONGEST_SILENCE_MS = DAY_MS;
/** So long after a session, what the meter counts is of that session, unless another one began. */
const LATE_METER_MS = 2 * HOUR_MS;
/** Times of stations and of the service differ. */
const DIFFERENCE_MS = MINUTE_MS;

/** What is known after something has happened. Nothing happens before what is known already. */
export function applied(before: Progress, happening: Happening, options: FoldOptions): Progress {
  if (happening.kind === 'transaction') return afterTransaction(before, happening, options);
  const at = Math.max(happening.at, before.at);
  const progress = withoutStale(before, at, options);
  if (happening.kind === 'removed') {
    const now = advanced(progress, at);
    closed(now, { at: silentSince(now) ?? at, isLost: true }, options);
    return { ...NOTHING_KNOWN, at };
  }
  const { values } = happening;
  if (values !== null) return afterValues(progress, at, values, options);
  if (progress.values === null) return progress;
  return { ...advanced(progress, at), values: null };
}

/** Counts what holds, up to a moment. */
export function advanced(progress: Progress, to: number): Progress {
  const { session, values, at } = progress;
  if (to <= at) return progress;
  // While nothing is known, `at` stays: it is since when.
  const next = { ...progress, at: values === null ? at : to };
  if (session === null || session.idleSince !== null) return next;
  return { ...next, session: { ...session, tally: held(session.tally, values, at, to) } };
}

const silentSince = (progress: Progress): number | null => (progress.values === null ? progress.at : null);

/** When a session that runs has ended nevertheless, as nothing more is to be expected of it by now; null where it runs. */
export function overSince({ session, values, at }: Progress, now: number): number | null {
  if (session === null) return null;
  if (session.idleSince !== null && now - session.idleSince > PAUSE_MS) return session.idleSince;
  if (session.transaction === null && values === null && now - at > LONGEST_SILENCE_MS) return at;
  return null;
}

/** Without a session that has ended silently. */
function withoutStale(progress: Progress, at: number, options: FoldOptions): Progress {
  const over = overSince(progress, at);
  if (over === null) return progress;
  const isLost = progress.session?.idleSince === null;
  // After a long silence, the meter may have counted what is of no session.
  return {
    ...closed(progress, { at: over, isLost }, options),
    ...(isLost ? { meter: null, last: null } : {}),
  };
}

function closed(
  progress: Progress,
  { at, isLost }: { readonly at: number; readonly isLost: boolean },
  { changed }: FoldOptions,
): Progress {
  const { session } = progress;
  if (session === null) return progress;
  const ended = { ...session, endedAt: at, isLost, idleSince: null };
  store(ended, changed);
  return { ...progress, session: null, last: isLost ? null : ended };
}

/** A session that has charged nothing is none for callers: a car that was plugged in. */
function store(session: Session, changed: FoldOptions['changed']): void {
  if (session.transaction !== null || session.tally.hasCharged) changed(session);
}

type Plug = 'in' | 'out' | 'idle' | 'unknown';

function plugOf({ connected, charging }: ChargeValues, tellsPlug: boolean): Plug {
  if (connected === 1 || charging === 1) return 'in';
  if (connected === 0) return 'out';
  return tellsPlug || charging === null ? 'unknown' : 'idle';
}

function afterValues(before: Progress, at: number, values: ChargeValues, options: FoldOptions): Progress {
  const wasKnown = before.values !== null;
  let now = restarted(advanced(before, at), values, options);
  const tellsPlug = now.tellsPlug || values.connected !== null;
  const plug = plugOf(values, tellsPlug);
  if (now.session === null && plug === 'in' && !options.hasTransactions)
    now = opened(now, at, wasKnown, options);
  const hadCharged = now.session?.tally.hasCharged ?? false;
  if (now.session !== null)
    now = { ...now, session: seen(now.session, values, { plug, at, before: now.charging }) };
  now = withMeter(now, at, values, options);
  const charging = values.charging ?? (plug === 'out' ? 0 : now.charging);
  now = { ...now, at, values, tellsPlug, charging, meter: values.energy_wh ?? now.meter };
  const { session } = now;
  if (session === null) return now;
  if (plug === 'out' && session.transaction === null) return closed(now, { at, isLost: false }, options);
  if (!hadCharged && session.transaction === null) store(session, options.changed);
  return now;
}

function seen(
  session: Session,
  values: ChargeValues,
  { plug, at, before }: { readonly plug: Plug; readonly at: number; readonly before: number | null },
): Session {
  const idle = { in: null, out: null, idle: session.idleSince ?? at, unknown: session.idleSince };
  return {
    ...session,
    tally: read(session.tally, values, before),
    idleSince: session.transaction === null ? idle[plug] : null,
  };
}

/** A counter of sessions that has started again in a silence is of another session. */
function restarted(progress: Progress, values: ChargeValues, options: FoldOptions): Progress {
  const { session, meter } = progress;
  const since = silentSince(progress);
  if (options.meter !== 'session' || session === null || session.transaction !== null || since === null)
    return progress;
  if (meter === null || values.energy_wh === null || values.energy_wh >= meter) return progress;
  return { ...closed(progress, { at: since, isLost: true }, options), meter: null };
}

function opened(
  progress: Progress,
  at: number,
  isSeen: boolean,
  { link, userRef, newId }: FoldOptions,
): Progress {
  const counter = isSeen ? progress.meter : null;
  const session: Session = {
    ...{ id: newId(), link, userRef, transaction: null, startedAt: at, endedAt: null, isLost: false },
    ...{ idleSince: null, transactionWh: null, isReported: false },
    tally: tallyFrom(at, { isSeen, counter, isKnown: true }),
  };
  return { ...progress, session, last: null };
}

/** The meter is read: for the session that runs, or the one that has just ended. */
function withMeter(progress: Progress, at: number, values: ChargeValues, options: FoldOptions): Progress {
  const { session, last, meter } = progress;
  const { energy_wh: value, charging } = values;
  if (value === null) return progress;
  const of = { at, kind: options.meter, isCharging: charging === 1 };
  if (session !== null)
    return { ...progress, session: { ...session, tally: metered(session.tally, value, of) } };
  if (last?.endedAt == null || last.transaction !== null || value === meter) return progress;
  const isLate = value > (meter ?? value) && at - last.endedAt <= LATE_METER_MS;
  if (!isLate) return { ...progress, last: null };
  const later = { ...last, tally: metered(last.tally, value, { ...of, at: last.endedAt }) };
  store(later, options.changed);
  return { ...progress, last: later };
}

const momentIn = (text: string | null): number | null => (text === null ? null : Date.parse(text));

function afterTransaction(
  before: Progress,
  { record, at }: Extract<Happening, { kind: 'transaction' }>,
  options: FoldOptions,
): Progress {
  const isRunning = before.session?.transaction === record.transaction_id;
  const known = isRunning ? before.session : options.ofTransaction(record.transaction_id);
  const endedAt = momentIn(record.ended_at);
  if (known == null && endedAt === null) return begun(before, { record, at }, options);
  if (!isRunning || known == null) {
    options.changed(withRecord(known ?? unseen(record, endedAt ?? at, options), record));
    return before;
  }
  if (endedAt === null) {
    const session = withRecord(known, record);
    options.changed(session);
    return { ...before, session };
  }
  const now = advanced(before, endedAt);
  let tally = now.session?.tally ?? known.tally;
  if (record.meter_stop_wh !== null)
    tally = metered(tally, record.meter_stop_wh, { at: endedAt, kind: 'register', isCharging: false });
  options.changed(withRecord({ ...known, tally }, record));
  return { ...now, session: null, last: null };
}

function begun(
  before: Progress,
  { record, at }: { readonly record: TransactionRecord; readonly at: number },
  options: FoldOptions,
): Progress {
  const startedAt = Math.min(momentIn(record.started_at) ?? at, at);
  const free =
    before.session?.transaction === null ? closed(before, { at: startedAt, isLost: false }, options) : before;
  // A station that begins another one has told no end of this one yet: it is stored as far as it is known.
  if (free.session !== null) options.changed(free.session);
  const now = { ...advanced({ ...free, session: null }, startedAt), last: null };
  const isLate = now.at - startedAt > DIFFERENCE_MS;
  const tally = tallyFrom(startedAt, {
    ...{ isSeen: true, counter: record.meter_start_wh, isKnown: now.values !== null && !isLate },
  });
  const session = withRecord({ ...unseen(record, startedAt, options), tally }, record);
  options.changed(session);
  return { ...now, session };
}

/** A transaction of which no state is known. */
const unseen = (record: TransactionRecord, at: number, { newId, link, userRef }: FoldOptions): Session => ({
  ...{ id: newId(), link, userRef, transaction: record.transaction_id, startedAt: null, endedAt: null },
  ...{ isLost: false, idleSince: null, transactionWh: null, isReported: false },
  tally: tallyFrom(at, { isSeen: false, counter: null, isKnown: false }),
});

function withRecord(session: Session, record: TransactionRecord): Session {
  const { meter_start_wh: start, meter_stop_wh: stop, estimated = [] } = record;
  const endedAt = momentIn(record.ended_at);
  const hasBoth = start !== null && stop !== null && stop >= start && endedAt !== null;
  return {
    ...session,
    startedAt: momentIn(record.started_at) ?? session.startedAt,
    endedAt: endedAt ?? (session.isLost ? session.endedAt : null),
    isLost: session.isLost && endedAt === null,
    transactionWh: hasBoth ? stop - start : null,
    isReported: hasBoth && estimated.length === 0,
  };
}
