import type { Clock } from '../../core/clock.ts';

interface Pace {
  /** Messages a second in the long run. */
  readonly perSecond: number;
  /** Messages at once before any delay. */
  readonly burst: number;
  /** Messages that may wait beyond the burst before it is a flood. */
  readonly behind: number;
}

/** A token bucket that can go into debt: the debt is how long the next message has to wait. */
export class Bucket {
  readonly #clock: Clock;
  readonly #pace: Pace;
  #level: number;
  #at: number;

  constructor(clock: Clock, pace: Pace) {
    this.#clock = clock;
    this.#pace = pace;
    this.#level = pace.burst;
    this.#at = clock.now();
  }

  /** Takes one. Answers the milliseconds to wait first, or null when the sender floods. */
  take(): number | null {
    const now = this.#clock.now();
    const gained = Math.max(0, (now - this.#at) / 1000) * this.#pace.perSecond;
    this.#at = now;
    this.#level = Math.min(this.#pace.burst, this.#level + gained) - 1;
    if (this.#level < -this.#pace.behind) return null;
    return this.#level >= 0 ? 0 : (-this.#level / this.#pace.perSecond) * 1000;
  }
}

/** Counts events by key over a sliding minute; at `limit` of them the key is over it until they have passed. */
export class PerMinute {
  readonly #clock: Clock;
  readonly #limit: number;
  readonly #times = new Map<string, number[]>();

  constructor(clock: Clock, limit: number) {
    this.#clock = clock;
    this.#limit = limit;
  }

  count(key: string): void {
    const times = this.#recent(key);
    times.push(this.#clock.now());
    // Delete and set keep the map in order of last use, so that what is dropped first is what is oldest.
    this.#times.delete(key);
    this.#times.set(key, times.slice(-this.#limit));
    const [oldest] = this.#times.keys();
    if (this.#times.size > 10_000 && oldest !== undefined) this.#times.delete(oldest);
  }

  over(key: string): boolean {
    return this.#recent(key).length >= this.#limit;
  }

  #recent(key: string): number[] {
    const since = this.#clock.now() - 60_000;
    return (this.#times.get(key) ?? []).filter((at) => at > since);
  }
}
