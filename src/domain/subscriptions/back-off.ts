import { HOUR_MS } from '../../core/durations.ts';
import type { Random } from '../../core/ids.ts';

const FIRST_MS = 1_000;
const LONGEST_MS = HOUR_MS;
/** After so long without a success a subscription is paused. */
export const GIVEN_UP_MS = 72 * HOUR_MS;

interface Failures {
  /** In a row. */
  readonly failures: number;
  /** What the receiver asks for, or undefined. */
  readonly retryAfterSeconds?: number | undefined;
}

/**
 * How long to wait after failures: doubled each time up to an hour, of which half is random, so that receivers that come back are not met
 * by all at once. A receiver that asks for more has it, up to an hour.
 */
export function retryDelayMs({ failures, retryAfterSeconds = 0 }: Failures, random: Random): number {
  const whole = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failures - 1, 30));
  const ownMs = Math.round(whole / 2 + (whole / 2) * (random(4).readUInt32BE() / 2 ** 32));
  return Math.max(ownMs, Math.min(LONGEST_MS, retryAfterSeconds * 1_000));
}
