import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../../db/database.ts';
import type { Tables } from '../../../db/tables.ts';
import type { Forgotten } from '../../records/events/index.ts';
import type { EndUser } from './store.ts';

/** How rows of an end user are found in a table. */
type Found = 'user' | 'link' | 'device' | 'link or device' | 'session' | 'subject';

/** What is exported of a table. */
interface Exported {
  readonly by: Found;
  /** The order of its rows, which names each of them. */
  readonly key: readonly string[];
  /** Named one by one: a column that is added is not exported before somebody has decided so. */
  readonly columns: readonly string[];
}

type Described = {
  readonly [T in keyof Tables]?: {
    readonly by: Found;
    readonly key: readonly (keyof Tables[T])[];
    readonly columns: readonly (keyof Tables[T])[];
  };
};

/**
 * The tables that hold something of an end user, but for `events`. Left out are credentials, tokens and hashes, what only says how this
 * service works (turns, claims, versions), and `idempotent_requests`, whose responses repeat what is in other tables.
 */
const EXPORTED = {
  links: {
    by: 'user',
    key: ['id'],
    columns: [
      'id',
      'vendor',
      'vendor_account',
      'user_ref',
      'status',
      'status_since',
      'status_reason',
      'created_at',
      'updated_at',
      'refused_since',
      'gateway_id',
      'price_area',
    ],
  },
  link_tokens: { by: 'link', key: ['link_id'], columns: ['link_id', 'expires_at', 'lost_reason'] },
  link_documents: {
    by: 'link',
    key: ['link_id', 'name'],
    columns: ['link_id', 'name', 'value_json', 'updated_at'],
  },
  link_lists: { by: 'link', key: ['link_id'], columns: ['link_id', 'vendor', 'listed_at'] },
  link_streams: { by: 'link', key: ['link_id'], columns: ['link_id', 'vendor', 'open_since'] },
  webhook_subscriptions: { by: 'link', key: ['link_id'], columns: ['link_id', 'vendor', 'due_at'] },
  link_sessions: {
    by: 'user',
    key: ['session_sha256'],
    columns: [
      'user_ref',
      'vendor',
      'redirect_uri',
      'device_types_json',
      'gateway_id',
      'price_area',
      'created_at',
      'expires_at',
      'used_at',
      'linked_vendor',
      'linked_link',
      'reason',
      'failed_at',
      'agreed_vendor',
    ],
  },
  oauth_states: {
    by: 'session',
    key: ['state_sha256'],
    columns: ['vendor', 'device_types_json', 'expires_at'],
  },
  devices: {
    by: 'user',
    key: ['vendor', 'id'],
    columns: [
      'vendor',
      'id',
      'link_id',
      'user_ref',
      'device_type',
      'plugged',
      'name',
      'capabilities_json',
      'details_json',
      'created_at',
      'state_json',
      'limits_json',
      'available_capacity_json',
      'observed_at',
      'fetched_at',
      'site',
      'measures',
      'granted_json',
      'missing_since',
      'reported_json',
      'interventions_json',
    ],
  },
  device_polls: {
    by: 'link',
    key: ['id'],
    columns: ['link_id', 'device_id', 'vendor', 'due_at', 'interval_s'],
  },
  interventions: {
    by: 'link',
    key: ['id'],
    columns: [
      'id',
      'link_id',
      'vendor',
      'device_id',
      'device_type',
      'code',
      'capabilities_json',
      'opened_at',
      'resolved_at',
    ],
  },
  commands: {
    by: 'device',
    key: ['id'],
    columns: [
      'id',
      'vendor',
      'device_id',
      'key_id',
      'request_id',
      'command_json',
      'status',
      'error',
      'requested_at',
      'finished_at',
    ],
  },
  set_points: {
    by: 'link',
    key: ['vendor', 'device_id', 'command_type'],
    columns: [
      'vendor',
      'device_id',
      'command_type',
      'link_id',
      'state',
      'command_json',
      'next_json',
      'key_id',
      'since',
      'renewed_at',
      'until',
      'error',
      'releasing_since',
      'reason',
      'failing_since',
    ],
  },
  charging_progress: {
    by: 'user',
    key: ['device_id', 'vendor'],
    columns: ['device_id', 'vendor', 'user_ref', 'device_type', 'progress_json'],
  },
  charging_sessions: {
    by: 'user',
    key: ['id'],
    columns: [
      'id',
      'vendor',
      'device_id',
      'link_id',
      'user_ref',
      'transaction_id',
      'at',
      'started_at',
      'ended_at',
      'session_json',
    ],
  },
  charging_transactions: {
    by: 'link',
    key: ['link_id', 'transaction_id'],
    columns: [
      'link_id',
      'transaction_id',
      'device_id',
      'id_tag',
      'started_at',
      'meter_start_wh',
      'ended_at',
      'meter_stop_wh',
      'end_reason',
      'start_estimated',
      'stop_estimated',
      'end_estimated',
    ],
  },
  meter_readings: {
    by: 'link',
    key: ['link_id', 'device_id', 'at'],
    columns: ['link_id', 'device_id', 'at', 'transaction_id', 'samples_json', 'register_wh'],
  },
  subscriptions: {
    by: 'user',
    key: ['id'],
    columns: [
      'id',
      'url',
      'types_json',
      'device_id',
      'user_ref',
      'version',
      'signature',
      'public_key',
      'status',
      'reason',
      'created_at',
    ],
  },
  requests: {
    by: 'link or device',
    key: ['at', 'id'],
    columns: [
      'at',
      'request_id',
      'service',
      'key_id',
      'method',
      'route',
      'status',
      'error_code',
      'error',
      'duration_ms',
      'device_id',
      'link_id',
      'vendor',
      'calls_json',
    ],
  },
  vendor_use: {
    by: 'subject',
    key: ['vendor', 'rule', 'subject'],
    columns: ['vendor', 'rule', 'subject', 'window_start', 'used', 'before_start', 'used_before'],
  },
  history_devices: {
    by: 'user',
    key: ['number'],
    columns: ['number', 'vendor', 'device_id', 'user_ref', 'open_json'],
  },
} satisfies Described;

/** By the number in `history_devices`, with every field that history keeps. */
const HISTORY = { history_readings: 'at', history_quarters: 'quarter' } as const;

/** One row, as it is exported. */
export interface ExportedRow {
  readonly table: string;
  readonly row: Readonly<Record<string, unknown>>;
}

/** Read at once. */
const ROWS = 500;
const DEVICE = { vendor: 'text', id: 'text' } as const;
const ID = { id: 'text' } as const;

interface Source extends Exported {
  readonly table: string;
  /** Which of its rows are the user's. */
  readonly own: RawBuilder<unknown>;
}

/** A column with JSON is exported as what it holds, without the end of its name. */
const shown = (row: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) =>
      name.endsWith('_json')
        ? [name.slice(0, -'_json'.length), typeof value === 'string' ? (JSON.parse(value) as unknown) : null]
        : [name, value],
    ),
  );

/** The only SQL of exports. */
export function createExportStore({ queries, rows }: Pick<Database, 'queries' | 'rows'>) {
  /** All rows of a table, some at a time: nothing is held between two pages. */
  async function* pagesOf({ table, key, columns, own }: Source): AsyncGenerator<ExportedRow[]> {
    const named = (names: readonly string[]) => sql.join(names.map((name) => sql.ref(name)));
    const keys = key.map((name, index) => sql`${sql.ref(name)} as ${sql.ref(`key_${index}`)}`);
    for (let after: readonly unknown[] | undefined; ; ) {
      const beyond = after === undefined ? sql`` : sql`and (${named(key)}) > (${sql.join(after)})`;
      const selected = columns.length === 0 ? sql`*` : named(columns);
      const found = await sql<Record<string, unknown>>`
        select ${selected}, ${sql.join(keys)} from ${sql.table(table)}
        where ${own} ${beyond} order by ${named(key)} limit ${ROWS}`.execute(queries);
      const last = found.rows.at(-1);
      yield found.rows.map((row) => ({
        table,
        row: shown(Object.fromEntries(Object.entries(row).filter(([name]) => !/^key_[0-9]$/.test(name)))),
      }));
      if (last === undefined || found.rows.length < ROWS) return;
      after = key.map((_, index) => last[`key_${index}`]);
    }
  }

  return {
    /** Of what was somebody's by the log, what nobody else has now, with what they have. */
    async subjectsOf({ account, userRef }: EndUser, logged: Forgotten): Promise<Forgotten> {
      const devices = await sql<{ vendor: string; id: string }>`
        select vendor, id from devices where account_id = ${account} and user_ref = ${userRef}
        union
        select r.vendor, r.id from ${rows(DEVICE, [...logged.devices])} as r where not exists (
          select 1 from devices where devices.account_id = ${account} and devices.vendor = r.vendor and devices.id = r.id)`.execute(
        queries,
      );
      const links = await sql<{ id: string }>`
        select id from links where account_id = ${account} and user_ref = ${userRef}
        union
        select r.id from ${rows(
          ID,
          logged.links.map((id) => ({ id })),
        )} as r where not exists (
          select 1 from links where links.account_id = ${account} and links.id = r.id)`.execute(queries);
      return { devices: devices.rows, links: links.rows.map(({ id }) => id) };
    },

    /** All that is stored of a user and of what was theirs, but for events. */
    async *pages(
      { account, userRef }: EndUser,
      { devices, links }: Forgotten,
    ): AsyncGenerator<ExportedRow[]> {
      const linked = sql`(select r.id from ${rows(
        ID,
        links.map((id) => ({ id })),
      )} as r)`;
      const owned = rows(DEVICE, [...devices]);
      const ofUser = sql`account_id = ${account} and user_ref = ${userRef}`;
      const own: Readonly<Record<Found, RawBuilder<unknown>>> = {
        user: ofUser,
        link: sql`account_id = ${account} and link_id in ${linked}`,
        device: sql`account_id = ${account} and (vendor, device_id) in (select r.vendor, r.id from ${owned} as r)`,
        'link or device': sql`account_id = ${account} and (link_id in ${linked} or device_id in (select r.id from ${owned} as r))`,
        session: sql`session_sha256 in (select session_sha256 from link_sessions where ${ofUser})`,
        subject: sql`exists (select 1 from ${linked} as r where vendor_use.subject = ${`${account}/`} || r.id
          or vendor_use.subject like ${`${account}/`} || r.id || '/%')`,
      };
      for (const [table, exported] of Object.entries(EXPORTED))
        yield* pagesOf({ table, ...exported, own: own[exported.by] });
      const numbers = sql`device in (select number from history_devices where ${ofUser})`;
      for (const [table, time] of Object.entries(HISTORY))
        yield* pagesOf({ table, by: 'user', key: ['device', time], columns: [], own: numbers });
    },
  };
}
