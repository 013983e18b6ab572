import { type Clock, sleep } from '../core/clock.ts';
import type { Log } from '../core/log.ts';

/** A caller waits at most this long. */
const WAITED_FOR_MS = 2_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 3_000;
const GIVEN_UP_AFTER_MS = 3_600_000;
const MOST = 10_000;

interface UntilStoredOptions {
  readonly clock: Clock;
  readonly log: Log;
}

/** Stores something that has already happened, even if the database is unreachable for a while. */
export interface UntilStored {
  /**
   * Retries `work` until it succeeds, for an hour or until the process ends. Never rejects: resolves when it is done, or after two
   * seconds while the retries continue. `what` names it in the log when it is given up.
   */
  store(what: string, work: () => Promise<void>): Promise<void>;
  /** Stops all retries. */
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
        // control: the outcome of a command is stored again until the database accepts it [commands/lost-database] => true
        if (isClosed || clock.now() >= givenUpAt || underWay > MOST) {
          log.error({ err: error, attempts: attempt + 1 }, `${what} could not be stored`);
          return;
        }
        if (attempt === 0) log.warn({ err: error }, `${what} is not stored yet; retrying`);
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
