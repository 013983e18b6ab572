import { logFailure } from '../../../adapter/failures.ts';
import { HttpFailure } from '../../../adapter/http.ts';
import type { Clock } from '../../../core/clock.ts';
import type { Log } from '../../../core/log.ts';
import type { Metrics } from '../../../core/metrics.ts';
import type { ExchangeRateSource, PriceSource, SourceSession } from '../../../sources/contract/market.ts';
import type { SourceHealth, SourceOutcome } from './shapes.ts';
import type { SourceStore } from './store-work.ts';

/** Time limit of one request to a source, its retries included. */
const ANSWER_WITHIN_MS = 45_000;
/** Longest `Retry-After` that is honoured. */
const LONGEST_DELAY_MS = 6 * 3_600_000;

/** The session to call a source with; undefined when it cannot be called, for example without a token. */
export type SessionOf = (
  source: PriceSource | ExchangeRateSource,
  signal: AbortSignal,
) => Promise<SourceSession | undefined>;

export interface Failed {
  readonly outcome: SourceOutcome;
  readonly sentence: string;
}

interface Options {
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly store: SourceStore;
  readonly sessionOf: SessionOf;
}

type Asking<T> =
  | { readonly kind: 'answered'; readonly answer: T }
  | { readonly kind: 'failed'; readonly failed: Failed }
  /** Not asked: its Retry-After has not passed, or it is not configured. */
  | { readonly kind: 'passed_over'; readonly sentence: string };

/** Calls sources, one at a time, and stores the health of each. */
export function createSourceClient({ clock, log, metrics, store, sessionOf }: Options) {
  const health = new Map<string, SourceHealth>();
  const stopping = new AbortController();

  const within = async <T>(ask: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    const over = new AbortController();
    const signal = AbortSignal.any([over.signal, stopping.signal]);
    let cancel = () => {};
    // Ends the wait even if the source ignores its abort signal.
    const late = new Promise<never>((_resolve, reject) => {
      cancel = clock.after(ANSWER_WITHIN_MS, () => {
        reject(new HttpFailure('timeout', `it did not answer within ${ANSWER_WITHIN_MS / 1000} seconds`));
        over.abort();
      });
      signal.addEventListener('abort', () =>
        reject(new HttpFailure('unreachable', 'the request was aborted')),
      );
    });
    try {
      return await Promise.race([ask(signal), late]);
    } finally {
      cancel();
    }
  };

  const note = async (source: string, { outcome, sentence }: Failed, notBefore?: number): Promise<void> => {
    const before = health.get(source);
    const now = clock.now();
    const isWell = outcome === 'ok' || outcome === 'not_published';
    const next: SourceHealth = {
      source,
      outcome,
      sentence,
      asked_at: now,
      succeeded_at: isWell ? now : (before?.succeeded_at ?? null),
      failures_in_row: isWell ? 0 : (before?.failures_in_row ?? 0) + 1,
      not_before: notBefore ?? null,
    };
    health.set(source, next);
    metrics.sourceRequests.inc({ source, outcome });
    if (!isWell) log.warn({ source, outcome }, sentence);
    // The fetched prices must not be lost because of this.
    await store.saveHealth(next).catch((error: unknown) =>
      logFailure(log, error, {
        what: "a source's health was not stored",
        again: 'retrying after the next request',
        source,
      }),
    );
  };

  return {
    /** Calls a source. Stores a failure; the caller stores the result of a response with `note` once it is validated. */
    async ask<T>(
      source: PriceSource | ExchangeRateSource,
      question: (session: SourceSession) => Promise<T>,
    ): Promise<Asking<T>> {
      if (stopping.signal.aborted) return { kind: 'passed_over', sentence: 'the service is stopping' };
      const notBefore = health.get(source.slug)?.not_before ?? 0;
      if (notBefore > clock.now())
        return { kind: 'passed_over', sentence: `${source.name} sent a Retry-After that has not passed` };
      try {
        const asked = await within(async (signal) => {
          const session = await sessionOf(source, signal);
          return session === undefined ? undefined : { answer: await question(session) };
        });
        if (asked === undefined) return { kind: 'passed_over', sentence: `${source.name} is not configured` };
        return { kind: 'answered', answer: asked.answer };
      } catch (error) {
        const failed = failureOf(source, error);
        if (!(error instanceof HttpFailure))
          log.error({ err: error, source: source.slug }, 'a source failed');
        const delay = error instanceof HttpFailure ? error.retryAfterSeconds : undefined;
        const until =
          delay === undefined ? undefined : clock.now() + Math.min(delay * 1000, LONGEST_DELAY_MS);
        if (!stopping.signal.aborted) await note(source.slug, failed, until);
        return { kind: 'failed', failed };
      }
    },
    note,
    /** Reads the health that another process, or this one before a restart, stored. */
    async refresh(): Promise<void> {
      for (const one of await store.health()) {
        const cached = health.get(one.source);
        if (cached === undefined || cached.asked_at <= one.asked_at) health.set(one.source, one);
      }
    },
    health: (): readonly SourceHealth[] => [...health.values()],
    /** End of a source's Retry-After; 0 without one. */
    notBefore: (slug: string): number => health.get(slug)?.not_before ?? 0,
    /** Aborts the running request. */
    stop: () => stopping.abort(),
  };
}

export type SourceClient = ReturnType<typeof createSourceClient>;

function failureOf({ name }: { readonly name: string }, error: unknown): Failed {
  if (!(error instanceof HttpFailure))
    return { outcome: 'answer_invalid', sentence: `${name}: its response was not understood` };
  return {
    outcome: error.kind === 'refused' ? 'http_refused' : error.kind,
    // The HTTP client's messages name the host.
    sentence: error.message.includes(name) ? error.message : `${name}: ${error.message}`,
  };
}
