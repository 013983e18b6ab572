import type { AsyncLocalStorage } from 'node:async_hooks';
import type { Clock } from '../../../core/clock.ts';
import { MINUTE_MS } from '../../../core/durations.ts';
import type { CallEnd, Called, RequestEnd, TracedRun, TracedWork, Traces } from '../../../core/traces.ts';
import type { Call, RequestRow } from './store.ts';

/** Requests that wait to be written: about a kilobyte each, so that a lost database costs some megabytes. */
export const MOST_WAITING = 5_000;

/** A bounded queue. Where it is full the oldest success makes room, and only where there is none the oldest failure. */
export class Waiting {
  readonly #dropped: () => void;
  #failures: RequestRow[] = [];
  #successes: RequestRow[] = [];

  /** `dropped` is called for each request that is lost. */
  constructor(dropped: () => void) {
    this.#dropped = dropped;
  }

  get size(): number {
    return this.#failures.length + this.#successes.length;
  }

  add(row: RequestRow): void {
    this.#listOf(row).push(row);
    this.#bound();
  }

  /** Removes the oldest ones, failures first: they matter most. */
  take(most: number): RequestRow[] {
    const failures = this.#failures.splice(0, most);
    return [...failures, ...this.#successes.splice(0, most - failures.length)];
  }

  /** Puts those back that could not be written. */
  giveBack(rows: readonly RequestRow[]): void {
    this.#failures = [...rows.filter(hasFailed), ...this.#failures];
    this.#successes = [...rows.filter((row) => !hasFailed(row)), ...this.#successes];
    this.#bound();
  }

  #listOf(row: RequestRow): RequestRow[] {
    return hasFailed(row) ? this.#failures : this.#successes;
  }

  #bound(): void {
    while (this.size > MOST_WAITING) {
      if (this.#successes.shift() === undefined) this.#failures.shift();
      this.#dropped();
    }
  }
}

/** Also where the caller disconnected before there was a response. */
export const hasFailed = ({ status }: Pick<RequestRow, 'status'>): boolean =>
  status === null || status >= 400;

/** Requests that each process stores per minute. Further ones are only counted, so that a flood cannot fill the disk. */
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

/** The most counters at a time: each caller has several. */
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

type Begun = Parameters<Traces['request']>[0];
type BegunCall = Parameters<Traces['call']>[0];
/** A request that is to be kept, without what only its keeper knows. */
type EndedRequest = Omit<RequestRow, 'id' | 'at' | 'instance'>;

/** A read that has called a vendor and took so long is kept too: somebody will ask why. */
const SLOW_MS = 1_000;
const MOST_CALLS = 50;
const LONGEST_ID = 200;
const LONGEST_SENTENCE = 1_000;

/** A request while it runs. Most are reads that succeed: of those next to nothing is made. */
export class FollowedRequest implements TracedRun {
  readonly #begun: Begun;
  readonly #began = performance.now();
  readonly #running: AsyncLocalStorage<FollowedRequest>;
  readonly #keep: (request: EndedRequest, caller: string) => void;
  #calls: Call[] | undefined;
  #more = 0;
  /** The link of the first call. */
  #link: string | undefined;
  #hasEnded = false;

  /** `keep` is called with the request once it has ended, if it is to be kept. */
  constructor(
    begun: Begun,
    running: AsyncLocalStorage<FollowedRequest>,
    keep: (request: EndedRequest, caller: string) => void,
  ) {
    this.#begun = begun;
    this.#running = running;
    this.#keep = keep;
  }

  run<T>(work: () => T): T {
    return this.#running.run(this, work);
  }

  /** Begins a call; undefined for work in the background that goes on after the request. */
  call({ vendor, call, link }: BegunCall): TracedWork<CallEnd> | undefined {
    if (this.#hasEnded) return undefined;
    this.#link ??= link;
    const began = performance.now();
    return {
      run: (work) => work(),
      end: ({ outcome, status = null }) => {
        const duration_ms = Math.round(performance.now() - began);
        const started_ms = Math.round(began - this.#began);
        this.#calls ??= [];
        if (this.#calls.length < MOST_CALLS)
          this.#calls.push({ vendor, call, outcome, status, started_ms, duration_ms });
        else this.#more += 1;
      },
    };
  }

  called(): Called {
    return { vendor: this.#calls?.[0]?.vendor ?? null, link: this.#link ?? null };
  }

  end({ status, durationMs, facts }: RequestEnd): void {
    this.#hasEnded = true;
    const { kept, method, route, service, id } = this.#begun;
    const isSlow = durationMs >= SLOW_MS && this.#calls !== undefined;
    if (kept === 'nothing' || (kept === 'failures' && !hasFailed({ status }) && !isSlow)) return;
    const { account, keyId, caller, device, link, vendor, error } = facts();
    const called = this.called();
    const request = {
      ...{ account: account ?? 0, request_id: id, service, key_id: keyId, method, route, status },
      error_code: error?.code ?? null,
      error: error === null ? null : stored(error.sentence, LONGEST_SENTENCE),
      duration_ms: Math.round(durationMs),
      device: device === null ? null : stored(device, LONGEST_ID),
      link: link === null ? called.link : stored(link, LONGEST_ID),
      vendor: called.vendor ?? vendor,
      calls_json: JSON.stringify({ calls: this.#calls ?? [], more: this.#more }),
    };
    this.#keep(request, caller);
  }
}

/** A text as every store takes it. */
const stored = (text: string, most: number): string =>
  text.slice(0, most).replaceAll('\0', '\u{fffd}').toWellFormed();
