import type { Clock } from '../core/clock.ts';

/** How often the event loop is looked at. */
const TICK_MS = 50;
/** An event loop that is late by more, for longer than `LONG_MS`, has more to do than it can. */
const LATE_MS = 250;
const LONG_MS = 1_000;
/** Then a turn of the event loop may take this much longer than a tick, until nothing was refused for `CALM_MS`. */
const BUSY_LATE_MS = 50;
const CALM_MS = 5_000;
/** With fewer requests under way something else is to blame, and refusing them helps nobody. */
const LEAST_RUNNING = 64;

/** Whether this process has more requests than it can answer. */
export interface Overload {
  /** Counts a request until the function that it returns is called. */
  enter(): () => void;
  /** Whether the next request should be refused, so that those under way are answered in time. */
  refuses(): boolean;
  stop(): void;
}

/**
 * Watches the event loop, which all requests of a process share. What counts is a delay that lasts: a burst that is answered within a
 * second is let through. While a process is overloaded it admits what it can answer in a tenth of a second, and the requests that arrive with
 * them are refused at once: they would wait longer than their callers do, and health checks with them.
 */
export function createOverload(clock: Clock): Overload {
  let running = 0;
  let dueAt = clock.now() + TICK_MS;
  let lateSince: number | undefined;
  let busyUntil = 0;
  let cancel = () => {};

  function tick(): void {
    const now = clock.now();
    if (now - dueAt <= LATE_MS) lateSince = undefined;
    else {
      lateSince ??= dueAt;
      if (now - lateSince > LONG_MS) busyUntil = now + CALM_MS;
    }
    dueAt = now + TICK_MS;
    cancel = clock.after(TICK_MS, tick);
  }
  cancel = clock.after(TICK_MS, tick);

  return {
    enter() {
      running += 1;
      return () => {
        running -= 1;
      };
    },
    refuses() {
      if (running < LEAST_RUNNING) return false;
      const now = clock.now();
      if (now >= busyUntil || now - dueAt <= BUSY_LATE_MS) return false;
      busyUntil = now + CALM_MS;
      return true;
    },
    stop: () => cancel(),
  };
}
