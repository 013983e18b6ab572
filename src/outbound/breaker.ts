import type { Clock } from '../core/clock.ts';

/** Failures in a row after which a service is left alone. */
const FAILURES = 5;
const PAUSE_MS = 30_000;

/** Leaves a service alone that failed again and again; after a pause one call tries it. */
export interface Breaker {
  /** ms until the service may be asked again; 0 lets this call through. After a pause only one call gets 0, and must be settled. */
  waitMs(): number;
  succeeded(): void;
  failed(): void;
  /** The call ended without telling anything of the service. */
  unsettled(): void;
}

export function createBreaker(clock: Clock): Breaker {
  let failures = 0;
  let closedUntil = 0;
  let isTrying = false;
  return {
    waitMs() {
      if (failures < FAILURES) return 0;
      const wait = closedUntil - clock.now();
      if (wait > 0) return wait;
      if (isTrying) return PAUSE_MS;
      isTrying = true;
      return 0;
    },
    succeeded() {
      failures = 0;
      isTrying = false;
    },
    failed() {
      failures += 1;
      isTrying = false;
      closedUntil = clock.now() + PAUSE_MS;
    },
    unsettled() {
      isTrying = false;
    },
  };
}
