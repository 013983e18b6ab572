import { type RawBuilder, sql } from 'kysely';

type Column = 'text' | 'bigint' | 'double precision';
type Value<C extends Column> = (C extends 'text' ? string : number) | null;

/** Rows as a table within a statement, whose text is the same for any number of them. */
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

/** Arrays and not JSON: of an array PostgreSQL knows its length, and looks a few rows up by their keys instead of reading a table. */
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

/** Links as a table within a statement, by `account` and `link`: each once, or what is joined with it would come as often. */
export const linkRows = (rows: Rows, links: readonly OfLink[]): RawBuilder<unknown> =>
  rows({ account: 'bigint', link: 'text' }, [
    ...new Map(links.map(({ account, link }) => [linkName({ account, link }), { account, link }])).values(),
  ]);

/** What tells a link from all others. */
export const linkName = ({ account, link }: OfLink): string => `${account}/${link}`;

interface Locked<C> {
  readonly table: string;
  /** The columns of the table's key, and those of the rows that hold them. */
  readonly key: Readonly<Record<string, keyof C & string>>;
  /** Where the key names several rows: the columns in whose order these are locked. */
  readonly within?: readonly string[];
}

/**
 * Rows that change rows of a table: those that the table has, each locked, in the order of the key. Two processes that change the same
 * rows then wait for one another, and never each for the other. The embedded database has one writer and locks nothing.
 */
export type LockedRows = <C extends Readonly<Record<string, Column>>>(
  of: Locked<C>,
  columns: C,
  rows: readonly { readonly [N in keyof C]: Value<C[N]> }[],
) => RawBuilder<unknown>;

export const sqliteLockedRows: LockedRows = (_of, columns, rows) => sqliteRows(columns, rows);

export const postgresLockedRows: LockedRows = ({ table, key, within = [] }, columns, rows) => {
  const all = Object.keys(columns).map((name) => sql.ref(`given.${name}`));
  const keys = Object.entries(key);
  const same = keys.map(
    ([column, name]) => sql`${sql.ref(`${table}.${column}`)} = ${sql.ref(`given.${name}`)}`,
  );
  const order = [...Object.keys(key), ...within].map((column) => sql.ref(`${table}.${column}`));
  // PostgreSQL locks after it has sorted, row by row; an update alone would lock in whatever order its plan comes upon the rows.
  return sql`(select ${sql.join(all)} from ${postgresRows(columns, rows)} as given
    join ${sql.table(table)} on ${sql.join(same, sql` and `)}
    order by ${sql.join(order)} for no key update of ${sql.table(table)})`;
};
