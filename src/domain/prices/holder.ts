import { logFailure } from '../../adapter/outage.ts';
import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { Lease } from '../../db/lease.ts';

/** A holder that is silent for so long is taken for dead. */
export const LEASE_MS = 30_000;
const RENEW_MS = 10_000;

interface HolderOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly lease: Lease;
  /** Called when this process becomes the one that fetches, and each time that it stays it. */
  held(isNew: boolean): void;
}

/** Whether this process is the one that fetches. */
export function createHolder({ clock, log, lease, held }: HolderOptions) {
  let isHeld = false;
  let isClosed = false;
  let cancel = () => {};
  let renewing: Promise<void> = Promise.resolve();

  const renew = async (): Promise<void> => {
    const was = isHeld;
    try {
      isHeld = (await lease.hold()) && !isClosed;
    } catch (error) {
      isHeld = false;
      if (was)
        logFailure(log, error, {
          what: 'the right to fetch prices was not renewed',
          again: `it is tried again in ${RENEW_MS / 1000} seconds`,
        });
    }
    if (isClosed) return;
    cancel = clock.after(RENEW_MS, run);
    if (isHeld) held(!was);
  };
  const run = () => {
    renewing = renew();
  };

  return {
    start: run,
    isHeld: () => isHeld,
    async close(): Promise<void> {
      isClosed = true;
      cancel();
      await renewing;
      isHeld = false;
      // Where the database is away the lease runs out by itself.
      await lease.release().catch(() => {});
    },
  };
}
