import type { Kysely } from 'kysely';

/** What users permit for each device, and for which types of devices they are asked. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('devices').addColumn('granted_json', 'text').execute();
  await db.schema.alterTable('link_sessions').addColumn('device_types_json', 'text').execute();
  await db.schema.alterTable('oauth_states').addColumn('device_types_json', 'text').execute();
}
