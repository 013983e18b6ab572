import type { Clock } from '../../../core/clock.ts';

/** Callers that wait for a station to reach a state. */
export class Watchers {
  readonly #clock: Clock;
  readonly #waiting = new Set<() => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Call when something has changed: every waiting caller checks its condition. */
  look(): void {
    for (const one of [...this.#waiting]) one();
  }

  /** Resolves when `reached` holds, or when the time limit is over. */
  until(reached: () => boolean, withinMs: number): Promise<void> {
    return new Promise((resolve) => {
      const finish = () => {
        cancel();
        this.#waiting.delete(look);
        resolve();
      };
      const look = () => {
        if (reached()) finish();
      };
      const cancel = this.#clock.after(withinMs, finish);
      this.#waiting.add(look);
      look();
    });
  }
}
