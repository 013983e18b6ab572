import { type RawBuilder, sql } from 'kysely';

type Column = 'text' | 'bigint' | 'double precision';
type Value<C extends Column> = (C extends 'text' ? string : number) | null;

/** Rows as a table inside a statement, whose text is the same for any number of them. */
export type Rows = <C extends Readonly<Record<string, Column>>>(
  columns: C,
  rows: readonly { readonly [N in keyof C]: Value<C[N]> }[],
) => RawBuilder<unknown>;

/** `rows` of the embedded database; use as `from ${rows(…)} as r`. */
export const sqliteRows: Rows = (columns, rows) => {
  const named = Object.keys(columns).map(
    (name) => sql`value ->> ${sql.lit(`$.${name}`)} as ${sql.ref(name)}`,
  );
  return sql`(select ${sql.join(named)} from json_each(${JSON.stringify(rows)}))`;
};

/** Arrays instead of JSON: PostgreSQL knows the length of an array, and looks a few rows up by key instead of scanning a table. */
export const postgresRows: Rows = (columns, rows) => {
  const names = Object.keys(columns);
  const arrays = Object.entries(columns).map(
    ([name, type]) => sql`cast(${rows.map((row) => row[name])} as ${sql.raw(type)}[])`,
  );
  return sql`(select * from unnest(${sql.join(arrays)}) as given(${sql.join(names.map((name) => sql.ref(name)))}))`;
};

interface OfLink {
  readonly account: number;
  readonly link: string;
}

/** Links as a table inside a statement, with the columns `account` and `link`; each once, since duplicates would multiply joined rows. */
export const linkRows = (rows: Rows, links: readonly OfLink[]): RawBuilder<unknown> =>
  rows({ account: 'bigint', link: 'text' }, [
    ...new Map(links.map(({ account, link }) => [linkName({ account, link }), { account, link }])).values(),
  ]);

/** A unique name of a link. */
export const linkName = ({ account, link }: OfLink): string => `${account}/${link}`;

interface Locked<C> {
  readonly table: string;
  /** The key columns of the table, and the columns of the rows that hold their values. */
  readonly key: Readonly<Record<string, keyof C & string>>;
  /** Where the key matches several rows: the columns by which they are ordered for locking. */
  readonly within?: readonly string[];
  /** Columns of the table that the rows have too, as they are before the change, by their names there. */
  readonly before?: Readonly<Record<string, string>>;
}

/**
 * The given rows that exist in a table, locked in the order of the key, to update them. Two processes that update the same rows then
 * wait for one another without a deadlock. The embedded database has one writer and locks nothing.
 */
export type LockedRows = <C extends Readonly<Record<string, Column>>>(
  of: Locked<C>,
  columns: C,
  rows: readonly { readonly [N in keyof C]: Value<C[N]> }[],
) => RawBuilder<unknown>;

export const sqliteLockedRows: LockedRows = (of, columns, rows) => {
  if (of.before === undefined) return sqliteRows(columns, rows);
  const { all, same } = joined(of, columns);
  return sql`(select ${all} from ${sqliteRows(columns, rows)} as given join ${sql.table(of.table)} on ${same})`;
};

/** The columns of the rows, and what joins them with those of the table. */
function joined<C extends object>({ table, key, before = {} }: Locked<C>, columns: C) {
  const given = Object.keys(columns).map((name) => sql.ref(`given.${name}`));
  const held = Object.entries(before).map(
    ([name, column]) => sql`${sql.ref(`${table}.${column}`)} as ${sql.ref(name)}`,
  );
  const same = Object.entries(key).map(
    ([column, name]) => sql`${sql.ref(`${table}.${column}`)} = ${sql.ref(`given.${name}`)}`,
  );
  return { all: sql.join([...given, ...held]), same: sql.join(same, sql` and `) };
}

export const postgresLockedRows: LockedRows = (of, columns, rows) => {
  const { table, key, within = [] } = of;
  const { all, same } = joined(of, columns);
  const order = [...Object.keys(key), ...within].map((column) => sql.ref(`${table}.${column}`));
  // PostgreSQL locks row by row after sorting; a plain update would lock in the order of its plan.
  return sql`(select ${all} from ${postgresRows(columns, rows)} as given
    join ${sql.table(table)} on ${same}
    order by ${sql.join(order)} for no key update of ${sql.table(table)})`;
};

/**
 * Leaves out the rows of links whose gateway is connected to another process, or to none: calls of these links are made where the gateway
 * is. Those of a gateway that was removed are anybody's.
 * @param table has `account_id` and `link_id`
 */
export const madeHere = (table: string, instance: string): RawBuilder<unknown> => sql`not exists (
  select 1 from links
  join gateways on gateways.account_id = links.account_id and gateways.id = links.gateway_id
  where links.account_id = ${sql.ref(`${table}.account_id`)} and links.id = ${sql.ref(`${table}.link_id`)}
    and (gateways.instance is null or gateways.instance <> ${instance}))`;

/** Leaves out the rows of suspended and closing accounts: their background work pauses. For tables with `account_id`. */
export const isActive = sql<boolean>`account_id not in (
  select id from accounts where suspended_at is not null or closing_since is not null)`;

/** Whether a write was refused because another row has the same unique values. */
export function isDuplicate(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false;
  const { code, errcode } = cause as Error & { readonly code?: unknown; readonly errcode?: unknown };
  // `unique_violation` of PostgreSQL; SQLITE_CONSTRAINT_UNIQUE and SQLITE_CONSTRAINT_PRIMARYKEY.
  return code === '23505' || errcode === 2_067 || errcode === 1_555;
}
