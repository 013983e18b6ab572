import { type ExpressionBuilder, sql } from 'kysely';
import type { Queries } from '../../db/database.ts';
import type { Tables } from '../../db/tables.ts';
import type { AccountRow } from './store.ts';

/** Which accounts, and which part of their list. */
export interface AccountSearch {
  /** Part of the email address or the name, or the id; '' for all. */
  readonly text: string;
  /** '' for all. */
  readonly tier: string;
  readonly limit: number;
  readonly offset: number;
}

export interface FoundAccount extends AccountRow {
  readonly active_keys: number;
}

/** Accounts by a part of their address or name, the newest first. */
export function searchAccounts(queries: Queries, search: AccountSearch): Promise<FoundAccount[]> {
  return queries
    .selectFrom('accounts')
    .where(matches(search))
    .selectAll()
    .select(
      sql<number>`(select count(*) from api_keys where api_keys.account_id = accounts.id and revoked_at is null)`.as(
        'active_keys',
      ),
    )
    .orderBy('id', 'desc')
    .limit(search.limit)
    .offset(search.offset)
    .execute();
}

export async function countAccounts(
  queries: Queries,
  search: Pick<AccountSearch, 'text' | 'tier'>,
): Promise<number> {
  const { count } = await queries
    .selectFrom('accounts')
    .where(matches(search))
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

/** The tiers that accounts have, in order. */
export async function allTiers(queries: Queries): Promise<string[]> {
  const rows = await queries.selectFrom('accounts').select('tier').distinct().orderBy('tier').execute();
  return rows.map(({ tier }) => tier);
}

function matches({ text, tier }: Pick<AccountSearch, 'text' | 'tier'>) {
  return (where: ExpressionBuilder<Tables, 'accounts'>) => {
    const plain = `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;
    const like = (value: ReturnType<typeof sql>, pattern: string) =>
      sql<boolean>`${value} like ${pattern} escape '\\'`;
    return where.and([
      ...(tier === '' ? [] : [where('tier', '=', tier)]),
      ...(text === ''
        ? []
        : [
            where.or([
              // Addresses are stored in lower case; SQLite lowers the letters of ASCII only.
              like(sql`email`, plain.toLowerCase()),
              like(sql`name`, plain),
              like(sql`lower(name)`, plain.toLowerCase()),
              ...(/^\d{1,15}$/.test(text) ? [where('id', '=', Number(text))] : []),
            ]),
          ]),
    ]);
  };
}
