import type { Clock } from '../../core/clock.ts';
import { MINUTE_MS } from '../../core/durations.ts';

/** Requests that are kept of a minute, by each process. What is beyond is counted, so that nobody can fill the disk. */
export const BOUNDS = {
  /** Failures of one caller on one route with one code. */
  sameFailures: 60,
  /** Failures of one caller. */
  failuresOfCaller: 300,
  /** Failures of all callers without an account. */
  failuresOfStrangers: 300,
  failures: 1_200,
  /** Of one caller on one route. */
  sameSuccesses: 600,
  successes: 1_200,
} as const;

/** What is counted at the same time, at most: each caller has several counters. */
const MOST_COUNTERS = 20_000;

interface Arrival {
  /** The account, or else the network. */
  readonly caller: string;
  readonly hasAccount: boolean;
  /** Method and route. */
  readonly route: string;
  /** Undefined for a success. */
  readonly failure: string | undefined;
}

/** Decides which requests are too many to be kept, by the minutes of the clock. */
export class Floods {
  readonly #clock: Clock;
  #minute = Number.NaN;
  #counters = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts a request; false where it is too many. */
  admits({ caller, hasAccount, route, failure }: Arrival): boolean {
    const minute = Math.floor(this.#clock.now() / MINUTE_MS);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#counters = new Map();
    }
    if (failure === undefined)
      return this.#takes([
        ['successes', BOUNDS.successes],
        [`success ${caller} ${route}`, BOUNDS.sameSuccesses],
      ]);
    return this.#takes([
      ['failures', BOUNDS.failures],
      ...(hasAccount ? [] : [['strangers', BOUNDS.failuresOfStrangers] as const]),
      [`failures ${caller}`, BOUNDS.failuresOfCaller],
      [`failure ${caller} ${failure} ${route}`, BOUNDS.sameFailures],
    ]);
  }

  /** Counts in all of these, or in none. */
  #takes(counters: readonly (readonly [name: string, most: number])[]): boolean {
    for (const [name, most] of counters) if ((this.#counters.get(name) ?? 0) >= most) return false;
    if (this.#counters.size + counters.length > MOST_COUNTERS) return false;
    for (const [name] of counters) this.#counters.set(name, (this.#counters.get(name) ?? 0) + 1);
    return true;
  }
}
