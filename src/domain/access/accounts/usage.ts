import { type Clock, rfc3339 } from '../../../core/clock.ts';
import { DAY_MS } from '../../../core/durations.ts';
import type { Log } from '../../../core/log.ts';
import { createLoop, type Loop } from '../../../core/loop.ts';
import type { Database } from '../../../db/database.ts';
import { touchKeys } from './store.ts';
import { addUsage, type UsageRow } from './store-usage.ts';

export type StatusClass = '1xx' | '2xx' | '3xx' | '4xx' | '5xx';

/** One request with a response; account 0 and an empty key id are anonymous. */
export interface AnsweredRequest {
  readonly account: number;
  readonly keyId: string;
  readonly service: 'connect' | 'grid';
  /** The pattern, as in `GET /devices/:id`. */
  readonly route: string;
  readonly statusClass: StatusClass;
}

/** Most counters in memory; only an unwritable database can reach it, and further ones are dropped. */
const MOST_COUNTERS = 50_000;

/**
 * Counts requests in memory until they are written. Counts of the last second before a kill are lost: usage is a
 * statistic, not a bill.
 */
class UsageCounts {
  readonly #clock: Clock;
  #counters = new Map<string, { row: Omit<UsageRow, 'count' | 'last_at'>; count: number; lastAt: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  record(answered: AnsweredRequest): void {
    const now = this.#clock.now();
    const day = Math.floor(now / DAY_MS);
    const { account, keyId, service, route, statusClass } = answered;
    const name = `${account} ${keyId} ${day} ${service} ${statusClass} ${route}`;
    const counter = this.#counters.get(name);
    if (counter !== undefined) {
      counter.count += 1;
      counter.lastAt = now;
      return;
    }
    if (this.#counters.size >= MOST_COUNTERS) return;
    const row = {
      account_id: account,
      day: rfc3339(day * DAY_MS).slice(0, 10),
      service,
      route,
      key_id: keyId,
      status_class: statusClass,
    };
    this.#counters.set(name, { row, count: 1, lastAt: now });
  }

  /** Takes the counters to write, and starts again from zero. */
  take(): UsageRow[] {
    const counters = [...this.#counters];
    this.#counters = new Map();
    // One order everywhere, so that two processes writing the same rows cannot deadlock.
    return counters
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, { row, count, lastAt }]) => ({ ...row, count, last_at: lastAt }));
  }

  /** Adds counters back that could not be written. */
  giveBack(rows: readonly UsageRow[]): void {
    for (const { count, last_at, ...row } of rows) {
      const day = Date.parse(row.day) / DAY_MS;
      const name = `${row.account_id} ${row.key_id} ${day} ${row.service} ${row.status_class} ${row.route}`;
      const counter = this.#counters.get(name);
      if (counter !== undefined) counter.count += count;
      else this.#counters.set(name, { row, count, lastAt: last_at });
    }
  }
}

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
