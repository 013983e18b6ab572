import { type Selectable, sql } from 'kysely';
import type { Database } from '../../../db/database.ts';
import { MOST_IN_BACKGROUND } from '../../../db/group-commit.ts';
import { sharedReads } from '../../../db/shared-reads.ts';
import type { Tables } from '../../../db/tables.ts';

/** What a limit is used by, of one subject. */
interface UseKey {
  readonly vendor: string;
  readonly rule: string;
  readonly subject: string;
}

export interface Use extends UseKey {
  /** Start of the window, ms since 1970. */
  readonly start: number;
  readonly used: number;
}

const KEY = { vendor: 'text', rule: 'text', subject: 'text' } as const;
const USE = { ...KEY, start: 'bigint', used: 'bigint' } as const;

type Row = Selectable<Tables['vendor_use']>;

const keyRow = ({ vendor, rule, subject }: UseKey) => ({ vendor, rule, subject });
const nameOf = ({ vendor, rule, subject }: UseKey): string => `${vendor} ${rule} ${subject}`;

/** What is used of the window that starts then. */
const usedAt = (row: Row | undefined, start: number): number => {
  if (row?.window_start === start) return row.used;
  return row?.before_start === start ? row.used_before : 0;
};

/** The only SQL for `vendor_use`. */
export function createBudgetStore({ queries, group, rows }: Database) {
  return {
    /** What all processes have used; answers for the start of a window. */
    used: sharedReads(async (keys: readonly UseKey[]): Promise<((start: number) => number)[]> => {
      const { rows: found } = await sql<Row>`
        select u.* from ${rows(KEY, keys.map(keyRow))} as r
        join vendor_use as u on u.vendor = r.vendor and u.rule = r.rule and u.subject = r.subject`.execute(
        queries,
      );
      const byName = new Map(found.map((row) => [nameOf(row), row]));
      return keys.map((key) => (start) => usedAt(byName.get(nameOf(key)), start));
    }),

    /**
     * Adds to what is stored, and answers what it then is; of one subject, one at a time. Only the latest two windows are kept: what
     * was used in an older one counts nowhere any more.
     */
    add: group(async (on, uses: readonly Use[]): Promise<number[]> => {
      // In one order everywhere, so that two processes that share limits do not wait for each other in a circle.
      const { rows: found } = await sql<Row>`
        insert into vendor_use as u (vendor, rule, subject, window_start, used)
        select vendor, rule, subject, start, used
        from ${rows(
          USE,
          uses.map((use) => ({ ...keyRow(use), start: use.start, used: use.used })),
        )} as r
        where true
        order by vendor, rule, subject
        on conflict (vendor, rule, subject) do update set
          before_start = case when excluded.window_start > u.window_start then u.window_start else u.before_start end,
          used_before = case
            when excluded.window_start > u.window_start then u.used
            when excluded.window_start = u.before_start then u.used_before + excluded.used
            else u.used_before end,
          used = case
            when excluded.window_start > u.window_start then excluded.used
            when excluded.window_start = u.window_start then u.used + excluded.used
            else u.used end,
          window_start = case
            when excluded.window_start > u.window_start then excluded.window_start else u.window_start end
        returning *`.execute(on);
      const byName = new Map(found.map((row) => [nameOf(row), row]));
      return uses.map((use) => usedAt(byName.get(nameOf(use)), use.start));
    }, MOST_IN_BACKGROUND),

    /** Forgets subjects that nothing has been used by since then. */
    async removeBefore(start: number): Promise<void> {
      await queries.deleteFrom('vendor_use').where('window_start', '<', start).execute();
    },
  };
}

/** Until when a vendor refuses calls to one of its hosts. */
export interface Block {
  readonly vendor: string;
  /** By its name in the adapter's `hosts`. */
  readonly host: string;
  /** Empty for everybody who calls from here, else `account/link`. */
  readonly subject: string;
  /** ms since 1970. */
  readonly until: number;
}

/** The only SQL for `vendor_blocks`. */
export function createBlockStore({ queries }: Database) {
  return {
    all: (): Promise<Block[]> => queries.selectFrom('vendor_blocks').selectAll().execute(),

    /** Stores a block; of two of the same, the longer one counts. */
    async put(block: Block): Promise<void> {
      await queries
        .insertInto('vendor_blocks')
        .values(block)
        .onConflict((conflict) =>
          conflict
            .columns(['vendor', 'host', 'subject'])
            .doUpdateSet((eb) => ({ until: eb.ref('excluded.until') }))
            .whereRef('vendor_blocks.until', '<', 'excluded.until'),
        )
        .execute();
    },

    async removeBefore(at: number): Promise<void> {
      await queries.deleteFrom('vendor_blocks').where('until', '<', at).execute();
    },
  };
}

/** Blocks that hold now, as they are stored: for a process that makes no calls itself. */
export async function activeBlocks(database: Database): Promise<readonly Block[]> {
  const now = database.moments.clock.now();
  return (await createBlockStore(database).all()).filter(({ until }) => until > now);
}
