import { sql } from 'kysely';
import { type Random, randomId } from '../core/ids.ts';
import type { Database } from './database.ts';

interface LeaseOptions {
  readonly database: Database;
  readonly random: Random;
  readonly name: string;
  /** A holder that has not renewed the lease for this long is treated as dead. */
  readonly lengthMs: number;
}

/** Between the name of the process and that of the lease within it. */
const OF = '.';

/** Lets one process at a time, of all that share a database, do some work. */
export interface Lease {
  /** Acquires or renews the lease; false while another process holds it. */
  hold(): Promise<boolean>;
  /** Releases the lease, so that another process need not wait for its end. */
  release(): Promise<void>;
}

/**
 * Uses the database's clock, so that those of the processes need not agree. If a holder stalls for longer than `lengthMs`, another one
 * may run at the same time: work under a lease must tolerate that.
 */
export function createLease({ database, random, name, lengthMs }: LeaseOptions): Lease {
  // The embedded database has one process.
  if (database.engine === 'sqlite') return { hold: async () => true, release: async () => {} };
  const holder = `${database.instance}${OF}${randomId(random)}`;
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

/** Which process holds a lease now. */
interface HeldLease {
  readonly name: string;
  /** `Database.instance` of the process. */
  readonly instance: string;
}

/** All leases that are held now, by their names; none on the embedded database, whose only process needs none. */
export async function heldLeases({
  queries,
  moments,
}: Pick<Database, 'queries' | 'moments'>): Promise<readonly HeldLease[]> {
  const rows = await queries
    .selectFrom('leases')
    .select(['name', 'holder'])
    .where('until', '>', moments.now)
    .orderBy('name')
    .execute();
  return rows.map(({ name, holder }) => ({ name, instance: holder.split(OF, 1)[0] ?? '' }));
}
