import { logFailure } from '../../adapter/outage.ts';
import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import { dayAt } from '../../core/swedish-days.ts';
import type { Memory } from './memory.ts';
import type { PriceEvent } from './shapes.ts';

interface WatcherOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly memory: Memory;
  /** Whether other processes store as well: what they tell may be missed while the bus is not live. */
  readonly isShared: boolean;
  heard(event: PriceEvent): void;
}

/** A suspended process finds out soon after it wakes, as no timer is longer; also how old a missed message may get. */
const LOOK_MS = 30_000;

/** Tells of each new slot, and keeps the memory at the day. */
export function createWatcher({ clock, log, memory, isShared, heard }: WatcherOptions) {
  let isClosed = false;
  let cancel = () => {};
  let slot = memory.view().from;
  let day = dayAt(clock.now());

  const look = (): void => {
    const today = dayAt(clock.now());
    if (isShared || today !== day) {
      day = today;
      memory.refresh().catch((error: unknown) =>
        logFailure(log, error, {
          what: 'the stored prices were not read again',
          again: 'they are within a minute',
        }),
      );
    }
    const { from, until } = memory.view();
    if (from !== slot) {
      slot = from;
      heard({ kind: 'slot', start: from });
    }
    if (isClosed) return;
    cancel = clock.after(Math.min(Math.max(1, until - clock.now()), LOOK_MS), look);
  };

  return {
    start: look,
    close(): void {
      isClosed = true;
      cancel();
    },
  };
}
