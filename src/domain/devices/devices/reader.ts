import type { Adapter } from '../../../adapter/adapter.ts';
import { kindOf, stateOf } from '../../../adapter/adapters.ts';
import { NO_LIMITS } from '../../../adapter/device.ts';
import { type Said, saidByReading, saidByState } from '../../../adapter/interventions.ts';
import { BoundedMap } from '../../../core/bounded-map.ts';
import type { Clock } from '../../../core/clock.ts';
import { AppError, type ErrorCodeName } from '../../../core/errors.ts';
import type { Log } from '../../../core/log.ts';
import type { Calls } from '../../vendor-calls/calls/index.ts';
import { createGatheredReads } from './gathered-reads.ts';
import type { CachedDevice } from './memory.ts';
import type { Snapshot } from './store.ts';

interface ReaderOptions {
  readonly clock: Clock;
  readonly calls: Pick<Calls, 'withVendor'>;
  readonly log: Log;
}

/** Unrecognized values that are remembered as logged. */
const MOST_LOGGED = 1_000;

/** Asks vendors what devices are like now. */
export function createReader({ clock, calls, log }: ReaderOptions) {
  const logged = new BoundedMap<string, true>(MOST_LOGGED);
  const read = createGatheredReads(clock, calls);

  /** Once each: a whole model range may report the same value with every poll. */
  function logUnrecognized({ row: { vendor, type } }: CachedDevice, values: readonly string[] = []): void {
    for (const value of values) {
      const key = `${vendor} ${type} ${value}`;
      if (logged.has(key)) continue;
      logged.set(key, true);
      log.warn({ vendor, type, value }, 'a vendor reported a value that elnav does not recognize');
    }
  }

  return {
    logUnrecognized,

    /** Asks the vendor, for its own response; concurrent callers are joined by the caller of this. */
    ask: (adapter: Adapter, { row }: CachedDevice): Promise<unknown> => read(adapter, row),

    /** Turns a vendor's response into what is kept. */
    understand(adapter: Adapter, cached: CachedDevice, raw: unknown): Snapshot {
      const { row } = cached;
      const kind = kindOf(adapter, row.type);
      const now = clock.now();
      logUnrecognized(cached, kind.unrecognized?.(raw));
      return {
        state: stateOf(kind, raw, row.capabilities),
        limits: kind.limits?.(raw) ?? null,
        capacity: kind.availableCapacity?.(raw) ?? null,
        observedAt: Math.min(kind.observedAt?.(raw) ?? now, now),
        fetchedAt: now,
      };
    },

    /** What the same response says that the user must do, `snapshot` being what is kept of it. */
    said: (
      adapter: Adapter,
      { row }: CachedDevice,
      { raw, snapshot }: { readonly raw: unknown; readonly snapshot: Snapshot },
    ): Said => new Map([...saidByState(snapshot.state), ...saidByReading(kindOf(adapter, row.type), raw)]),

    /** What is known of a device whose station or gateway is not connected anywhere. */
    offline(cached: CachedDevice): Snapshot {
      const now = clock.now();
      const before = cached.snapshot;
      return {
        state: {
          ...before?.state,
          online: false,
          ...(before?.state.charging == null ? {} : { charging: false }),
        },
        limits: before?.limits ?? NO_LIMITS,
        capacity: before?.capacity ?? null,
        observedAt: before?.observedAt ?? now,
        fetchedAt: now,
      };
    },
  };
}

export type Reader = ReturnType<typeof createReader>;

/** An error as it travels between processes. */
export interface SentError {
  readonly code: ErrorCodeName;
  readonly detail: string;
  readonly retry_after_seconds: number | null;
}

export function sentError(error: AppError): SentError {
  return { code: error.code, detail: error.message, retry_after_seconds: error.retryAfterSeconds ?? null };
}

export function receivedError(sent: SentError): AppError {
  return new AppError(
    sent.code,
    sent.detail,
    sent.retry_after_seconds === null ? {} : { retryAfterSeconds: sent.retry_after_seconds },
  );
}
