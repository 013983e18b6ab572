import { sql } from 'kysely';
import { CONSOLE, ELNAV } from '../../../core/sender.ts';
import type { Database } from '../../../db/database.ts';

interface CommandStart {
  readonly account: number;
  readonly id: string;
  readonly vendor: string;
  readonly deviceId: string;
  readonly keyId: string;
  readonly requestId?: string | undefined;
  readonly commandJson: string;
  readonly at: number;
  /** Another process may take it for dead after so long. */
  readonly leaseMs: number;
  /** The database enters it before this moment of its own clock, or not at all. */
  readonly deadline: number;
}

export interface CommandEnd {
  readonly account: number;
  readonly id: string;
  readonly status: 'done' | 'failed' | 'unknown';
  readonly error: string | null;
  readonly at: number;
}

const START = {
  account: 'bigint',
  id: 'text',
  vendor: 'text',
  device_id: 'text',
  key_id: 'text',
  request_id: 'text',
  command_json: 'text',
  requested_at: 'bigint',
  lease_ms: 'bigint',
  deadline: 'bigint',
} as const;

const startRow = ({ account, id, vendor, deadline, ...start }: CommandStart) => ({
  account,
  id,
  vendor,
  device_id: start.deviceId,
  key_id: start.keyId,
  request_id: start.requestId ?? null,
  command_json: start.commandJson,
  requested_at: start.at,
  lease_ms: start.leaseMs,
  deadline,
});

const OF_COMMANDS = {
  table: 'commands',
  key: { account_id: 'account', id: 'id' },
  before: {
    vendor: 'vendor',
    device_id: 'device_id',
    key_id: 'key_id',
    request_id: 'request_id',
    command_json: 'command_json',
    status_before: 'status',
  },
} as const;
const END = { account: 'bigint', id: 'text', status: 'text', error: 'text', finished_at: 'bigint' } as const;

const endRow = ({ account, id, status, error, at }: CommandEnd) => ({
  account,
  id,
  status,
  error,
  finished_at: at,
});

const ENDED = sql`
  update commands set status = r.status, error = r.error, finished_at = r.finished_at
  from r where commands.account_id = r.account and commands.id = r.id`;

/** The command as it was sent, who sent it, and why it did not succeed. */
const endData = (engine: Database['engine']) => {
  const quoted = (column: string) =>
    engine === 'postgres'
      ? sql`coalesce(cast(to_json(${sql.ref(column)}) as text), 'null')`
      : sql`coalesce(json_quote(${sql.ref(column)}), 'null')`;
  const [isConsole, isElnav] = [CONSOLE, ELNAV].map((name) => sql`r.key_id = ${sql.lit(name)}`);
  const by = sql`'{"source":' ||
    case when ${isConsole} then '"console","key_id":null' when ${isElnav} then '"elnav","key_id":null'
      else '"api","key_id":' || ${quoted('r.key_id')} end ||
    ',"request_id":' || ${quoted('r.request_id')} || '}'`;
  return sql`'{"command_id":"' || r.id || '","command":' || r.command_json || ',"by":' || ${by} || ',"error":' || ${quoted('r.error')} || '}'`;
};

const DIED = 'the process ended while the command ran';

/** The only SQL for `commands`. */
export function createCommandStore(database: Database) {
  const { engine, queries, moments, group, rows, lockedRows, events } = database;

  // An end that is stored again, since it was not known whether it had been, is no other end.
  const endEvents = () => sql`
    select r.account, ${events.txOf(sql`0`)},
      case r.status when 'done' then 'command.succeeded' when 'failed' then 'command.failed' else 'command.outcome_unknown' end,
      r.device_id, r.vendor, devices.link_id, devices.user_ref, r.finished_at, ${moments.now},
      ${endData(engine)}
    from r
    left join devices on devices.account_id = r.account and devices.vendor = r.vendor and devices.id = r.device_id
    where r.status <> r.status_before`;

  /** Running commands, with the end that they get. */
  const running = (at: number) =>
    queries
      .selectFrom('commands')
      .select([
        'account_id as account',
        'id',
        'vendor',
        'device_id',
        'key_id',
        'request_id',
        'command_json',
        'status as status_before',
        sql<string>`'unknown'`.as('status'),
        sql<string>`cast(${DIED} as text)`.as('error'),
        sql<number>`cast(${at} as bigint)`.as('finished_at'),
      ])
      .where('status', '=', 'running');

  const giveUp = (commands: ReturnType<typeof running>): Promise<void> =>
    events.changeAlone({
      rows: sql`select * from ${commands} as running`,
      update: ENDED,
      events: endEvents(),
    });

  return {
    /** Enters the device's queue; false when a command of the device is running, on whichever process, or the deadline is over. */
    begin: group(async (on, starts: readonly CommandStart[]): Promise<boolean[]> => {
      const entered = await sql<{ id: string }>`
        insert into commands
          (account_id, id, vendor, device_id, key_id, request_id, command_json, status, requested_at, lease_until)
        select account, id, vendor, device_id, key_id, request_id, command_json, 'running', requested_at, ${moments.now} + lease_ms
        from ${rows(START, starts.map(startRow))} as r
        where ${moments.now} < deadline
        order by account, vendor, device_id
        on conflict do nothing
        returning id`.execute(on);
      const ids = new Set(entered.rows.map(({ id }) => id));
      return starts.map(({ id }) => ids.has(id));
    }),

    finish: group(async (on, ends: readonly CommandEnd[]): Promise<undefined[]> => {
      await events.change(on, {
        rows: sql`select * from ${lockedRows(OF_COMMANDS, END, ends.map(endRow))} as given`,
        update: ENDED,
        events: endEvents(),
      });
      return ends.map(() => undefined);
    }),

    /** Takes an entry out of which nothing is known but that it was never sent. */
    async withdraw(account: number, id: string): Promise<void> {
      await queries
        .deleteFrom('commands')
        .where('account_id', '=', account)
        .where('id', '=', id)
        .where('status', '=', 'running')
        .execute();
    },

    /** Commands whose process died while they ran: what became of them is not known. */
    async giveUpDead(at: number): Promise<void> {
      const dead = running(at).where('lease_until', '<', moments.now);
      // What is locked is being ended by somebody else.
      await giveUp(engine === 'postgres' ? dead.forUpdate().skipLocked() : dead);
    },

    /** Removes at most `limit` commands that were sent before a moment and have ended, oldest first; resolves to how many. */
    async removeBefore(moment: number, limit: number): Promise<number> {
      const { numDeletedRows } = await queries
        .deleteFrom('commands')
        .where(({ eb, refTuple, selectFrom }) =>
          eb(
            refTuple('account_id', 'id'),
            'in',
            selectFrom('commands')
              .select(['account_id', 'id'])
              .where('requested_at', '<', moment)
              .where('status', '<>', 'running')
              .orderBy('requested_at')
              .limit(limit)
              .$asTuple('account_id', 'id'),
          ),
        )
        .executeTakeFirst();
      return Number(numDeletedRows);
    },

    async giveUpAll(at: number): Promise<void> {
      const all = running(at);
      await giveUp(engine === 'postgres' ? all.forUpdate() : all);
    },
  };
}

export type CommandStore = ReturnType<typeof createCommandStore>;
