import { systemClock, type TurnedClock } from '../../src/core/clock.ts';

/**
 * A clock that goes on by itself, for what waits for real sockets, and that a test turns ahead so that nobody waits for time.
 * @param begin by how much it is ahead of the clock of the system at first, ms; negative where it is behind
 * @param speed seconds of it in a second; below 1 where a slow machine must not run into a time limit
 */
export function runningClock(begin = 0, speed = 1): TurnedClock {
  interface Timer {
    readonly at: number;
    readonly fire: () => void;
    cancel: () => void;
  }
  const timers = new Set<Timer>();
  let ahead = begin;
  const opened = systemClock.now();
  const run = () => opened + (systemClock.now() - opened) * speed;
  const now = () => run() + ahead;
  const arm = (timer: Timer) => {
    timer.cancel();
    timer.cancel = systemClock.after(Math.max(0, timer.at - now()) / speed, () => fire(timer));
  };
  function fire(timer: Timer): void {
    timer.cancel();
    if (timers.delete(timer)) timer.fire();
  }
  return {
    isTurned: true,
    now,
    after(ms, then) {
      const timer: Timer = { at: now() + ms, fire: then, cancel: () => {} };
      timers.add(timer);
      arm(timer);
      return () => {
        timer.cancel();
        timers.delete(timer);
      };
    },
    turn(ms) {
      const end = ahead + ms;
      const start = run();
      for (;;) {
        const due = [...timers]
          .filter(({ at }) => at <= start + end)
          .toSorted((one, other) => one.at - other.at)[0];
        if (due === undefined) break;
        ahead = Math.max(ahead, due.at - start);
        fire(due);
      }
      ahead = end;
      for (const timer of timers) arm(timer);
    },
  };
}
