import { DAY_MS, HOUR_MS, MINUTE_MS } from '../core/durations.ts';
import type { EffectivePolicy } from '../domain/accounts/index.ts';

/** So many calls in a stretch of time. A day is a UTC day; a shorter window opens with its first call. */
export interface Window {
  readonly name: string;
  readonly calls: number;
  readonly lengthMs: number;
}

/** So many calls at once, which come back one in every `intervalMs`. */
export interface Bucket {
  readonly name: string;
  readonly calls: number;
  readonly intervalMs: number;
}

/** All limits that a caller is under. */
export interface Plan {
  readonly bucket: Bucket | undefined;
  readonly windows: readonly Window[];
  /** Value of the field `RateLimit-Policy`. */
  readonly policyField: string;
}

export function makePlan(windows: readonly Window[], bucket?: Bucket): Plan {
  const quotas = windows.map(({ name, calls, lengthMs }) => `"${name}";q=${calls};w=${lengthMs / 1000}`);
  if (bucket !== undefined) {
    const seconds = Math.max(1, Math.ceil((bucket.calls * bucket.intervalMs) / 1000));
    quotas.unshift(`"${bucket.name}";q=${bucket.calls};w=${seconds}`);
  }
  return { bucket, windows, policyField: quotas.join(', ') };
}

/** How often the rates are halved: while an account is throttled, and while other instances cannot be asked. */
export type Halvings = 0 | 1 | 2;

/** `calls` halved, and never made 0 by it. */
export function halved(calls: number, halvings: Halvings): number {
  return Math.max(Math.min(calls, 1), Math.floor(calls / 2 ** halvings));
}

/** The limits of an account: its windows, and the bucket that keeps a minute's calls from coming all at once. */
export function accountPlan(policy: EffectivePolicy, halvings: Halvings): Plan {
  const perMinute = halved(policy.perMinute, halvings);
  return makePlan(
    [
      { name: 'minute', calls: perMinute, lengthMs: MINUTE_MS },
      { name: 'hour', calls: halved(policy.perHour, halvings), lengthMs: HOUR_MS },
      { name: 'day', calls: halved(policy.perDay, halvings), lengthMs: DAY_MS },
    ],
    {
      name: 'burst',
      calls: Math.min(halved(policy.burst, halvings), perMinute),
      intervalMs: MINUTE_MS / perMinute,
    },
  );
}

/** When a window ends that opens now. */
export function endOf(window: Window, now: number): number {
  return window.lengthMs === DAY_MS ? (Math.floor(now / DAY_MS) + 1) * DAY_MS : now + window.lengthMs;
}
