import type { BudgetRule } from '../../adapter/budget.ts';

/** What of a rule is used, of one subject. */
export interface Tally {
  /** Start of the window that is counted in now, ms since 1970. */
  start: number;
  used: number;
  /** Used in the window before. */
  before: number;
  /** Used here since the last time it was stored. */
  unstored: number;
}

export function startOf(rule: BudgetRule, now: number): number {
  const length = rule.seconds * 1000;
  return Math.floor(now / length) * length;
}

/** Moves a tally on to the window of `now`. */
export function turn(tally: Tally, rule: BudgetRule, now: number): void {
  const start = startOf(rule, now);
  if (start === tally.start) return;
  tally.before = start - tally.start === rule.seconds * 1000 ? tally.used : 0;
  tally.start = start;
  tally.used = 0;
}

/**
 * What any stretch of the rule's length that ends now has used, the window before counted by the share of it that is still in the
 * stretch: whichever way the vendor counts, its limit holds.
 */
export function usedNow(tally: Tally, rule: BudgetRule, now: number): number {
  const passed = (now - tally.start) / (rule.seconds * 1000);
  return tally.used + tally.before * (1 - passed);
}

/** Seconds until `cost` more fits under `most`; at least one. */
export function secondsUntil(
  tally: Tally,
  rule: BudgetRule,
  want: { readonly cost: number; readonly most: number; readonly now: number },
): number {
  const { cost, most, now } = want;
  const length = rule.seconds * 1000;
  const left = tally.start + length - now;
  // In this window only the share of the one before shrinks; in the next one, that of this window.
  const over = usedNow(tally, rule, now) + cost - most;
  const shrinking = tally.before > 0 ? (over / tally.before) * length : Number.POSITIVE_INFINITY;
  if (shrinking <= left) return Math.max(1, Math.ceil(shrinking / 1000));
  const next = tally.used > 0 ? Math.max(0, (tally.used + cost - most) / tally.used) * length : 0;
  return Math.max(1, Math.ceil((left + Math.min(next, length)) / 1000));
}
