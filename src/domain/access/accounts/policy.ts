/** How often an account may call. */
export interface RatePolicy {
  readonly per_minute: number;
  readonly per_hour: number;
  readonly per_day: number;
  /** Calls that may arrive at once; refilled at `per_minute` / 60 per second. */
  readonly burst: number;
  readonly auto_throttle_enabled: boolean;
}

/** How often an account may call, and how many links it may have: each can add devices and readings. */
export interface Policy extends RatePolicy {
  readonly most_links: number;
}

/** A policy as it is set: without `most_links` that stays as it is, and null is as many as the tier has. */
export interface SetPolicy extends RatePolicy {
  readonly most_links?: number | null;
}

/** An account's current policy. One object per state, so that derived values can be cached by it. */
export interface EffectivePolicy {
  readonly perMinute: number;
  readonly perHour: number;
  readonly perDay: number;
  readonly burst: number;
  readonly autoThrottle: boolean;
  /** The rates are halved until this moment (milliseconds since 1970), or null. */
  readonly throttledUntil: number | null;
}

export interface GlobalPolicy {
  readonly anon_per_ip_per_day: number;
  readonly anon_global_per_day: number;
}

export const DEFAULT_GLOBAL_POLICY: GlobalPolicy = {
  anon_per_ip_per_day: 1_000,
  anon_global_per_day: 100_000,
};

const FREE: Policy = {
  per_minute: 60,
  per_hour: 1_000,
  per_day: 10_000,
  burst: 30,
  auto_throttle_enabled: true,
  most_links: 200,
};
const PRO: Policy = {
  per_minute: 600,
  per_hour: 20_000,
  per_day: 200_000,
  burst: 50,
  auto_throttle_enabled: true,
  most_links: 20_000,
};

/** The default policy of a tier; a tier of any other name has the limits of `free`. */
export function tierPolicy(tier: string): Policy {
  return tier === 'pro' ? PRO : FREE;
}

/** Whether a tier has no limits of its own. */
export const isOtherTier = (tier: string): boolean => tier !== 'free' && tier !== 'pro';

export function effectivePolicy(policy: RatePolicy, throttledUntil: number | null): EffectivePolicy {
  return {
    perMinute: policy.per_minute,
    perHour: policy.per_hour,
    perDay: policy.per_day,
    burst: policy.burst,
    autoThrottle: policy.auto_throttle_enabled,
    throttledUntil,
  };
}
