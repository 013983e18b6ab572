import type { DispatchRequest } from './schemas.ts';

interface Range {
  readonly baseline_w: number;
  readonly min_w: number;
  readonly max_w: number;
}

/** How far a member can go, watts; 0 when its baseline is outside its range, as its values are then unreliable. */
export function roomOf(direction: DispatchRequest['direction'], { baseline_w, min_w, max_w }: Range): number {
  if (baseline_w < min_w || baseline_w > max_w) return 0;
  return direction === 'up' ? max_w - baseline_w : baseline_w - min_w;
}

/** Why a member is skipped; null when it is not. */
export function reasonToSkip({ baseline_w, min_w, max_w }: Range): string | null {
  if (baseline_w < min_w) return `baseline_w ${baseline_w} is below min_w ${min_w}`;
  if (baseline_w > max_w) return `baseline_w ${baseline_w} is above max_w ${max_w}`;
  return null;
}
