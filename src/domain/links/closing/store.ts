import { type RawBuilder, sql } from 'kysely';
import type { Database, Queries } from '../../../db/database.ts';
import type { Tables } from '../../../db/tables.ts';

/** How the rows of an account are found in a table, and the columns that name each of them. */
type Erased = {
  readonly [T in keyof Tables]: {
    readonly table: T;
    /** `account`: by `account_id`; `subject`: by a name of a link; `device`: by its number in `history_devices`. */
    readonly by: 'account' | 'subject' | 'device';
    readonly key: readonly (keyof Tables[T] & string)[];
  };
}[keyof Tables];

const LINK = ['account_id', 'link_id'] as const;

/**
 * What is erased of an account, in this order: what follows from the rows of another table comes after it. The account itself goes last of
 * all, when nothing is left here.
 */
export const ERASED: readonly Erased[] = [
  { table: 'subscription_attempts', by: 'account', key: ['account_id', 'subscription_id', 'slot'] },
  { table: 'subscriptions', by: 'account', key: ['account_id', 'id'] },
  { table: 'link_sessions', by: 'account', key: ['session_sha256'] },
  { table: 'set_points', by: 'account', key: ['account_id', 'vendor', 'device_id', 'command_type'] },
  { table: 'commands', by: 'account', key: ['account_id', 'id'] },
  { table: 'interventions', by: 'account', key: ['account_id', 'id'] },
  { table: 'device_polls', by: 'account', key: ['id'] },
  { table: 'devices', by: 'account', key: ['account_id', 'vendor', 'id'] },
  { table: 'link_streams', by: 'account', key: LINK },
  { table: 'link_lists', by: 'account', key: LINK },
  { table: 'webhook_subscriptions', by: 'account', key: LINK },
  { table: 'link_documents', by: 'account', key: [...LINK, 'name'] },
  { table: 'link_tokens', by: 'account', key: LINK },
  { table: 'links', by: 'account', key: ['account_id', 'id'] },
  { table: 'gateways', by: 'account', key: ['account_id', 'id'] },
  { table: 'application_certificates', by: 'account', key: ['account_id'] },
  { table: 'vendor_use', by: 'subject', key: ['vendor', 'rule', 'subject'] },
  { table: 'vendor_blocks', by: 'subject', key: ['vendor', 'host', 'subject'] },
  { table: 'events', by: 'account', key: ['tx', 'id'] },
  { table: 'history_readings', by: 'device', key: ['device', 'at'] },
  { table: 'history_quarters', by: 'device', key: ['device', 'quarter'] },
  { table: 'history_devices', by: 'account', key: ['number'] },
  { table: 'charging_progress', by: 'account', key: ['account_id', 'device_id', 'vendor'] },
  { table: 'charging_sessions', by: 'account', key: ['account_id', 'id'] },
  { table: 'charging_transactions', by: 'account', key: [...LINK, 'transaction_id'] },
  { table: 'meter_readings', by: 'account', key: [...LINK, 'device_id', 'at'] },
  { table: 'requests', by: 'account', key: ['account_id', 'at', 'id'] },
  { table: 'idempotent_requests', by: 'account', key: ['account_id', 'route', 'key'] },
  { table: 'usage', by: 'account', key: ['account_id', 'day', 'service', 'route', 'key_id', 'status_class'] },
  { table: 'brands', by: 'account', key: ['account_id'] },
  { table: 'partner_applications', by: 'account', key: ['id'] },
  { table: 'magic_links', by: 'account', key: ['sha256'] },
  { table: 'web_sessions', by: 'account', key: ['sha256'] },
  { table: 'passwords', by: 'account', key: ['account_id'] },
  { table: 'api_keys', by: 'account', key: ['account_id', 'id'] },
  { table: 'account_policies', by: 'account', key: ['account_id'] },
];

/** The other tables, each with the reason why no rows are deleted from it. A new table belongs here or in the list above. */
export const NOT_ERASED = {
  accounts: 'the account itself, which goes last',
  audit: 'keeps what was done, when and by which account, without personal data: see `clearAudit`',
  bans: 'by IP address, of whoever sent wrong keys',
  console_codes: 'goes with its session in web_sessions',
  console_sessions: 'goes with its session in web_sessions',
  database_origin: 'of no account',
  event_log: 'of no account',
  event_readers: 'of no account',
  exchange_rates: 'of no account',
  global_policy: 'of no account',
  instances: 'counts alone',
  leases: 'of no account',
  link_codes: 'sealed, named by nobody, and gone in minutes',
  oauth_states:
    'goes when the account begins to be deleted; what names no session is sealed, and gone in minutes',
  operator_changes: 'goes when the account begins to be deleted',
  operator_forms: 'of no account',
  operator_sessions: 'of the admin token',
  price_backfills: 'of no account',
  price_days: 'of no account',
  price_sources: 'of no account',
  prices: 'of no account',
  production: 'of no account',
  production_sources: 'of no account',
  retention_time: 'of no account',
  webhook_deliveries: 'by vendor alone: the body is removed when it is applied, and the row within a month',
} as const satisfies { readonly [T in keyof Tables]?: string };

/** Links that are removed first: their stations are connected, and would go on to report. */
interface Links {
  readonly account: number;
  readonly first: readonly string[];
  readonly most: number;
}

/** The only SQL that erases accounts, besides that of the tables which are cleared when an account begins to be deleted. */
export function createClosingStore(database: Database) {
  const { engine, queries } = database;

  const ownedBy = ({ by }: Erased, account: number): RawBuilder<boolean> => {
    switch (by) {
      case 'account':
        // control: rows of another account are not erased [closing/closing]
        return sql`account_id = ${account}`;
      case 'subject':
        return sql`subject like ${`${account}/%`}`;
      case 'device':
        return sql`device in (select number from history_devices where account_id = ${account})`;
    }
  };
  /** The embedded database has no index for the whole order of the log, and needs none. */
  const keyOf = ({ table, key }: Erased): RawBuilder<unknown> =>
    sql.join((engine === 'sqlite' && table === 'events' ? ['id'] : key).map((column) => sql.ref(column)));

  async function isLeft(transaction: Queries, account: number): Promise<boolean> {
    for (const erased of ERASED) {
      const { rows } = await sql`
        select 1 from ${sql.table(erased.table)} where ${ownedBy(erased, account)} limit 1`.execute(
        transaction,
      );
      if (rows.length > 0) return true;
    }
    return false;
  }

  return {
    async links({ account, first, most }: Links): Promise<string[]> {
      const isFirst =
        first.length === 0 ? sql`` : sql`case when vendor in (${sql.join(first)}) then 0 else 1 end,`;
      const { rows } = await sql<{ id: string }>`
        select id from links where account_id = ${account} order by ${isFirst} id limit ${most}`.execute(
        queries,
      );
      return rows.map(({ id }) => id);
    },

    /** Erases a link with its rows where it could not be removed otherwise. */
    async eraseLink(account: number, link: string): Promise<void> {
      await queries.deleteFrom('links').where('account_id', '=', account).where('id', '=', link).execute();
    },

    /** Erases so many rows of a table; resolves to how many there were, fewer at the end. */
    async eraseSome(erased: Erased, account: number, most: number): Promise<number> {
      const { table } = erased;
      const key = keyOf(erased);
      const { numAffectedRows } = await sql`
        delete from ${sql.table(table)} where (${key}) in (
          select ${key} from ${sql.table(table)} where ${ownedBy(erased, account)} limit ${most})`.execute(
        queries,
      );
      return Number(numAffectedRows ?? 0);
    },

    /** Erases the account itself if nothing of it is left; false where something is, because a process was slow to learn of the deletion. */
    eraseAccount(account: number): Promise<boolean> {
      return database.transaction(async (transaction) => {
        // Readers of the log wait, so that they add nothing that they have read before.
        if (engine === 'postgres')
          await transaction.selectFrom('event_readers').select('name').orderBy('name').forUpdate().execute();
        if (await isLeft(transaction, account)) return false;
        await transaction
          .deleteFrom('accounts')
          .where('id', '=', account)
          .where('closing_since', 'is not', null)
          .execute();
        return true;
      });
    },
  };
}

export type ClosingStore = ReturnType<typeof createClosingStore>;
