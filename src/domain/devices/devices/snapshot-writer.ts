import type { Clock } from '../../../core/clock.ts';
import type { Log } from '../../../core/log.ts';
import { createLoop } from '../../../core/loop.ts';
import type { DeviceStore, SnapshotWrite } from './store.ts';

/** What somebody has read, or a vendor has told, is stored after this at the latest. */
const WAIT_MS = 20;
/** Nobody waits for what was read in the background: fewer commits hold more of it. */
const BACKGROUND_WAIT_MS = 100;

/**
 * Writes snapshots of many devices in shared commits. What is read in the background has a queue of its own, so that a caller who
 * waits for a commit does not wait for that one.
 */
export interface SnapshotWriter {
  /** Stored within 20 ms, within 100 ms where it was read in the background. */
  add(write: SnapshotWrite, isBackground: boolean): void;
  /** Whether something of this account, or of this device of it, is not stored yet. */
  pending(account: number, id?: string): boolean;
  /** Resolves when what was added so far, but in the background, is stored. */
  flushForeground(): Promise<boolean>;
  /** Resolves when everything added so far is stored; false when storing failed. */
  flush(): Promise<boolean>;
}

interface WriterOptions {
  readonly store: Pick<DeviceStore, 'write' | 'writeInBackground'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Called when states of devices of an account were stored: pages that were read meanwhile are from before. */
  stored(account: number): void;
}

type Batch = ReadonlyMap<string, SnapshotWrite>;

const keyOf = ({ account, link, vendor, id }: SnapshotWrite): string => `${account}/${link}/${vendor}/${id}`;

export function createSnapshotWriter({ store, clock, log, stored }: WriterOptions): SnapshotWriter {
  /** What is being written, by device: of one device, one at a time. */
  const inFlight = new Map<string, Promise<void>>();
  const beingWritten = new Map<string, SnapshotWrite>();

  async function writeBatch(batch: Batch, write: DeviceStore['write']): Promise<void> {
    const keys = [...batch.keys()];
    const earlier = keys.flatMap((key) => inFlight.get(key) ?? []);
    const work = () => storeAll([...batch.values()], write);
    const writing = earlier.length === 0 ? work() : Promise.allSettled(earlier).then(work);
    for (const [key, write] of batch) {
      inFlight.set(key, writing);
      beingWritten.set(key, write);
    }
    try {
      await writing;
    } finally {
      for (const key of keys) {
        if (inFlight.get(key) !== writing) continue;
        inFlight.delete(key);
        beingWritten.delete(key);
      }
    }
  }

  async function storeAll(writes: readonly SnapshotWrite[], write: DeviceStore['write']): Promise<void> {
    const outcomes = await Promise.allSettled(writes.map(write));
    for (const [index, { account }] of writes.entries())
      if (outcomes[index]?.status === 'fulfilled') stored(account);
    for (const one of outcomes) if (one.status === 'rejected') throw one.reason;
  }

  const queueOf = (waitMs: number, write: DeviceStore['write']) =>
    createQueue({
      clock,
      waitMs,
      write: (batch) => writeBatch(batch, write),
      // A state is a reading: the next one replaces it, and memory still answers with it.
      failed: (error) => log.warn({ err: error }, 'states were not stored'),
    });
  const foreground = queueOf(WAIT_MS, store.write);
  const background = queueOf(BACKGROUND_WAIT_MS, store.writeInBackground);

  return {
    add(write, isBackground) {
      const key = keyOf(write);
      // The newest of a device is all that is stored, and no later than somebody may wait for.
      if (isBackground && !foreground.waiting.has(key)) background.add(key, write);
      else {
        background.waiting.delete(key);
        foreground.add(key, write);
      }
    },
    pending: (account, id) =>
      [foreground.waiting.values(), background.waiting.values(), beingWritten.values()].some((writes) =>
        writes.some((one) => one.account === account && (id === undefined || one.id === id)),
      ),
    flushForeground: foreground.flush,
    async flush() {
      const [foregroundDone, backgroundDone] = await Promise.all([foreground.flush(), background.flush()]);
      return foregroundDone && backgroundDone;
    },
  };
}

interface QueueOptions {
  readonly clock: Clock;
  readonly waitMs: number;
  readonly write: (batch: Batch) => Promise<void>;
  readonly failed: (error: unknown) => void;
}

/** Gathers for `waitMs`, and writes one batch after the other: while the database is slow, batches grow. */
function createQueue({ clock, waitMs, write, failed }: QueueOptions) {
  const waiting = new Map<string, SnapshotWrite>();
  const writes = createLoop({
    clock,
    async run() {
      const batch = new Map(waiting);
      waiting.clear();
      await write(batch);
    },
    failed,
  });
  return {
    /** By device. */
    waiting,
    add(key: string, write: SnapshotWrite): void {
      waiting.set(key, write);
      writes.wake(waitMs);
    },
    async flush(): Promise<boolean> {
      try {
        await writes.run();
        return true;
      } catch (error) {
        failed(error);
        return false;
      }
    },
  };
}
