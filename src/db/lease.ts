import { sql } from 'kysely';
import { type Random, randomId } from '../core/ids.ts';
import type { Database } from './database.ts';

interface LeaseOptions {
  readonly database: Database;
  readonly random: Random;
  readonly name: string;
  /** A holder that has not renewed it for so long is taken for dead. */
  readonly lengthMs: number;
}

/** Work that, of all processes on a database, one does at a time. */
export interface Lease {
  /** Takes or renews it; false while another process holds it. */
  hold(): Promise<boolean>;
  /** Gives it back, so that another need not wait. */
  release(): Promise<void>;
}

/**
 * Judged by the database's clock, so that those of the processes need not agree. A holder that stalls for longer than `lengthMs` may find
 * that another works beside it: what is done under a lease must bear that.
 */
export function createLease({ database, random, name, lengthMs }: LeaseOptions): Lease {
  // The embedded database has one process.
  if (database.engine === 'sqlite') return { hold: async () => true, release: async () => {} };
  const holder = randomId(random);
  const { queries, moments } = database;
  return {
    async hold() {
      const until = sql<number>`${moments.now} + ${lengthMs}`;
      const { numInsertedOrUpdatedRows } = await queries
        .insertInto('leases')
        .values({ name, holder, until })
        .onConflict((conflict) =>
          conflict
            .column('name')
            .doUpdateSet({ holder, until })
            .where((eb) => eb.or([eb('leases.holder', '=', holder), eb('leases.until', '<', moments.now)])),
        )
        .executeTakeFirstOrThrow();
      return (numInsertedOrUpdatedRows ?? 0n) > 0n;
    },
    async release() {
      await queries.deleteFrom('leases').where('name', '=', name).where('holder', '=', holder).execute();
    },
  };
}
