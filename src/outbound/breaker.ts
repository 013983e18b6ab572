import type { Clock } from '../core/clock.ts';

/** Failures in a row after which a service is left alone. */
const FAILURES = 5;
/** Once connected, so many subjects must have failed: one of them may be sick by itself. */
const SUBJECTS = 3;
const PAUSE_MS = 30_000;

/** Whose call failed, and how. */
export interface Failed {
  /** Whom the call was for; undefined where every call is for the same. */
  readonly subject: string | undefined;
  /** There was no connection: that is the service's, regardless of the caller. */
  readonly isUnconnected: boolean;
}

/** Leaves a service alone that failed again and again; after a pause one call at a time tries it. */
interface Breaker {
  /**
   * ms until the service may be asked again; 0 lets this call through. After a pause only one call at a time gets 0, and must be
   * settled.
   */
  waitMs(subject?: string): number;
  succeeded(): void;
  failed(how: Failed): void;
  /** The call ended without telling anything of the service. */
  unsettled(): void;
  /** Whether the service is being left alone now, or tried one call at a time. */
  readonly isOpen: boolean;
}

export function createBreaker(clock: Clock): Breaker {
  let failures = 0;
  let isOfAll = false;
  /** When subjects failed, since the last success or the last pause. */
  const failing = new Map<string, number>();
  let isOpen = false;
  let closedUntil = 0;
  let isTrying = false;

  function open(): void {
    isOpen = true;
    closedUntil = clock.now() + PAUSE_MS;
    failing.clear();
    isOfAll = false;
  }

  return {
    waitMs(subject) {
      if (!isOpen) return 0;
      const wait = closedUntil - clock.now();
      if (wait > 0) return wait;
      if (isTrying) return PAUSE_MS;
      // Who has failed since the pause may be sick by itself: somebody else tries first.
      const again = (failing.get(subject ?? '') ?? Number.NEGATIVE_INFINITY) + PAUSE_MS - clock.now();
      if (again > 0) return again;
      isTrying = true;
      return 0;
    },
    succeeded() {
      failures = 0;
      isOfAll = false;
      failing.clear();
      isOpen = false;
      isTrying = false;
    },
    failed({ subject, isUnconnected }) {
      failures += 1;
      isTrying = false;
      if (isUnconnected || subject === undefined) isOfAll = true;
      else failing.set(subject, clock.now());
      if (failures >= FAILURES && (isOfAll || failing.size >= SUBJECTS)) open();
    },
    unsettled() {
      isTrying = false;
    },
    get isOpen() {
      return isOpen;
    },
  };
}
