import { BoundedMap } from './bounded-map.ts';
import type { Clock } from './clock.ts';
import { MINUTE_MS } from './durations.ts';

/** Of messages, or of bytes. */
interface Pace {
  /** How many per second in the long run. */
  readonly perSecond: number;
  /** How many without delay. */
  readonly burst: number;
  /** How many may be delayed before it counts as a flood. */
  readonly behind: number;
}

/** A token bucket that may go negative: the debt is the delay of the next message. */
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

  /** Takes tokens. Returns the delay in milliseconds, or null when the sender floods. */
  take(tokens = 1): number | null {
    const now = this.#clock.now();
    const gained = Math.max(0, (now - this.#at) / 1000) * this.#pace.perSecond;
    this.#at = now;
    this.#level = Math.min(this.#pace.burst, this.#level + gained) - tokens;
    if (this.#level < -this.#pace.behind) return null;
    return this.#level >= 0 ? 0 : (-this.#level / this.#pace.perSecond) * 1000;
  }
}

const MOST_KEYS = 10_000;

/** Counts events by key in a sliding minute; `over` is true while a key has `limit` of them. */
export class PerMinute {
  readonly #clock: Clock;
  readonly #limit: number;
  readonly #times = new BoundedMap<string, number[]>(MOST_KEYS);

  constructor(clock: Clock, limit: number) {
    this.#clock = clock;
    this.#limit = limit;
  }

  count(key: string): void {
    const times = this.#recent(key);
    times.push(this.#clock.now());
    this.#times.set(key, times.slice(-this.#limit));
  }

  over(key: string): boolean {
    return this.#recent(key).length >= this.#limit;
  }

  #recent(key: string): number[] {
    const since = this.#clock.now() - MINUTE_MS;
    return (this.#times.get(key) ?? []).filter((at) => at > since);
  }
}
