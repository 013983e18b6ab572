import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Database } from './database.ts';
import type { Tables } from './tables.ts';

type Column<T extends keyof Tables> = keyof Tables[T] & string;

interface Claim<T extends keyof Tables> {
  readonly table: T;
  /** Columns of the primary key. */
  readonly key: readonly Column<T>[];
  /** The column with the moment from which a row may be claimed. A claim moves it on by `claimMs`. */
  readonly due: Column<T>;
  readonly claimMs: number;
  readonly most: number;
  /** Which rows, besides those that are due. */
  readonly where?: RawBuilder<unknown>;
  /** Further columns that a claim changes. */
  readonly set?: { readonly [C in Column<T>]?: RawBuilder<unknown> | string | number | null };
}

/**
 * Claims the rows of a table that have been due longest, so that no other process claims them within `claimMs`; resolves to the rows as
 * they then are. Processes that claim at once get different rows: PostgreSQL skips those that another is claiming.
 */
export async function claimRows<T extends keyof Tables>(
  { engine, queries, moments }: Pick<Database, 'engine' | 'queries' | 'moments'>,
  { table, key, due, claimMs, most, where = sql`true`, set }: Claim<T>,
): Promise<Selectable<Tables[T]>[]> {
  const columns = sql.join(key.map((column) => sql.ref(column)));
  const changes = { ...set, [due]: sql`${moments.nowOnce} + ${claimMs}` };
  // Materialized: PostgreSQL might otherwise read the limited rows again for each row of the table, and skip other ones each time.
  const { rows } = await sql<Selectable<Tables[T]>>`
    with claimable as materialized (
      select ${columns} from ${sql.table(table)} where ${sql.ref(due)} <= ${moments.nowOnce} and ${where}
      order by ${sql.ref(due)} limit ${most} ${engine === 'postgres' ? sql`for update skip locked` : sql``}
    )
    update ${sql.table(table)}
    set ${sql.join(Object.entries(changes).map(([column, value]) => sql`${sql.ref(column)} = ${value}`))}
    where (${columns}) in (select ${columns} from claimable)
    returning *`.execute(queries);
  return rows;
}
