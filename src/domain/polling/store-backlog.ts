import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';

/** Reads of a vendor's devices that are due. */
export interface ReadBacklog {
  readonly vendor: string;
  /** Due, and not begun. */
  readonly waiting: number;
  /** Of them, those that have been due for a while. */
  readonly late: number;
  /** When the one that waits longest was due, ms since 1970. */
  readonly oldest: number;
}

/** What of the reads in the background is due, by vendor, as all processes together have it. Reads `device_turns`. */
export async function readBacklog(
  { queries, moments }: Pick<Database, 'queries' | 'moments'>,
  { lateMs }: { readonly lateMs: number },
): Promise<readonly ReadBacklog[]> {
  const now = moments.clock.now();
  const rows = await queries
    .selectFrom('device_turns')
    .select(({ fn }) => [
      'vendor',
      fn.countAll<number>().as('waiting'),
      fn.min<number>('due_at').as('oldest'),
      sql<number>`sum(case when due_at < ${now - lateMs} then 1 else 0 end)`.as('late'),
    ])
    .where('due_at', '<=', now)
    .groupBy('vendor')
    .execute();
  return rows.map(({ vendor, waiting, late, oldest }) => ({
    ...{ vendor, oldest },
    waiting: Number(waiting),
    late: Number(late),
  }));
}
