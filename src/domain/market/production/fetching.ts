import { logFailure } from '../../../adapter/failures.ts';
import { type Http, HttpFailure } from '../../../adapter/http.ts';
import { type Clock, rfc3339 } from '../../../core/clock.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../core/durations.ts';
import type { Random } from '../../../core/ids.ts';
import type { Log } from '../../../core/log.ts';
import { createLoop } from '../../../core/loop.ts';
import { midnight } from '../../../core/swedish-days.ts';
import type { Lease } from '../../../db/lease.ts';
import { PRICE_AREAS, type ProductionSource } from '../../../sources/contract/market.ts';
import type { Unit } from './shapes.ts';
import type { ProductionStore, SourceState } from './store.ts';
import type { Refusal, Stored, Storing } from './storing.ts';

/** Days whose figures are fetched again, because they are revised. */
const REVISED_DAYS = 8;
/** After a longer downtime, days up to this age are fetched too, and older ones not. */
const CATCH_UP_DAYS = 60;
const CHUNK_MS = 7 * DAY_MS;
/** Time limit of one request with its retries. */
const QUESTION_MS = MINUTE_MS;
/** Spreads the instances, so that they do not check at the same moment. */
const JITTER_MS = 3 * MINUTE_MS;

interface SourceAccess {
  readonly source: ProductionSource;
  readonly http: Http;
}

interface FetchingOptions extends SourceAccess {
  readonly store: ProductionStore;
  readonly storing: Storing;
  readonly lease: Lease;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  unit(): Unit | null;
  /** End of the figures that every area has; null while an area has none. */
  settledUntil(): number | null;
  /** Called before each check, so that the cache is up to date. */
  refresh(): Promise<unknown>;
  count(outcome: 'stored' | 'implausible', slots: number): void;
}

/** Asks the source at the times given by `dueAt`, in one process at a time. */
export function createFetching(options: FetchingOptions) {
  const { source, http, store, storing, lease, clock, random, log } = options;
  const stopping = new AbortController();
  let state: SourceState | undefined;
  let nextAt: number | null = null;
  let isFirst = true;

  const due = () => dueAt({ state, now: clock.now(), settledUntil: options.settledUntil(), isFirst });

  /** Resolves to the time until the next check. */
  const look = async (): Promise<number> => {
    await options.refresh();
    state = await store.sourceState(source.slug);
    if (due() <= clock.now() && (await lease.hold())) {
      try {
        // Another process may have asked since.
        state = await store.sourceState(source.slug);
        if (due() <= clock.now()) await ask();
      } finally {
        await lease.release();
      }
    }
    isFirst = false;
    return untilDue();
  };

  const ask = async (): Promise<void> => {
    const asked = { slug: source.slug, asked_at: clock.now(), answered_at: state?.answered_at ?? null };
    const failures = (state?.failures ?? 0) + 1;
    try {
      const total = await fetchRecent();
      const sentence = sentenceOf(total);
      const refused = total.refused.values().reduce((sum, slots) => sum + slots, 0);
      state = { ...asked, answered_at: clock.now(), not_before: 0, failures: 0, refused, sentence };
      log.info({ source: source.slug, outcome: sentence }, 'production was fetched');
    } catch (error) {
      if (!(error instanceof HttpFailure)) throw error;
      if (stopping.signal.aborted) return;
      const notBefore = clock.now() + (error.retryAfterSeconds ?? 0) * 1_000;
      state = { ...asked, not_before: notBefore, failures, refused: 0, sentence: error.message };
      const again = `next attempt at ${rfc3339(due())}`;
      logFailure(log, error, { what: 'fetching production failed', again, source: source.slug });
    }
    await store.saveSourceState(state);
  };

  const fetchRecent = async (): Promise<Stored> => {
    const now = clock.now();
    const oldest = midnight(now, -CATCH_UP_DAYS);
    const recent = midnight(now, -REVISED_DAYS);
    const gap = options.settledUntil();
    const from = gap === null ? recent : Math.max(oldest, Math.min(recent, gap));
    const totals = { changed: 0, settled: 0, unsettled: 0, refused: new Map<Refusal, number>() };
    for (let start = from; start < now; start += CHUNK_MS) {
      const stored = await fetchRange(start, Math.min(start + CHUNK_MS, now));
      totals.changed += stored.changed;
      totals.settled += stored.settled;
      totals.unsettled += stored.unsettled;
      for (const [why, slots] of stored.refused)
        totals.refused.set(why, (totals.refused.get(why) ?? 0) + slots);
      await lease.hold();
    }
    return totals;
  };

  /** Fetches a range of at most a week and stores it. */
  const fetchRange = async (from: number, until: number): Promise<Stored> => {
    const late = new AbortController();
    const cancel = clock.after(QUESTION_MS, () => late.abort());
    try {
      const signal = AbortSignal.any([late.signal, stopping.signal]);
      const intervals = await source.fetchVolumes({ http, signal }, { from, until, areas: PRICE_AREAS });
      const stored = await storing({ source: source.slug, from, until, intervals, unit: options.unit() });
      options.count('stored', stored.changed);
      for (const [why, slots] of stored.refused) {
        options.count('implausible', slots);
        log.warn({ source: source.slug, why, slots }, 'implausible production figures are not stored');
      }
      return stored;
    } finally {
      cancel();
    }
  };

  const untilDue = (): number => {
    const now = clock.now();
    nextAt = Math.max(now, due());
    const jitter = (random(2).readUInt16BE() / 65_536) * JITTER_MS;
    return Math.max(1_000, nextAt - now + jitter);
  };

  const loop = createLoop({
    clock,
    run: look,
    retryMs: untilDue,
    failed: (error) =>
      logFailure(log, error, {
        what: 'checking for production to fetch failed',
        again: 'retrying within minutes',
      }),
  });

  return {
    start: (): void => loop.wake(),
    fetchRange,
    nextAt: () => nextAt,
    /** Result of the last request, as cached by this process. */
    state: () => state,
    async close(): Promise<void> {
      stopping.abort();
      await loop.close();
    },
  };
}

export type Fetching = ReturnType<typeof createFetching>;

function sentenceOf({ changed, settled, unsettled, refused }: Stored): string {
  const parts = [`${settled} slots with figures, ${changed} of them new or revised`];
  if (unsettled > 0) parts.push(`${unsettled} not settled yet`);
  for (const [why, slots] of refused) parts.push(`${slots} refused (${why.replaceAll('_', ' ')})`);
  return parts.join(', ');
}

/** Yesterday's figures are usually published by this hour, according to other users of the source. */
const MORNING_UTC_HOUR = 8;
const FIRST_RETRY_MS = MINUTE_MS;

interface Situation {
  /** undefined: the source was never asked. */
  readonly state: SourceState | undefined;
  readonly now: number;
  /** End of the figures that every area has; null while an area has none. */
  readonly settledUntil: number | null;
  /** Whether the process has just started. */
  readonly isFirst: boolean;
}

/**
 * When to ask the source next, ms since 1970: at the start unless it was asked within the hour, each morning, every hour
 * while yesterday's figures are missing, and after failures soon at first, then every hour; never before its Retry-After.
 */
function dueAt({ state, now, settledUntil, isFirst }: Situation): number {
  if (state === undefined) return now;
  if (state.failures > 0) {
    const wait = Math.min(HOUR_MS, FIRST_RETRY_MS * 2 ** (state.failures - 1));
    return Math.max(state.not_before, state.asked_at + wait);
  }
  const isYesterdayMissing = settledUntil === null || settledUntil < midnight(now);
  const morning = nextMorning(state.asked_at);
  return isFirst || isYesterdayMissing ? Math.min(morning, state.asked_at + HOUR_MS) : morning;
}

function nextMorning(after: number): number {
  const morning = Math.floor(after / DAY_MS) * DAY_MS + MORNING_UTC_HOUR * HOUR_MS;
  return morning > after ? morning : morning + DAY_MS;
}
