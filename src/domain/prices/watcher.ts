import { logFailure } from '../../adapter/outage.ts';
import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import { createLoop } from '../../core/loop.ts';
import { dayAt } from '../../core/swedish-days.ts';
import type { Memory } from './memory.ts';
import type { PriceEvent } from './shapes.ts';

interface WatcherOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly memory: Memory;
  /** Whether other processes store prices too; their messages are lost while the bus is down. */
  readonly isShared: boolean;
  heard(event: PriceEvent): void;
}

/** Longest timer, so that a suspended process catches up soon; also the longest delay of a lost message. */
const LOOK_MS = 30_000;

/** Publishes each new slot, and reloads the memory when the day changes. */
export function createWatcher({ clock, log, memory, isShared, heard }: WatcherOptions) {
  let slot = memory.view().from;
  let day = dayAt(clock.now());

  /** Resolves to the time until the next slot begins. */
  const look = async (): Promise<number> => {
    const today = dayAt(clock.now());
    if (isShared || today !== day) {
      day = today;
      memory.refresh().catch((error: unknown) =>
        logFailure(log, error, {
          what: 'refreshing the stored prices failed',
          again: 'retrying within a minute',
        }),
      );
    }
    const { from, until } = memory.view();
    if (from !== slot) {
      slot = from;
      heard({ kind: 'slot', start: from });
    }
    return Math.min(Math.max(1, until - clock.now()), LOOK_MS);
  };

  const loop = createLoop({
    clock,
    run: look,
    everyMs: LOOK_MS,
    failed: (error) => log.error({ err: error }, 'checking for a new price slot failed'),
  });

  return {
    start: (): void => loop.wake(),
    close: loop.close,
  };
}
