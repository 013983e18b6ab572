import type { Queries } from '../../db/database.ts';

export interface BanRow {
  readonly id: number;
  readonly ip: string;
  readonly reason: string;
  readonly created_at: number;
  readonly expires_at: number;
}

/** Bans active at `now`, newest first. */
export function bansInForce(queries: Queries, now: number): Promise<BanRow[]> {
  return queries.selectFrom('bans').selectAll().where('expires_at', '>', now).orderBy('id', 'desc').execute();
}

export async function bansSince(queries: Queries, ip: string, since: number): Promise<number> {
  const { count } = await queries
    .selectFrom('bans')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('ip', '=', ip)
    .where('created_at', '>', since)
    .executeTakeFirstOrThrow();
  return count;
}

export async function insertBan(queries: Queries, row: Omit<BanRow, 'id'>): Promise<void> {
  await queries.insertInto('bans').values(row).execute();
}

export function removeBan(queries: Queries, id: number): Promise<BanRow | undefined> {
  return queries.deleteFrom('bans').where('id', '=', id).returningAll().executeTakeFirst();
}

export async function removeBansBefore(queries: Queries, createdBefore: number, now: number): Promise<void> {
  await queries
    .deleteFrom('bans')
    .where('created_at', '<=', createdBefore)
    .where('expires_at', '<=', now)
    .execute();
}
