import { type Clock, sleep } from '../../../core/clock.ts';
import { AppError } from '../../../core/errors.ts';

/** How long a call may wait for the limits of its vendor. */
export interface Patience {
  readonly waitMs: number;
  /** Ends the wait. */
  readonly signal?: AbortSignal;
}

interface Taking {
  /** Takes what the call costs; throws `vendor.rate_limited` with the delay where there is no room for it. */
  take(): Promise<void>;
  /** Called once, when the call begins to wait; answers what ends that. */
  waits(): Promise<() => void>;
}

/** Takes what a call costs as soon as there is room for it; throws as `take` does where that is not in time. */
export async function patiently(
  clock: Clock,
  { waitMs, signal }: Patience,
  { take, waits }: Taking,
): Promise<void> {
  const end = clock.now() + waitMs;
  let done: (() => void) | undefined;
  try {
    for (;;) {
      const heldBack = await heldBackBy(take);
      if (heldBack === undefined) return;
      const { retryAfterSeconds = Number.POSITIVE_INFINITY } = heldBack;
      const delayMs = retryAfterSeconds * 1_000;
      // A call is not held up longer than its caller waits for it.
      if (clock.now() + delayMs > end) throw heldBack;
      done ??= await waits();
      await sleep(clock, delayMs, signal);
    }
  } finally {
    done?.();
  }
}

async function heldBackBy(take: Taking['take']): Promise<AppError | undefined> {
  try {
    await take();
    return undefined;
  } catch (error) {
    if (error instanceof AppError && error.code === 'vendor.rate_limited') return error;
    throw error;
  }
}
