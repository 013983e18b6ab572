import { logFailure } from '../../adapter/outage.ts';
import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { Lease } from '../../db/lease.ts';

/** Without a renewal for so long the lease expires and another process may take it. */
export const LEASE_MS = 30_000;
const RENEW_MS = 10_000;

interface HolderOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly lease: Lease;
  /** Called when this process gets the lease, and at each renewal. */
  held(isNew: boolean): void;
}

/** Holds the lease to fetch, so that only one process does. */
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
          what: 'the lease to fetch prices was not renewed',
          again: `retrying in ${RENEW_MS / 1000} seconds`,
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
      // While the database is unreachable the lease expires by itself.
      await lease.release().catch(() => {});
    },
  };
}
