import { type RawBuilder, type Selectable, sql } from 'kysely';
import { HISTORY_FIELDS } from '../../../adapter/fields.ts';
import { DAY_MS, QUARTER_MS } from '../../../core/durations.ts';
import type { Database, Queries } from '../../../db/database.ts';
import type { Tables } from '../../../db/tables.ts';
import type { Values } from './fields.ts';
import { type Open, openIn, type Quarter } from './fold.ts';
import type { Step } from './steps.ts';

/** A device of a user. */
export interface DeviceName {
  readonly account: number;
  readonly vendor: string;
  readonly device: string;
  readonly userRef: string;
}

interface OpenDevice extends DeviceName {
  readonly number: number;
  readonly open: Open | null;
}

/** What follows from a batch of events for a device. */
export interface Followed {
  readonly number: number;
  readonly open: Open;
  readonly steps: readonly Step[];
  readonly quarters: readonly Quarter[];
}

const NAMES = { account: 'bigint', vendor: 'text', device: 'text', user_ref: 'text' } as const;
const OPEN = { number: 'bigint', open_json: 'text' } as const;
const VALUE_COLUMNS = Object.fromEntries(HISTORY_FIELDS.map((field) => [field, 'bigint'])) as {
  readonly [F in keyof Values]: 'bigint';
};
const READINGS = { device: 'bigint', at: 'bigint', known: 'bigint', ...VALUE_COLUMNS } as const;
const QUARTERS = {
  device: 'bigint',
  quarter: 'bigint',
  covered_s: 'bigint',
  ...VALUE_COLUMNS,
  late_wh: 'bigint',
  late_s: 'bigint',
} as const;
const COLUMNS = {
  history_readings: sql.join(HISTORY_FIELDS.map((field) => sql.ref(field))),
  history_quarters: sql.join([...HISTORY_FIELDS, 'late_wh', 'late_s'].map((column) => sql.ref(column))),
} as const;
const NO_VALUES = Object.fromEntries(HISTORY_FIELDS.map((field) => [field, null])) as Values;
/** Rows that one statement inserts. */
const ROWS_AT_ONCE = 2_000;

/** Of PostgreSQL, whose partitions are dropped when they are too old. */
const PARTITIONED = {
  history_readings: { key: 'at', second: 'known', span: 7 * DAY_MS, unit: 1 },
  history_quarters: { key: 'quarter', second: 'covered_s', span: 28 * DAY_MS, unit: QUARTER_MS },
} as const;
export type Table = keyof typeof PARTITIONED;
/** A batch of what was removed. */
interface RemovedHistory {
  readonly rows: number;
  /** Where to go on; undefined at the end. */
  readonly next: number | undefined;
}

/** Another process may still write what is hardly older than what is kept. */
const DROPPED_LATER_MS = DAY_MS;
/** Devices of which old rows are removed at once, on the embedded database. */
const DEVICES_AT_ONCE = 100;

const textOf = ({ account, vendor, device, userRef }: DeviceName) =>
  JSON.stringify([account, vendor, device, userRef]);

function createPartitions({ engine, queries }: Pick<Database, 'engine' | 'queries'>) {
  /** Those that are known to exist. */
  const made = new Set<string>();

  return {
    /** In a transaction of its own: it stays where that of the caller fails. The caller has not written into the table yet. */
    async make(table: Table, at: readonly number[]): Promise<void> {
      if (engine === 'sqlite') return;
      const of = PARTITIONED[table];
      for (const number of new Set(at.map((moment) => Math.floor(moment / of.span)))) {
        const name = `${table}_${number}`;
        if (made.has(name)) continue;
        const [from, to] = [number, number + 1].map((one) => sql.lit((one * of.span) / of.unit));
        await sql`create table if not exists ${sql.table(name)} partition of ${sql.table(table)}
          for values from (${from}) to (${to})`.execute(queries);
        made.add(name);
      }
    },

    /** Drops those of which all is older than a moment; resolves to how many rows they had. */
    async drop(table: Table, before: number): Promise<number> {
      const { rows: found } = await sql<{ name: string }>`
        select relname as name from pg_inherits join pg_class on pg_class.oid = pg_inherits.inhrelid
        where inhparent = ${table}::regclass`.execute(queries);
      let dropped = 0;
      for (const { name } of found) {
        const end = (Number(name.slice(table.length + 1)) + 1) * PARTITIONED[table].span;
        if (end > before - DROPPED_LATER_MS) continue;
        const counted = await sql<{ n: number }>`select count(*) as n from ${sql.table(name)}`.execute(
          queries,
        );
        await sql`drop table if exists ${sql.table(name)}`.execute(queries);
        made.delete(name);
        dropped += counted.rows[0]?.n ?? 0;
      }
      return dropped;
    },
  };
}

const readingsIn = ({ number, steps }: Followed) =>
  steps.map(({ at, values }) => ({
    ...{ device: number, at, known: values === null ? 0 : 1 },
    ...(values ?? NO_VALUES),
  }));

const quartersIn = ({ number, quarters }: Followed) =>
  quarters.map(({ quarter, covered, values, late }) => ({
    ...{ device: number, quarter, covered_s: covered },
    ...values,
    ...{ late_wh: late?.wh ?? null, late_s: late?.seconds ?? null },
  }));

async function insert(transaction: Queries, table: Table, given: readonly RawBuilder<unknown>[]) {
  const [key, second] = [sql.ref(PARTITIONED[table].key), sql.ref(PARTITIONED[table].second)];
  for (const part of given)
    await sql`insert into ${sql.table(table)} (device, ${key}, ${second}, ${COLUMNS[table]})
      select device, ${key}, ${second}, ${COLUMNS[table]} from ${part} as r where true
      on conflict do nothing`.execute(transaction);
}

const parts = <T>(all: readonly T[]): (readonly T[])[] =>
  Array.from({ length: Math.ceil(all.length / ROWS_AT_ONCE) }, (_, index) =>
    all.slice(index * ROWS_AT_ONCE, (index + 1) * ROWS_AT_ONCE),
  );

/** Writes `history_*`: what follows from events, and what is not kept any more. */
export function createHistoryStore({ engine, queries, rows }: Database) {
  const partitions = createPartitions({ engine, queries });

  return {
    /** What is known of devices, which get their numbers now if they have none. */
    async open(transaction: Queries, names: readonly DeviceName[]): Promise<Map<string, OpenDevice>> {
      const given = names.map(({ userRef, ...name }) => ({ ...name, user_ref: userRef }));
      const asked = sql`${rows(NAMES, given)} as r`;
      const find = async () => {
        const { rows: found } = await sql<Selectable<Tables['history_devices']>>`
          select history_devices.* from ${asked} join history_devices on history_devices.account_id = r.account
            and history_devices.device_id = r.device and history_devices.vendor = r.vendor
            and history_devices.user_ref = r.user_ref`.execute(transaction);
        return new Map(
          found.map((row) => {
            const name = {
              account: row.account_id,
              vendor: row.vendor,
              device: row.device_id,
              userRef: row.user_ref,
            };
            const open = openIn(row.open_json);
            return [textOf(name), { ...name, number: row.number, open }];
          }),
        );
      };
      const known = await find();
      if (known.size === names.length) return known;
      await sql`
        insert into history_devices (account_id, vendor, device_id, user_ref, open_json)
        select r.account, r.vendor, r.device, r.user_ref, 'null' from ${asked} where true
        on conflict do nothing`.execute(transaction);
      return find();
    },

    textOf,

    /** Stores what follows from events, in the transaction that moves the place in the log. */
    async follow(transaction: Queries, all: readonly Followed[]): Promise<void> {
      const readings = all.flatMap(readingsIn);
      const quarters = all.flatMap(quartersIn);
      await partitions.make(
        'history_readings',
        readings.map(({ at }) => at),
      );
      await partitions.make(
        'history_quarters',
        quarters.map(({ quarter }) => quarter * QUARTER_MS),
      );
      await insert(
        transaction,
        'history_readings',
        parts(readings).map((part) => rows(READINGS, part)),
      );
      await insert(
        transaction,
        'history_quarters',
        parts(quarters).map((part) => rows(QUARTERS, part)),
      );
      const opens = all.map(({ number, open }) => ({ number, open_json: JSON.stringify(open) }));
      await sql`
        update history_devices set open_json = r.open_json from ${rows(OPEN, opens)} as r
        where history_devices.number = r.number`.execute(transaction);
    },

    /** Removes what is older than a moment, of some of the devices on the embedded database. */
    async removeBefore(table: Table, before: number, after: number): Promise<RemovedHistory> {
      if (engine === 'postgres') return { rows: await partitions.drop(table, before), next: undefined };
      const devices = await queries
        .selectFrom('history_devices')
        .select('number')
        .where('number', '>', after)
        .orderBy('number')
        .limit(DEVICES_AT_ONCE)
        .execute();
      const last = devices.at(-1)?.number;
      if (last === undefined) return { rows: 0, next: undefined };
      const { key, unit } = PARTITIONED[table];
      // By device: the key begins with it.
      const { numAffectedRows } = await sql`
        delete from ${sql.table(table)} where ${sql.ref(key)} < ${Math.floor(before / unit)}
          and device in (select number from history_devices where number > ${after} and number <= ${last})`.execute(
        queries,
      );
      return { rows: Number(numAffectedRows ?? 0), next: last };
    },

    /** Removes devices that are gone and of which nothing is kept. */
    async removeEmpty(): Promise<void> {
      await sql`
        delete from history_devices where not exists (
          select 1 from devices where devices.account_id = history_devices.account_id
            and devices.vendor = history_devices.vendor and devices.id = history_devices.device_id
            and devices.user_ref = history_devices.user_ref
        ) and not exists (select 1 from history_readings where history_readings.device = history_devices.number)
        and not exists (select 1 from history_quarters where history_quarters.device = history_devices.number)`.execute(
        queries,
      );
    },

    /** Removes what is known of a user's devices. The reader of the log waits, so that it adds nothing that it has read before. */
    async forget(transaction: Queries, of: Pick<DeviceName, 'account' | 'userRef'>): Promise<void> {
      if (engine === 'postgres')
        await transaction.selectFrom('event_readers').select('name').orderBy('name').forUpdate().execute();
      const numbers = transaction
        .selectFrom('history_devices')
        .select('number')
        .where('account_id', '=', of.account)
        .where('user_ref', '=', of.userRef);
      await transaction.deleteFrom('history_readings').where('device', 'in', numbers).execute();
      await transaction.deleteFrom('history_quarters').where('device', 'in', numbers).execute();
      await transaction
        .deleteFrom('history_devices')
        .where('account_id', '=', of.account)
        .where('user_ref', '=', of.userRef)
        .execute();
    },
  };
}

export type HistoryStore = ReturnType<typeof createHistoryStore>;
