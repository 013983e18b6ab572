/** The clock of the program. Tests advance it by hand; nothing else reads the system time. */
export interface Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
  /** Milliseconds since some moment, which go on evenly when the time of day is set. A clock without it is never set. */
  steady?(): number;
  /** Calls `fire` once after `ms`; the returned function cancels it. Never keeps the process alive. */
  after(ms: number, fire: () => void): () => void;
  /** Set for a clock that a test advances: other clocks, such as the database's, do not follow it. */
  readonly isTurned?: true;
}

export const systemClock: Clock = {
  now: Date.now,
  steady: () => performance.now(),
  after(ms, fire) {
    const timer = setTimeout(fire, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** Resolves after `ms`; rejects with the signal's reason once it fires. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = () => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = clock.after(ms, () => {
      signal?.removeEventListener('abort', stop);
      resolve();
    });
    signal?.addEventListener('abort', stop, { once: true });
  });
}

/** RFC 3339 UTC with milliseconds. */
export function rfc3339(ms: number): string {
  return new Date(ms).toISOString();
}

export interface TurnedClock extends Clock {
  readonly isTurned: true;
  /** Moves time forward and fires what is due, in order. */
  turn(ms: number): void;
}

/** A clock that stands still until a test advances it. */
export function turnedClock(start = Date.UTC(2026, 10, 21, 9, 0, 0)): TurnedClock {
  let now = start;
  let timers: { at: number; fire: () => void }[] = [];
  return {
    isTurned: true,
    now: () => now,
    after(ms, fire) {
      const timer = { at: now + ms, fire };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    turn(ms) {
      const end = now + ms;
      for (;;) {
        const due = timers.filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0];
        if (due === undefined) break;
        timers = timers.filter((other) => other !== due);
        now = Math.max(now, due.at);
        due.fire();
      }
      now = end;
    },
  };
}
