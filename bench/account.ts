import type { Database } from '../src/db/database.ts';

/** The account whose devices are measured; returns its id. */
export async function addAccount({ queries }: Pick<Database, 'queries'>): Promise<number> {
  const { id } = await queries
    .insertInto('accounts')
    .values({ email: 'bench@example.com', name: '', tier: 'pro', created_at: 1, throttled_until: null })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}
