import type { HttpFailure } from '../adapter/http.ts';
import type { Random } from '../core/ids.ts';

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 8_000;
/** A service that asks for more than this is not waited for within one call. */
const LONGEST_ASKED_WAIT_MS = 10_000;

/**
 * ms to wait before the call is sent again after so many failed attempts, or null where it should not be. Half of the wait is
 * drawn, so that many clients do not come back together.
 */
export function retryDelayMs(failure: HttpFailure, attempt: number, random: Random): number | null {
  if (!isPassing(failure)) return null;
  const asked = (failure.retryAfterSeconds ?? 0) * 1000;
  // A service that has enough and does not say for how long is not asked for more: the next call would count too.
  if (failure.kind === 'rate_limited' && asked === 0) return null;
  if (asked > LONGEST_ASKED_WAIT_MS) return null;
  const full = Math.min(FIRST_WAIT_MS * 2 ** (attempt - 1), LONGEST_WAIT_MS);
  return asked + Math.round((full / 2) * (1 + fraction(random)));
}

/** Whether it may be otherwise a moment later. */
export function isPassing(failure: HttpFailure): boolean {
  switch (failure.kind) {
    case 'unreachable':
    case 'timeout':
    case 'rate_limited':
    case 'server_error':
      return true;
    case 'refused':
    case 'answer_invalid':
      return false;
  }
}

function fraction(random: Random): number {
  const bytes = random(2);
  return ((bytes[0] ?? 0) * 256 + (bytes[1] ?? 0)) / 65_536;
}
