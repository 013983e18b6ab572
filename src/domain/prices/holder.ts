import { logFailure } from '../../adapter/outage.ts';
import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import { createLoop } from '../../core/loop.ts';
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
  const loop = createLoop({
    clock,
    async run() {
      const was = isHeld;
      try {
        isHeld = (await lease.hold()) && !loop.isClosed;
      } catch (error) {
        isHeld = false;
        throw error;
      }
      if (isHeld) held(!was);
    },
    everyMs: RENEW_MS,
    failed: (error) =>
      logFailure(log, error, {
        what: 'the lease to fetch prices was neither taken nor renewed',
        again: `retrying in ${RENEW_MS / 1000} seconds`,
      }),
  });

  return {
    start: (): void => loop.wake(),
    isHeld: () => isHeld,
    async close(): Promise<void> {
      await loop.close();
      isHeld = false;
      // While the database is unreachable the lease expires by itself.
      await lease.release().catch(() => {});
    },
  };
}
