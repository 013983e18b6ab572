import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import { createLoop, type Loop } from '../../core/loop.ts';
import type { Database } from '../../db/database.ts';
import { touchKeys } from './store.ts';
import { addUsage } from './store-usage.ts';
import { type AnsweredRequest, UsageCounts } from './usage.ts';

interface Options {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
}

const WRITE_AFTER_MS = 1_000;
const TOUCH_AFTER_MS = 60_000;

/**
 * Writes usage, and when a key was last used (to the minute), without making requests wait: gathered in memory and
 * written in one transaction a second later. A kill loses up to a second of it.
 */
export class WrittenLater {
  readonly #options: Options;
  readonly #usage: UsageCounts;
  /** When each key's last use was last recorded, for keys used in about the last minute. */
  #noted = new Map<string, number>();
  #usedKeys = new Set<string>();
  readonly #writes: Loop;

  constructor(options: Options) {
    this.#options = options;
    this.#usage = new UsageCounts(options.clock);
    this.#writes = createLoop({
      clock: options.clock,
      run: () => this.#write(),
      retryMs: () => WRITE_AFTER_MS,
      failed: (error) =>
        options.log.warn({ err: error }, 'usage could not be written; it is kept and retried'),
    });
  }

  record(answered: AnsweredRequest): void {
    this.#usage.record(answered);
    if (answered.keyId !== '') this.#noteUse(answered.keyId);
    this.#writes.wake(WRITE_AFTER_MS);
  }

  /** Resolves when everything recorded before the call is written. */
  write(): Promise<void> {
    return this.#writes.run();
  }

  /** The same, for the last time. */
  close(): Promise<void> {
    return this.#writes.finish();
  }

  #noteUse(keyId: string): void {
    const now = this.#options.clock.now();
    if (now - (this.#noted.get(keyId) ?? Number.NEGATIVE_INFINITY) < TOUCH_AFTER_MS) return;
    this.#noted.set(keyId, now);
    this.#usedKeys.add(keyId);
  }

  async #write(): Promise<void> {
    const { database, clock } = this.#options;
    const rows = this.#usage.take();
    const keys = [...this.#usedKeys];
    this.#usedKeys.clear();
    const now = clock.now();
    for (const [keyId, at] of this.#noted) if (now - at >= TOUCH_AFTER_MS) this.#noted.delete(keyId);
    if (rows.length === 0 && keys.length === 0) return;
    try {
      await database.transaction(async (queries) => {
        await addUsage(queries, rows);
        if (keys.length > 0) await touchKeys(queries, keys, now);
      });
    } catch (error) {
      this.#usage.giveBack(rows);
      for (const keyId of keys) this.#usedKeys.add(keyId);
      throw error;
    }
  }
}
