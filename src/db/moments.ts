import { type RawBuilder, sql } from 'kysely';
import type { Clock } from '../core/clock.ts';

/**
 * The clock that all processes of a database go by where one of them waits for another, or compares what another has stored: leases,
 * claims, deadlines, and when a device was read and is read next. On PostgreSQL it is the server's, so that the clocks of the processes
 * need not agree; the embedded database has one process and its clock.
 */
export interface Moments {
  /** SQL for the moment at which it is evaluated, ms since 1970 UTC. */
  readonly now: RawBuilder<number>;
  /** The same, evaluated once for a statement: only then PostgreSQL searches an index by it. */
  readonly nowOnce: RawBuilder<number>;
  /** Shows what that clock shows by now, as far as this process knows: for what is stored, and for deadlines that the database judges. */
  readonly clock: Clock;
  /** What the server's clock has shown since this process's clock showed `askedAt`. */
  learn(serverNow: number, askedAt: number): void;
}

/** Moments by this process's own clock: of the embedded database, and where a test turns the clock. */
export function ownMoments(clock: Clock): Moments {
  const now = () => sql<number>`cast(${clock.now()} as bigint)`;
  return {
    get now() {
      return now();
    },
    get nowOnce() {
      return now();
    },
    clock,
    learn: () => {},
  };
}

/** Moments by the clock of the PostgreSQL server. */
export function serverMoments(clock: Clock): Moments {
  let ahead = 0;
  // Not now(), which stands still within a transaction.
  const now = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;
  return {
    now,
    nowOnce: sql<number>`(select ${now})`,
    clock: { ...clock, now: () => clock.now() + ahead },
    learn(serverNow, askedAt) {
      const answeredAt = clock.now();
      const found = serverNow - (askedAt + answeredAt) / 2;
      // What the answer's way could explain is no difference, and time does not jump for it. Both clocks show whole milliseconds.
      if (Math.abs(found - ahead) > (answeredAt - askedAt) / 2 + 1) ahead = Math.round(found);
    },
  };
}
