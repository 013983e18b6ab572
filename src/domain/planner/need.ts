import type { ChargeTask } from './request.ts';

/**
 * Whole Wh that are missing, rounded up, computed in whole numbers: 0.07 × 100 is 7.000000000000001. None when the target is
 * already met.
 */
export function needOf({ current_soc, target_soc, capacity_wh }: ChargeTask): number {
  return Math.max(0, Math.ceil(((target_soc - current_soc) * capacity_wh) / 100));
}

/** Whole Wh that the battery can still take, rounded down: more than that does not fit. */
export function roomOf({ current_soc, capacity_wh }: ChargeTask): number {
  return Math.floor(((100 - current_soc) * capacity_wh) / 100);
}
