import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { Database } from '../../db/database.ts';
import type { DeviceStore, Sighting } from './store.ts';

const WAIT_MS = 20;

/** Writes what was seen of many devices in shared transactions, at most 20 ms after it was seen. */
export interface Sightings {
  add(sighting: Sighting): void;
  /** Whether something seen of this account is not stored yet. */
  pending(account: number): boolean;
  /** Resolves when everything added so far is stored, and the other processes are told; false when storing failed. */
  flush(): Promise<boolean>;
}

interface SightingsOptions {
  readonly database: Database;
  readonly store: DeviceStore;
  readonly clock: Clock;
  readonly log: Log;
  /** Tells the other processes to drop these devices. */
  tell(changed: readonly { account: number; id: string }[]): Promise<void>;
}

export function createSightings({ database, store, clock, log, tell }: SightingsOptions): Sightings {
  let waiting = new Map<string, Sighting>();
  let timer: (() => void) | null = null;
  let writing: Promise<boolean> = Promise.resolve(true);

  const write = async (): Promise<boolean> => {
    timer?.();
    timer = null;
    if (waiting.size === 0) return true;
    const batch = waiting;
    waiting = new Map();
    try {
      await database.transaction(async (transaction) => {
        // In a fixed order, so that two processes that write the same devices cannot wait for each other.
        for (const key of [...batch.keys()].sort()) {
          const sighting = batch.get(key);
          if (sighting !== undefined) await store.see(transaction, sighting);
        }
      });
      await tell([...batch.values()].map(({ account, id }) => ({ account, id })));
      return true;
    } catch (error) {
      // A state is a reading: the next one replaces it, and memory still answers with it.
      log.warn({ err: error, devices: batch.size }, 'states could not be stored');
      return false;
    }
  };
  const flush = (): Promise<boolean> => {
    writing = writing.then(write);
    return writing;
  };
  return {
    add(sighting) {
      waiting.set(`${sighting.account}/${sighting.vendor}/${sighting.id}`, sighting);
      timer ??= clock.after(WAIT_MS, () => void flush());
    },
    pending: (account) => [...waiting.values()].some((sighting) => sighting.account === account),
    flush,
  };
}
