import type { ChargeTask } from './request.ts';

/**
 * Whole Wh that are missing, rounded up; 0 when the target is already met. Computed in whole numbers, as 0.07 × 100 is
 * 7.000000000000001.
 */
export function needOf({ current_soc, target_soc, capacity_wh }: ChargeTask): number {
  return Math.max(0, Math.ceil(((target_soc - current_soc) * capacity_wh) / 100));
}

/** Whole Wh that the battery has room for, rounded down. */
export function roomOf({ current_soc, capacity_wh }: ChargeTask): number {
  return Math.floor(((100 - current_soc) * capacity_wh) / 100);
}
