import { type Clock, sleep } from '../core/clock.ts';
import type { Log } from '../core/log.ts';

/** Whoever waits for it is not kept waiting longer. */
const WAITED_FOR_MS = 2_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 3_000;
const GIVEN_UP_AFTER_MS = 3_600_000;
const MOST = 10_000;

interface UntilStoredOptions {
  readonly clock: Clock;
  readonly log: Log;
}

/** What has happened already and must be stored, though the database may be away for a while. */
export interface UntilStored {
  /**
   * Does `work` again and again until it succeeds, for an hour or until the process ends. Never rejects: resolves when it is done, and
   * after two seconds at the latest while it goes on. `what` names it in the log, if it is given up.
   */
  store(what: string, work: () => Promise<void>): Promise<void>;
  /** Tries nothing again. */
  close(): void;
}

export function createUntilStored({ clock, log }: UntilStoredOptions): UntilStored {
  let isClosed = false;
  let underWay = 0;

  async function insist(what: string, work: () => Promise<void>): Promise<void> {
    const givenUpAt = clock.now() + GIVEN_UP_AFTER_MS;
    for (let attempt = 0; ; attempt += 1) {
      try {
        await work();
        return;
      } catch (error) {
        if (isClosed || clock.now() >= givenUpAt || underWay > MOST) {
          log.error({ err: error, attempts: attempt + 1 }, `${what} could not be stored`);
          return;
        }
        if (attempt === 0) log.warn({ err: error }, `${what} is not stored yet; it is tried again`);
      }
      await sleep(clock, Math.min(FIRST_PAUSE_MS * 2 ** attempt, LONGEST_PAUSE_MS));
      if (isClosed) return;
    }
  }

  return {
    async store(what, work) {
      underWay += 1;
      const stored = insist(what, work).finally(() => {
        underWay -= 1;
      });
      let cancel = () => {};
      const late = new Promise<void>((resolve) => {
        cancel = clock.after(WAITED_FOR_MS, resolve);
      });
      await Promise.race([stored, late]);
      cancel();
    },
    close() {
      isClosed = true;
    },
  };
}
