import { DAY_MS, HOUR_MS, MINUTE_MS } from '../core/durations.ts';
import type { EffectivePolicy, GlobalPolicy } from '../domain/access/accounts/index.ts';

/** A number of calls in a period. A day is a UTC day; a shorter window starts with its first call. */
export interface Window {
  readonly name: string;
  readonly calls: number;
  readonly lengthMs: number;
}

/** A number of calls at once, of which one is regained every `intervalMs`. */
export interface Bucket {
  readonly name: string;
  readonly calls: number;
  readonly intervalMs: number;
}

/** All limits of a caller. */
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

/** How often the rates are halved: while an account is throttled, and while Redis is unreachable. */
export type Halvings = 0 | 1 | 2;

/** `calls` halved, but at least 1 unless `calls` is 0. */
export function halved(calls: number, halvings: Halvings): number {
  return Math.max(Math.min(calls, 1), Math.floor(calls / 2 ** halvings));
}

/** The limits of an account: its windows, and the bucket that prevents a minute's calls from coming all at once. */
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

/** Commands that are admitted while the limits of the account are used up: this share of each limit, beyond it. */
const COMMANDS_SHARE = 0.2;

/** The plan of those commands; undefined where the limits are too small to have a share. */
export function commandsPlan({ windows, bucket }: Plan): Plan | undefined {
  const share = (calls: number) => Math.floor(calls * COMMANDS_SHARE);
  if (windows.some(({ calls }) => share(calls) === 0)) return undefined;
  return makePlan(
    windows.map((window) => ({ ...window, calls: share(window.calls) })),
    bucket && {
      ...bucket,
      calls: Math.max(1, share(bucket.calls)),
      intervalMs: bucket.intervalMs / COMMANDS_SHARE,
    },
  );
}

/** The plans of accounts, each made once. */
export function accountPlans() {
  const plansByPolicy = new WeakMap<EffectivePolicy, Plan[]>();
  return (policy: EffectivePolicy, halvings: Halvings): Plan => {
    const plans = plansByPolicy.get(policy) ?? [];
    const cached = plans[halvings];
    if (cached !== undefined) return cached;
    const plan = accountPlan(policy, halvings);
    plans[halvings] = plan;
    plansByPolicy.set(policy, plans);
    return plan;
  };
}

/** The limits of one address without a key, and of all such addresses: whole, and halved once. */
interface AnonymousPlans {
  readonly quotas: GlobalPolicy;
  readonly perIp: readonly Plan[];
  readonly total: readonly Plan[];
}

/** The plans of callers without a key, made anew when the quotas change. */
export function anonymousPlans() {
  let latest: AnonymousPlans | undefined;
  const halvings = [0, 1] as const;
  const day = (name: string, calls: number) =>
    halvings.map((times) => makePlan([{ name, calls: halved(calls, times), lengthMs: DAY_MS }]));
  return (quotas: GlobalPolicy): AnonymousPlans => {
    if (latest?.quotas === quotas) return latest;
    const perIp = day('day', quotas.anon_per_ip_per_day);
    latest = { quotas, perIp, total: day('anonymous-day', quotas.anon_global_per_day) };
    return latest;
  };
}

/** The end of a window that starts now. */
export function endOf(window: Window, now: number): number {
  return window.lengthMs === DAY_MS ? (Math.floor(now / DAY_MS) + 1) * DAY_MS : now + window.lengthMs;
}
