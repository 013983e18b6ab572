import { sql } from 'kysely';
import type { Database, Queries } from '../../../db/database.ts';
import type { Progress } from './fold.ts';
import type { Session } from './session.ts';

/** A device of an account. */
export interface DeviceName {
  readonly account: number;
  readonly vendor: string;
  readonly device: string;
}

/** A device that charges, as far as it is known. */
export interface Known {
  readonly type: string;
  readonly userRef: string;
  readonly progress: Progress;
}

export interface NamedSession extends DeviceName {
  readonly session: Session;
}

export interface NamedProgress extends DeviceName, Known {}

/** Of a page of sessions, newest first. */
export interface SessionFilter {
  readonly account: number;
  readonly device?: string | undefined;
  readonly vendor?: string | undefined;
  readonly userRef?: string | undefined;
  /** Only those of the user that has the device now. */
  readonly ofPresentUser?: boolean;
  /** Those that began from then on, ms since 1970 UTC. */
  readonly from?: number | undefined;
  /** Those that began before. */
  readonly to?: number | undefined;
  /** The last one of the page before. */
  readonly after?: Place | undefined;
  readonly limit: number;
}

/** The place of a session in the list. */
export interface Place {
  readonly at: number;
  readonly id: string;
}

const NAMES = { account: 'bigint', vendor: 'text', device: 'text' } as const;
const TRANSACTIONS = { account: 'bigint', link: 'text', id: 'text' } as const;
const SESSIONS = {
  account: 'bigint',
  id: 'text',
  vendor: 'text',
  device: 'text',
  link: 'text',
  user_ref: 'text',
  transaction_id: 'text',
  at: 'bigint',
  started_at: 'bigint',
  ended_at: 'bigint',
  session_json: 'text',
} as const;
const PROGRESS = { ...NAMES, user_ref: 'text', device_type: 'text', progress_json: 'text' } as const;

export const textOf = ({ account, vendor, device }: DeviceName): string =>
  JSON.stringify([account, vendor, device]);

/** The only SQL for `charging_sessions` and `charging_progress`. */
export function createSessionStore({ engine, queries, rows }: Database) {
  const named = (names: readonly DeviceName[]) =>
    sql`${rows(
      NAMES,
      names.map(({ account, vendor, device }) => ({ account, vendor, device })),
    )} as r`;

  return {
    /** What is known of devices, by `textOf`. */
    async progress(transaction: Queries, names: readonly DeviceName[]): Promise<Map<string, Known>> {
      const { rows: found } = await sql<{
        account_id: number;
        vendor: string;
        device_id: string;
        user_ref: string;
        device_type: string;
        progress_json: string;
      }>`
        select charging_progress.* from ${named(names)} join charging_progress on charging_progress.account_id = r.account
          and charging_progress.device_id = r.device and charging_progress.vendor = r.vendor`.execute(
        transaction,
      );
      return new Map(
        found.map((row) => [
          textOf({ account: row.account_id, vendor: row.vendor, device: row.device_id }),
          {
            type: row.device_type,
            userRef: row.user_ref,
            progress: JSON.parse(row.progress_json) as Progress,
          },
        ]),
      );
    },

    /** The types of devices that are linked, by `textOf`. */
    async types(transaction: Queries, names: readonly DeviceName[]): Promise<Map<string, string>> {
      if (names.length === 0) return new Map();
      const { rows: found } = await sql<DeviceName & { type: string }>`
        select r.account, r.vendor, r.device, devices.device_type as type from ${named(names)}
        join devices on devices.account_id = r.account and devices.vendor = r.vendor and devices.id = r.device`.execute(
        transaction,
      );
      return new Map(found.map((row) => [textOf(row), row.type]));
    },

    /** Stored sessions of transactions of links, by account, link and transaction. */
    async ofTransactions(
      transaction: Queries,
      asked: readonly { readonly account: number; readonly link: string; readonly id: string }[],
    ): Promise<Map<string, Session>> {
      if (asked.length === 0) return new Map();
      const { rows: found } = await sql<{ account_id: number; session_json: string }>`
        select charging_sessions.account_id, charging_sessions.session_json from ${rows(TRANSACTIONS, asked)} as r
        join charging_sessions on charging_sessions.account_id = r.account and charging_sessions.link_id = r.link
          and charging_sessions.transaction_id = r.id`.execute(transaction);
      return new Map(
        found.map(({ account_id, session_json }) => {
          const session = JSON.parse(session_json) as Session;
          return [JSON.stringify([account_id, session.link, session.transaction]), session];
        }),
      );
    },

    /** Which of some sessions are stored already, by account and id, and whether they were over. */
    async stored(
      transaction: Queries,
      sessions: readonly NamedSession[],
    ): Promise<Map<string, { readonly isOver: boolean }>> {
      if (sessions.length === 0) return new Map();
      const asked = sessions.map(({ account, session }) => ({ account, id: session.id }));
      const { rows: found } = await sql<{ account_id: number; id: string; ended_at: number | null }>`
        select charging_sessions.account_id, charging_sessions.id, charging_sessions.ended_at
        from ${rows({ account: 'bigint', id: 'text' }, asked)} as r
        join charging_sessions on charging_sessions.account_id = r.account and charging_sessions.id = r.id`.execute(
        transaction,
      );
      return new Map(
        found.map((row) => [`${row.account_id}/${row.id}`, { isOver: row.ended_at !== null }] as const),
      );
    },

    async saveSessions(transaction: Queries, sessions: readonly NamedSession[]): Promise<void> {
      if (sessions.length === 0) return;
      const given = sessions.map(({ account, vendor, device, session }) => ({
        ...{ account, id: session.id, vendor, device, link: session.link, user_ref: session.userRef },
        ...{ transaction_id: session.transaction, started_at: session.startedAt, ended_at: session.endedAt },
        at: session.startedAt ?? session.endedAt ?? 0,
        session_json: JSON.stringify(session),
      }));
      await sql`
        insert into charging_sessions (account_id, id, vendor, device_id, link_id, user_ref, transaction_id, at,
          started_at, ended_at, session_json)
        select account, id, vendor, device, link, user_ref, transaction_id, at, started_at, ended_at, session_json
        from ${rows(SESSIONS, given)} as r where true
        on conflict (account_id, id) do update set at = excluded.at, started_at = excluded.started_at,
          ended_at = excluded.ended_at, session_json = excluded.session_json`.execute(transaction);
    },

    async saveProgress(transaction: Queries, all: readonly NamedProgress[]): Promise<void> {
      if (all.length === 0) return;
      const given = all.map(({ account, vendor, device, userRef, type, progress }) => ({
        ...{ account, vendor, device, user_ref: userRef, device_type: type },
        progress_json: JSON.stringify(progress),
      }));
      await sql`
        insert into charging_progress (account_id, vendor, device_id, user_ref, device_type, progress_json)
        select account, vendor, device, user_ref, device_type, progress_json from ${rows(PROGRESS, given)} as r where true
        on conflict (account_id, device_id, vendor) do update set user_ref = excluded.user_ref,
          device_type = excluded.device_type, progress_json = excluded.progress_json`.execute(transaction);
    },

    async removeProgress(transaction: Queries, names: readonly DeviceName[]): Promise<void> {
      if (names.length === 0) return;
      await sql`
        delete from charging_progress where (account_id, device_id, vendor) in (
          select r.account, r.device, r.vendor from ${named(names)})`.execute(transaction);
    },

    /** Sessions, newest first, each that runs with what is known of its device. */
    async list(filter: SessionFilter) {
      const { account, device, vendor, userRef, ofPresentUser = false, from, to, after, limit } = filter;
      let query = queries
        .selectFrom('charging_sessions as session')
        .leftJoin('charging_progress as progress', (join) =>
          join
            .onRef('progress.account_id', '=', 'session.account_id')
            .onRef('progress.device_id', '=', 'session.device_id')
            .onRef('progress.vendor', '=', 'session.vendor')
            .on('session.ended_at', 'is', null),
        )
        .leftJoin('devices', (join) =>
          join
            .onRef('devices.account_id', '=', 'session.account_id')
            .onRef('devices.vendor', '=', 'session.vendor')
            .onRef('devices.id', '=', 'session.device_id')
            .onRef('devices.user_ref', '=', 'session.user_ref'),
        )
        .leftJoin('links', (join) =>
          join.onRef('links.account_id', '=', 'session.account_id').on((on) =>
            // A device that was linked again has another link than its session.
            on('links.id', '=', on.fn.coalesce('devices.link_id', 'session.link_id')),
          ),
        )
        .select([
          ...(['session.id', 'session.vendor', 'session.device_id', 'session.at'] as const),
          ...(['links.price_area', 'session.session_json', 'progress.progress_json'] as const),
          ...(['devices.state_json', 'devices.fetched_at'] as const),
        ])
        .where('session.account_id', '=', account);
      if (device !== undefined) query = query.where('session.device_id', '=', device);
      if (vendor !== undefined) query = query.where('session.vendor', '=', vendor);
      if (userRef !== undefined) query = query.where('session.user_ref', '=', userRef);
      if (ofPresentUser) query = query.where('devices.id', 'is not', null);
      if (from !== undefined) query = query.where('session.at', '>=', from);
      if (to !== undefined) query = query.where('session.at', '<', to);
      if (after !== undefined)
        query = query.where(({ eb, refTuple, tuple }) =>
          eb(refTuple('session.at', 'session.id'), '<', tuple(after.at, after.id)),
        );
      return query.orderBy('session.at', 'desc').orderBy('session.id', 'desc').limit(limit).execute();
    },

    /** Removes at most `limit` sessions that ended before a moment; resolves to how many. */
    async removeBefore(moment: number, limit: number): Promise<number> {
      const { numDeletedRows } = await queries
        .deleteFrom('charging_sessions')
        .where(({ eb, refTuple, selectFrom }) =>
          eb(
            refTuple('account_id', 'id'),
            'in',
            selectFrom('charging_sessions')
              .select(['account_id', 'id'])
              .where('ended_at', '<', moment)
              .orderBy('ended_at')
              .limit(limit)
              .$asTuple('account_id', 'id'),
          ),
        )
        .executeTakeFirst();
      return Number(numDeletedRows);
    },

    /** Removes the sessions of a user. The reader of the log waits, so that it adds nothing that it has read before. */
    async forget(
      transaction: Queries,
      of: { readonly account: number; readonly userRef: string },
    ): Promise<void> {
      if (engine === 'postgres')
        await transaction.selectFrom('event_readers').select('name').orderBy('name').forUpdate().execute();
      for (const table of ['charging_sessions', 'charging_progress'] as const)
        await transaction
          .deleteFrom(table)
          .where('account_id', '=', of.account)
          .where('user_ref', '=', of.userRef)
          .execute();
    },
  };
}
