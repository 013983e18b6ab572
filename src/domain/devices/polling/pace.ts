import type { Adapter } from '../../../adapter/adapter.ts';
import type { Snapshot } from '../devices/index.ts';

/** Even where a limit grants next to nothing, a device is looked at once a day. */
const SLOWEST_SECONDS = 86_400;
/** What a stream tells need not be asked for: a read now and then finds what it has missed. */
const STREAMED = 4;
/** Polls are spread by up to this share of their interval, and only ever later. */
const SPREAD = 0.15;
const RETRY_SECONDS = 30;
const MOST_RETRY_SECONDS = 3_600;

type Activity = 'active' | 'idle' | 'asleep';

/** What a device needs by what it was last like. */
export function activityOf(
  snapshot: Pick<Snapshot, 'state' | 'reported'> | null,
  isCommanded: boolean,
): Activity {
  if (isCommanded || snapshot?.state.charging === true) return 'active';
  // One that could not be asked does not sleep, for all that is known.
  return snapshot?.state.online === false && snapshot.reported?.isUnreachable !== true ? 'asleep' : 'idle';
}

interface Circumstances {
  /** Of the devices that are read together. */
  readonly activities: readonly Activity[];
  /** What the vendor's limits can bear, seconds. */
  readonly bearable: number;
  readonly isStreaming: boolean;
}

/** Seconds between two reads; 0 for a vendor that is not read in the background. */
export function intervalOf(
  { pace, pollSeconds }: Pick<Adapter, 'pace' | 'pollSeconds'>,
  { activities, bearable, isStreaming }: Circumstances,
): number {
  if (pace === undefined) return 0;
  const wanted = isStreaming
    ? STREAMED * pace.idle
    : Math.min(...activities.map((activity) => pace[activity]));
  return Math.min(SLOWEST_SECONDS, Math.max(1, wanted, bearable, pollSeconds));
}

/** ms until the next poll; `chance` is from 0 until 1. */
export function spread(seconds: number, chance: number): number {
  return Math.round(seconds * 1000 * (1 + SPREAD * chance));
}

/** Seconds until a device is tried again that could not be read so many times in a row. */
export function retrySeconds(interval: number, failures: number): number {
  const least = Math.max(interval, RETRY_SECONDS);
  return Math.max(least, Math.min(MOST_RETRY_SECONDS, least * 2 ** Math.min(failures - 1, 10)));
}
