import type { Selectable } from 'kysely';
import type { Database } from '../../../db/database.ts';
import type { Tables } from '../../../db/tables.ts';

export type InstanceRow = Selectable<Tables['instances']>;

/** The only SQL for `instances`. */
export function createInstanceStore({ queries }: Pick<Database, 'queries'>) {
  return {
    /** Stores the report of a process, in place of its last one. */
    async put(row: InstanceRow): Promise<void> {
      const { id: _, ...rest } = row;
      await queries
        .insertInto('instances')
        .values(row)
        .onConflict((conflict) => conflict.column('id').doUpdateSet(rest))
        .execute();
    },

    list: (): Promise<InstanceRow[]> =>
      queries.selectFrom('instances').selectAll().orderBy('started_at').orderBy('id').execute(),

    async remove(id: string): Promise<void> {
      await queries.deleteFrom('instances').where('id', '=', id).execute();
    },

    /** Forgets those that were last seen before a moment. */
    async removeSeenBefore(moment: number): Promise<void> {
      await queries.deleteFrom('instances').where('seen_at', '<', moment).execute();
    },
  };
}
