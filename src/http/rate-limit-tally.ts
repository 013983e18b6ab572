import { BoundedMap } from '../core/bounded-map.ts';
import type { Clock } from '../core/clock.ts';
import { DAY_MS, MINUTE_MS } from '../core/durations.ts';
import { endOf, type Plan } from './rate-limit-plan.ts';

/** What a caller has used of its plan. Times are milliseconds since 1970. */
export interface Tally {
  /** When the bucket is full again: the "theoretical arrival time" of GCRA (ITU-T I.371). */
  fullAt: number;
  /** One entry for each window of the plan. */
  readonly endsAt: number[];
  readonly counts: number[];
  /** Refused calls of callers that do not wait, in a minute that starts with the first one. */
  refused: number;
  refusedEndsAt: number;
  /** By how many the last call has raised that. */
  newlyRefused: number;
  /** Until when the caller was told to wait, and how many calls were refused since it was told. */
  waitEndsAt: number;
  refusedInWait: number;
  /** The time of the last call. */
  at: number;
  /** The same by the steady clock of this process; absent where instances count together. */
  steadyAt?: number;
}

/** So many refused calls during one wait are those of callers that have not heard of it yet: several wait for the same limit. */
export const FORGIVEN_IN_WAIT = 5;

/** Clocks of instances agree to about a second; a larger step back means that a clock was set back. */
export const SKEW_MS = 2_000;

/** Adding fractions of a millisecond to present timestamps is exact to about 0.0002 ms. */
const ROUNDING_MS = 0.002;

const NOTHING_REFUSED = { refused: 0, refusedEndsAt: 0, newlyRefused: 0, waitEndsAt: 0, refusedInWait: 0 };

export function newTally(): Tally {
  return { fullAt: 0, endsAt: [], counts: [], ...NOTHING_REFUSED, at: 0 };
}

/**
 * Takes `cost` calls (0 only checks) and returns whether that is within every limit; a refused call uses nothing.
 * `rate-limit-redis.ts` implements the same rules in Lua.
 */
export function take(tally: Tally, plan: Plan, asked: number, cost: 0 | 1): boolean {
  const { bucket, windows } = plan;
  const now = moment(tally, plan, asked);
  tally.newlyRefused = 0;
  let isWithin = true;
  if (bucket !== undefined) {
    // After a change to a smaller plan, at most the whole bucket counts as used.
    const emptied = now + bucket.calls * bucket.intervalMs;
    tally.fullAt = Math.max(now, Math.min(tally.fullAt, emptied));
    isWithin = tally.fullAt - now <= (bucket.calls - 1) * bucket.intervalMs + ROUNDING_MS;
  }
  for (let index = 0; index < windows.length; index += 1) {
    const window = windows[index];
    if (window === undefined) continue;
    const end = tally.endsAt[index] ?? 0;
    if (end <= now) {
      tally.endsAt[index] = endOf(window, now);
      tally.counts[index] = 0;
    } else if (end > now + window.lengthMs) {
      tally.endsAt[index] = endOf(window, now);
    }
    if ((tally.counts[index] ?? 0) >= window.calls) isWithin = false;
  }
  if (isWithin) {
    if (bucket !== undefined) tally.fullAt += cost * bucket.intervalMs;
    for (let index = 0; index < windows.length; index += 1) {
      tally.counts[index] = (tally.counts[index] ?? 0) + cost;
    }
    return true;
  }
  if (cost === 1) noteRefusal(tally, plan, now);
  return false;
}

/** Counts a refused call where its caller goes on calling while it was told to wait. Who waits as long as it was told is never counted. */
function noteRefusal(tally: Tally, plan: Plan, now: number): void {
  if (tally.refusedEndsAt <= now) {
    tally.refusedEndsAt = now + MINUTE_MS;
    tally.refused = 0;
  }
  if (tally.waitEndsAt <= now) {
    tally.waitEndsAt = now + 1_000 * longestWait(tally, plan, now).seconds;
    tally.refusedInWait = 0;
  }
  tally.refusedInWait += 1;
  const beyond = tally.refusedInWait - FORGIVEN_IN_WAIT;
  tally.newlyRefused = beyond > 1 ? 1 : beyond === 1 ? tally.refusedInWait : 0;
  tally.refused += tally.newlyRefused;
}

/**
 * The time of a call. If a clock was set back, the stored times move with it, so that the remaining calls and waits stay the same;
 * the end of a UTC day does not move. Within the usual difference between clocks, time stands still.
 */
function moment(tally: Tally, plan: Plan, asked: number): number {
  const back = tally.at - asked;
  if (back > 0 && back <= SKEW_MS) return tally.at;
  if (back > 0) setBack(tally, plan, back);
  tally.at = asked;
  return asked;
}

/** Moves the stored times with a clock that was set back, but for the end of a UTC day. */
function setBack(tally: Tally, { windows }: Plan, back: number): void {
  tally.fullAt -= back;
  tally.refusedEndsAt -= back;
  tally.waitEndsAt -= back;
  for (let index = 0; index < windows.length; index += 1) {
    const end = tally.endsAt[index];
    if (end !== undefined && windows[index]?.lengthMs !== DAY_MS) tally.endsAt[index] = end - back;
  }
}

/** Sets a tally back by as much as the clock was, also where the last call was long ago: what was regained since then counts. */
function followSteady(tally: Tally, plan: Plan, { now, steady }: Pick<Call, 'now' | 'steady'>): void {
  const back = tally.at + steady - (tally.steadyAt ?? steady) - now;
  tally.steadyAt = steady;
  if (back <= SKEW_MS) return;
  setBack(tally, plan, back);
  tally.at = now;
}

/** Whether the tally can be removed without losing anything. */
function isSpent(tally: Tally, now: number): boolean {
  return tally.fullAt <= now && tally.refusedEndsAt <= now && tally.endsAt.every((end) => end <= now);
}

/** The limit with the longest wait, and that wait in seconds. */
export function longestWait(
  tally: Tally,
  plan: Plan,
  now: number,
): { readonly name: string; readonly seconds: number } {
  const waits = plan.windows.map((window, index) => ({
    name: window.name,
    ms: (tally.counts[index] ?? 0) >= window.calls ? (tally.endsAt[index] ?? now) - now : 0,
  }));
  if (plan.bucket !== undefined) waits.unshift({ name: plan.bucket.name, ms: msToNext(tally, plan, now) });
  const longest = waits.reduce((a, b) => (b.ms > a.ms ? b : a), { name: '', ms: 0 });
  return { name: longest.name, seconds: Math.max(1, Math.ceil(longest.ms / 1000)) };
}

/** What is left of a limit. */
export interface Left {
  readonly name: string;
  readonly calls: number;
  readonly left: number;
  /** Until there are more. */
  readonly seconds: number;
}

/** The remaining calls of each limit of a plan. */
export function whatIsLeft(tally: Tally, plan: Plan, now: number): Left[] {
  const { bucket, windows } = plan;
  const all = windows.map(({ name, calls }, index): Left => {
    const left = Math.max(0, calls - (tally.counts[index] ?? 0));
    return { name, calls, left, seconds: Math.ceil(((tally.endsAt[index] ?? now) - now) / 1000) };
  });
  if (bucket === undefined) return all;
  const ahead = Math.max(0, tally.fullAt - now - ROUNDING_MS / 2);
  const left = Math.floor(bucket.calls - ahead / bucket.intervalMs);
  const seconds = Math.max(1, Math.ceil(msToNext(tally, plan, now, left) / 1000));
  all.unshift({ name: bucket.name, calls: bucket.calls, left: Math.max(0, left), seconds });
  return all;
}

/**
 * Value of the field `RateLimit` (draft-ietf-httpapi-ratelimit-headers): for each limit the remaining calls and the seconds until
 * there are more.
 */
export function rateLimitField(tally: Tally, plan: Plan, now: number): string {
  let field = '';
  for (const { name, left, seconds } of whatIsLeft(tally, plan, now)) {
    if (field !== '') field += ', ';
    field += `"${name}";r=${left};t=${seconds}`;
  }
  return field;
}

/** Time until the bucket has one call more than `left`. */
function msToNext(tally: Tally, plan: Plan, now: number, left = 0): number {
  if (plan.bucket === undefined) return 0;
  const { calls, intervalMs } = plan.bucket;
  return Math.max(0, tally.fullAt - (calls - 1 - Math.max(0, left)) * intervalMs - now);
}

/** The result of a call, with the plan it was checked against. */
export interface Taken {
  readonly isWithin: boolean;
  readonly tally: Readonly<Tally>;
  readonly plan: Plan;
}

/** A call: when it is, and whether it is taken or only checked. */
export interface Call {
  readonly now: number;
  /** By the steady clock of this process. */
  readonly steady: number;
  readonly cost: 0 | 1;
}

/** A call now. */
export function callAt(clock: Clock, cost: 0 | 1): Call {
  const now = clock.now();
  return { now, steady: clock.steady?.() ?? now, cost };
}

/** Entries that are checked for each new caller, so that inactive ones are removed without a timer. */
const LOOKED_AT = 4;

/** The tallies of this process, by caller. */
export class MemoryTallies {
  readonly #tallies: BoundedMap<string, Tally>;
  #sweep: MapIterator<[string, Tally]>;

  /** Beyond `capacity` callers the oldest entry is removed. */
  constructor(capacity: number) {
    this.#tallies = new BoundedMap(capacity);
    this.#sweep = this.#tallies.entries();
  }

  get size(): number {
    return this.#tallies.size;
  }

  take(caller: string, plan: Plan, call: Call): Taken {
    const { now, cost } = call;
    let tally = this.#tallies.get(caller);
    if (tally === undefined) {
      this.#forgetSome(now);
      tally = newTally();
      this.#tallies.set(caller, tally);
    }
    followSteady(tally, plan, call);
    return { isWithin: take(tally, plan, now, cost), tally, plan };
  }

  #forgetSome(now: number): void {
    for (let looked = 0; looked < LOOKED_AT; looked += 1) {
      const next = this.#sweep.next();
      if (next.done === true) {
        this.#sweep = this.#tallies.entries();
        break;
      }
      const [caller, tally] = next.value;
      if (isSpent(tally, now)) this.#tallies.delete(caller);
    }
  }
}
