import { sql } from 'kysely';
import type { Database, Queries } from '../../../db/database.ts';
import type { Forgotten } from '../../records/events/index.ts';

/** An end user of an account, as the account names them. */
export interface EndUser {
  readonly account: number;
  readonly userRef: string;
}

const DEVICE = { vendor: 'text', id: 'text' } as const;
const ID = { id: 'text' } as const;

export function createEndUserStore({ queries, rows }: Pick<Database, 'queries' | 'rows'>) {
  return {
    async links({ account, userRef }: EndUser): Promise<string[]> {
      const found = await queries
        .selectFrom('links')
        .select('id')
        .where('account_id', '=', account)
        .where('user_ref', '=', userRef)
        .orderBy('id')
        .execute();
      return found.map(({ id }) => id);
    },

    /** What is stored about devices and links that are gone; those that somebody has now keep theirs. */
    async eraseOf(transaction: Queries, account: number, { devices, links }: Forgotten): Promise<void> {
      const gone = sql`(select r.vendor, r.id from ${rows(DEVICE, [...devices])} as r where not exists (
        select 1 from devices where devices.account_id = ${account} and devices.vendor = r.vendor and devices.id = r.id))`;
      await sql`delete from commands where account_id = ${account} and (vendor, device_id) in ${gone}`.execute(
        transaction,
      );
      const ended = sql`(select r.id from ${rows(
        ID,
        links.map((id) => ({ id })),
      )} as r where not exists (
        select 1 from links where links.account_id = ${account} and links.id = r.id))`;
      await sql`delete from requests where account_id = ${account} and device_id in (select d.id from ${gone} as d)`.execute(
        transaction,
      );
      for (const table of ['charging_transactions', 'meter_readings', 'requests'])
        await sql`delete from ${sql.table(table)} where account_id = ${account} and link_id in ${ended}`.execute(
          transaction,
        );
      await sql`delete from vendor_use where exists (select 1 from ${ended} as r
        where vendor_use.subject = ${`${account}/`} || r.id
          or vendor_use.subject like ${`${account}/`} || r.id || '/%')`.execute(transaction);
      const ids = [...devices.map(({ id }) => ({ id })), ...links.map((id) => ({ id }))];
      await sql`delete from idempotent_requests where account_id = ${account} and exists (
        select 1 from ${rows(ID, ids)} as r
        where idempotent_requests.answer_body like '%' || r.id || '%')`.execute(transaction);
    },

    /** The sessions in which the user was to link something, with sign-ins that are under way. */
    async eraseSessions(transaction: Queries, { account, userRef }: EndUser): Promise<void> {
      const sessions = transaction
        .selectFrom('link_sessions')
        .select('session_sha256')
        .where('account_id', '=', account)
        .where('user_ref', '=', userRef);
      await transaction.deleteFrom('oauth_states').where('session_sha256', 'in', sessions).execute();
      await transaction
        .deleteFrom('link_sessions')
        .where('account_id', '=', account)
        .where('user_ref', '=', userRef)
        .execute();
    },
  };
}
