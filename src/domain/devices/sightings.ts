import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { DeviceStore, Sighting } from './store.ts';

const WAIT_MS = 20;

/** Writes what was seen of many devices in shared commits, at most 20 ms after it was seen. */
export interface Sightings {
  add(sighting: Sighting): void;
  /** Whether something seen of this account is not stored yet. */
  pending(account: number): boolean;
  /** Resolves when everything added so far is stored, and the other processes are told; false when storing failed. */
  flush(): Promise<boolean>;
}

interface SightingsOptions {
  readonly store: DeviceStore;
  readonly clock: Clock;
  readonly log: Log;
  /** Tells the other processes to drop these devices. */
  tell(changed: readonly { account: number; id: string }[]): Promise<void>;
}

export function createSightings({ store, clock, log, tell }: SightingsOptions): Sightings {
  let waiting = new Map<string, Sighting>();
  let timer: (() => void) | null = null;
  let writing: Promise<boolean> = Promise.resolve(true);

  const write = async (): Promise<boolean> => {
    timer?.();
    timer = null;
    if (waiting.size === 0) return true;
    const batch = waiting;
    waiting = new Map();
    const sightings = [...batch.values()];
    const stored = await Promise.allSettled(sightings.map((sighting) => store.see(sighting)));
    const failed = stored.find((one) => one.status === 'rejected');
    // A state is a reading: the next one replaces it, and memory still answers with it.
    if (failed !== undefined)
      log.warn({ err: failed.reason, devices: batch.size }, 'states could not be stored');
    const changed = sightings.filter((_, index) => stored[index]?.status === 'fulfilled');
    try {
      if (changed.length > 0) await tell(changed.map(({ account, id }) => ({ account, id })));
    } catch (error) {
      log.warn(
        { err: error, devices: changed.length },
        'the other processes could not be told of new states',
      );
      return false;
    }
    return failed === undefined;
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
