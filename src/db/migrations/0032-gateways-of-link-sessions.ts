import type { Kysely } from 'kysely';

/** The gateway through which a session links devices in the network of its user. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('link_sessions').addColumn('gateway_id', 'text').execute();
}
