import { type Kysely, sql } from 'kysely';

/**
 * One row per limit holds the use in the current window and the one before; a row per window was millions a day with many
 * links.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('vendor_use')
    .addColumn('vendor', 'text', (column) => column.notNull())
    .addColumn('rule', 'text', (column) => column.notNull())
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('window_start', 'bigint', (column) => column.notNull())
    .addColumn('used', 'bigint', (column) => column.notNull())
    .addColumn('before_start', 'bigint')
    .addColumn('used_before', 'bigint', (column) => column.notNull().defaultTo(0))
    .addPrimaryKeyConstraint('vendor_use_pk', ['vendor', 'rule', 'subject'])
    .execute();
  await sql`
    insert into vendor_use (vendor, rule, subject, window_start, used, before_start, used_before)
    select vendor, rule, subject, window_start, used, before_start, coalesce(used_before, 0) from (
      select vendor, rule, subject, window_start, used,
        lag(window_start) over one as before_start, lag(used) over one as used_before,
        row_number() over (partition by vendor, rule, subject order by window_start desc) as age
      from vendor_budgets
      window one as (partition by vendor, rule, subject order by window_start)
    ) as latest where age = 1`.execute(db);
  await db.schema.dropTable('vendor_budgets').execute();
}
