import { HOUR_MS } from '../../core/durations.ts';
import type { Random } from '../../core/ids.ts';

const FIRST_MS = 1_000;
const LONGEST_MS = HOUR_MS;
/** After so long without a success a subscription is paused. */
export const GIVEN_UP_MS = 72 * HOUR_MS;

/** How long to wait after so many failures in a row: doubled each time up to an hour, of which half is random, so that receivers that come back are not met by all at once. */
export function retryDelayMs(failures: number, random: Random): number {
  const whole = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failures - 1, 30));
  return Math.round(whole / 2 + (whole / 2) * (random(4).readUInt32BE() / 2 ** 32));
}
