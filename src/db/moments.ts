import { type RawBuilder, sql } from 'kysely';
import type { Clock } from '../core/clock.ts';

/**
 * The common clock of all processes of a database, for everything that one process stores and another compares: leases, claims,
 * deadlines, and when a device was and will be polled. On PostgreSQL it is the server's, so that the clocks of the processes need
 * not agree; with the embedded database it is that of its only process.
 */
export interface Moments {
  /** SQL for the moment at which it is evaluated, ms since 1970 UTC. */
  readonly now: RawBuilder<number>;
  /** The same, evaluated once per statement: PostgreSQL needs that to use an index. */
  readonly nowOnce: RawBuilder<number>;
  /** An estimate of that clock in this process, for stored times and for deadlines that the database checks. */
  readonly clock: Clock;
  /** Call with the server's time, and with this process's time when it was requested. */
  learn(serverNow: number, askedAt: number): void;
}

/** This process's own clock, for the embedded database and for tests that advance the clock. */
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

/** The clock of the PostgreSQL server. */
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
      // A difference that the duration of the request can explain is ignored, so that time does not jump. Both clocks are in whole ms.
      if (Math.abs(found - ahead) > (answeredAt - askedAt) / 2 + 1) ahead = Math.round(found);
    },
  };
}
