import { type Kysely, sql } from 'kysely';

/** Who created each API key; the audit log knows it of those that are there already. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('api_keys').addColumn('created_by', 'text').execute();
  await sql`
    update api_keys set created_by = audit.actor
    from audit where audit.action = 'key.created' and audit.target = 'key/' || api_keys.id
  `.execute(db);
}
