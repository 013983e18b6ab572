import { type RawBuilder, sql } from 'kysely';
import type { Clock } from '../core/clock.ts';

/**
 * The clock that all processes of a database go by where one of them waits for another: leases, claims and deadlines. On PostgreSQL it
 * is the server's, so that the clocks of the processes need not agree; the embedded database has one process and its clock.
 */
export interface Moments {
  /** SQL for the moment at which its statement runs, ms since 1970 UTC. */
  readonly now: RawBuilder<number>;
  /** What that clock shows by now, as far as this process knows; for deadlines that the database judges. */
  estimate(): number;
  /** What the server's clock has shown just now. */
  learn(serverNow: number): void;
}

/** Moments by this process's own clock: of the embedded database, and where a test turns the clock. */
export function ownMoments(clock: Clock): Moments {
  return {
    get now() {
      return sql<number>`cast(${clock.now()} as bigint)`;
    },
    estimate: () => clock.now(),
    learn: () => {},
  };
}

/** Moments by the clock of the PostgreSQL server. */
export function serverMoments(clock: Clock): Moments {
  let ahead = 0;
  return {
    // Not now(), which stands still within a transaction.
    now: sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`,
    estimate: () => clock.now() + ahead,
    learn(serverNow) {
      ahead = serverNow - clock.now();
    },
  };
}
