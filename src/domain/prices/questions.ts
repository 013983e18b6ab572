import { HttpFailure } from '../../adapter/http.ts';
import { logFailure } from '../../adapter/outage.ts';
import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { Metrics } from '../../core/metrics.ts';
import type { ExchangeRateSource, PriceSource, SourceSession } from '../../sources/contract/market.ts';
import type { SourceHealth, SourceOutcome } from './shapes.ts';
import type { SourceStore } from './store-sources.ts';

/** The longest that one question to one source may take, its retries included. */
const ANSWER_WITHIN_MS = 45_000;
/** What a source may keep us away for; a longer `Retry-After` is cut to it. */
const LONGEST_DELAY_MS = 6 * 3_600_000;

/** Gives what a source needs to be asked; undefined where it cannot be, for want of a token say. */
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
  /** Not asked: it wants to be left alone, or lacks what it needs. */
  | { readonly kind: 'passed_over'; readonly sentence: string };

/** Asks sources, one at a time, and keeps how each one is. */
export function createQuestions({ clock, log, metrics, store, sessionOf }: Options) {
  const health = new Map<string, SourceHealth>();
  const stopping = new AbortController();

  const within = async <T>(ask: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    const over = new AbortController();
    const signal = AbortSignal.any([over.signal, stopping.signal]);
    let cancel = () => {};
    // A source that does not heed its signal is given up all the same.
    const late = new Promise<never>((_resolve, reject) => {
      cancel = clock.after(ANSWER_WITHIN_MS, () => {
        reject(new HttpFailure('timeout', `it did not answer within ${ANSWER_WITHIN_MS / 1000} seconds`));
        over.abort();
      });
      signal.addEventListener('abort', () =>
        reject(new HttpFailure('unreachable', 'the question was given up')),
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
    // What was found must not be lost for it.
    await store.saveHealth(next).catch((error: unknown) =>
      logFailure(log, error, {
        what: 'how a source is was not stored',
        again: 'it is after the next question',
        source,
      }),
    );
  };

  return {
    /** Asks a source. A failure is noted; what comes of an answer is noted by `note`, once it is judged. */
    async ask<T>(
      source: PriceSource | ExchangeRateSource,
      question: (session: SourceSession) => Promise<T>,
    ): Promise<Asking<T>> {
      if (stopping.signal.aborted) return { kind: 'passed_over', sentence: 'the service is stopping' };
      const notBefore = health.get(source.slug)?.not_before ?? 0;
      if (notBefore > clock.now())
        return { kind: 'passed_over', sentence: `${source.name} asked to be left alone for a while` };
      try {
        const asked = await within(async (signal) => {
          const session = await sessionOf(source, signal);
          return session === undefined ? undefined : { answer: await question(session) };
        });
        if (asked === undefined)
          return { kind: 'passed_over', sentence: `${source.name} cannot be asked as it is set up` };
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
    /** Reads what another process, or this one before it was restarted, noted. */
    async refresh(): Promise<void> {
      for (const one of await store.health()) {
        const known = health.get(one.source);
        if (known === undefined || known.asked_at <= one.asked_at) health.set(one.source, one);
      }
    },
    health: (): readonly SourceHealth[] => [...health.values()],
    /** When a source that asked to be left alone may be asked again; 0 for any other. */
    notBefore: (slug: string): number => health.get(slug)?.not_before ?? 0,
    /** Gives up what is being asked. */
    stop: () => stopping.abort(),
  };
}

export type Questions = ReturnType<typeof createQuestions>;

function failureOf({ name }: { readonly name: string }, error: unknown): Failed {
  if (!(error instanceof HttpFailure))
    return { outcome: 'answer_invalid', sentence: `${name}: its answer was not understood` };
  return {
    outcome: error.kind === 'refused' ? 'http_refused' : error.kind,
    // The HTTP client names whom it calls.
    sentence: error.message.includes(name) ? error.message : `${name}: ${error.message}`,
  };
}
