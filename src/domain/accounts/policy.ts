/** How often an account may call. */
export interface Policy {
  readonly per_minute: number;
  readonly per_hour: number;
  readonly per_day: number;
  /** Calls that may come at once; they come back at `per_minute` / 60 a second. */
  readonly burst: number;
  readonly auto_throttle_enabled: boolean;
}

/** The policy that holds for an account now. One object for each state: whatever is derived from it can be kept with it. */
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
};
const PRO: Policy = {
  per_minute: 600,
  per_hour: 20_000,
  per_day: 200_000,
  burst: 50,
  auto_throttle_enabled: true,
};

/** What a tier gets where no policy is set; a tier of any other name is limited as free. */
export function tierPolicy(tier: string): Policy {
  return tier === 'pro' ? PRO : FREE;
}

/** Whether a tier is of a name that has no limits of its own. */
export const isOtherTier = (tier: string): boolean => tier !== 'free' && tier !== 'pro';

/** Links that an account of a tier may have: each may bring devices, and readings of its own. */
export function mostLinks(tier: string): number {
  return tier === 'pro' ? 20_000 : 200;
}

export function effectivePolicy(policy: Policy, throttledUntil: number | null): EffectivePolicy {
  return {
    perMinute: policy.per_minute,
    perHour: policy.per_hour,
    perDay: policy.per_day,
    burst: policy.burst,
    autoThrottle: policy.auto_throttle_enabled,
    throttledUntil,
  };
}
