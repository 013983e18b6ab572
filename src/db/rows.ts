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

export const postgresRows: Rows = (columns, rows) => {
  const named = Object.entries(columns).map(([name, type]) => sql`${sql.ref(name)} ${sql.raw(type)}`);
  const all = Object.keys(columns).map((name) => sql.ref(name));
  return sql`(select ${sql.join(all)} from json_to_recordset(cast(${JSON.stringify(rows)} as json)) as given(${sql.join(named)}))`;
};

interface OfLink {
  readonly account: number;
  readonly link: string;
}

/** Links as a table within a statement, by `account` and `link`. */
export const linkRows = (rows: Rows, links: readonly OfLink[]): RawBuilder<unknown> =>
  rows(
    { account: 'bigint', link: 'text' },
    links.map(({ account, link }) => ({ account, link })),
  );

/** What tells a link from all others. */
export const linkName = ({ account, link }: OfLink): string => `${account}/${link}`;
