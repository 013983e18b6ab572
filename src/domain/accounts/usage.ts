import type { Clock } from '../../core/clock.ts';
import { rfc3339 } from '../../core/clock.ts';
import { DAY_MS } from '../../core/durations.ts';
import type { UsageRow } from './store-usage.ts';

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
export class UsageCounts {
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
