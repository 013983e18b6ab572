import { type Selectable, sql } from 'kysely';
import type { DeviceType } from '../../../adapter/device.ts';
import type { LinkKey } from '../../../adapter/session.ts';
import { claimRows } from '../../../db/claim.ts';
import type { Database } from '../../../db/database.ts';
import { MOST_IN_BACKGROUND } from '../../../db/group-commit.ts';
import { madeHere } from '../../../db/rows.ts';
import type { Tables } from '../../../db/tables.ts';

/** Reads of a vendor's devices that are due. */
interface ReadBacklog {
  readonly vendor: string;
  /** Due, and not begun. */
  readonly waiting: number;
  /** Of them, those that have been due for a while. */
  readonly late: number;
  /** When the one that waits longest was due, ms since 1970. */
  readonly oldest: number;
}

/** What of the reads in the background is due, by vendor, as all processes together have it. Reads `device_polls`. */
export async function readBacklog(
  { queries, moments }: Pick<Database, 'queries' | 'moments'>,
  { lateMs }: { readonly lateMs: number },
): Promise<readonly ReadBacklog[]> {
  const now = moments.clock.now();
  const rows = await queries
    .selectFrom('device_polls')
    .select(({ fn }) => [
      'vendor',
      fn.countAll<number>().as('waiting'),
      fn.min<number>('due_at').as('oldest'),
      sql<number>`sum(case when due_at < ${now - lateMs} then 1 else 0 end)`.as('late'),
    ])
    .where('due_at', '<=', now)
    .groupBy('vendor')
    .execute();
  return rows.map(({ vendor, waiting, late, oldest }) => ({
    ...{ vendor, oldest },
    waiting: Number(waiting),
    late: Number(late),
  }));
}

/** The link and device of a poll. */
export interface PollKey extends LinkKey {
  /** Empty for all devices of the link together. */
  readonly device: string;
}

export interface Poll extends PollKey {
  readonly id: number;
  readonly vendor: string;
  /** When it was planned; a claim has moved it on in the database. */
  readonly plannedAt: number;
  readonly claimedUntil: number;
  readonly intervalSeconds: number;
  readonly failures: number;
  readonly hintedAt: number | null;
  readonly activeUntil: number | null;
}

interface NewPoll extends PollKey {
  readonly vendor: string;
  readonly dueAt: number;
  readonly intervalSeconds: number;
}

/** How a poll ended. */
export interface Finished {
  readonly poll: Poll;
  readonly dueAt: number;
  readonly intervalSeconds: number;
  readonly failures: number;
  /** When the vendor was asked: hints up to then are done with. */
  readonly askedAt: number | null;
}

/** Somebody has commanded a device. */
export interface Commanded extends PollKey {
  readonly until: number;
  readonly first: number;
}

/** A link that the vendor refuses until then. */
export interface HeldBack extends LinkKey {
  readonly until: number;
}

const ADDED = {
  account: 'bigint',
  link: 'text',
  device: 'text',
  vendor: 'text',
  due: 'bigint',
  interval_s: 'double precision',
} as const;

const HINTED = { account: 'bigint', link: 'text', device: 'text', vendor: 'text', at: 'bigint' } as const;

const FINISHED = {
  account: 'bigint',
  link: 'text',
  device: 'text',
  id: 'bigint',
  claimed: 'bigint',
  due: 'bigint',
  interval_s: 'double precision',
  failures: 'bigint',
  asked: 'bigint',
} as const;

const finishedRow = ({ poll, dueAt, intervalSeconds, failures, askedAt }: Finished) => ({
  account: poll.account,
  link: poll.link,
  device: poll.device,
  id: poll.id,
  claimed: poll.claimedUntil,
  due: dueAt,
  interval_s: intervalSeconds,
  failures,
  asked: askedAt ?? -1,
});

const COMMANDED = {
  account: 'bigint',
  link: 'text',
  device: 'text',
  until: 'bigint',
  first: 'bigint',
} as const;

const OF_LINK = { account: 'bigint', link: 'text' } as const;

const HELD_BACK = { ...OF_LINK, until: 'bigint' } as const;

/** Whatever changes several polls locks them in the order of their unique key. */
const TURNS = {
  table: 'device_polls',
  key: { account_id: 'account', link_id: 'link', device_id: 'device' },
} as const;
const TURNS_OF_LINKS = {
  table: 'device_polls',
  key: { account_id: 'account', link_id: 'link' },
  within: ['device_id'],
} as const;

/** Where a look at links or devices goes on, in their order. */
export interface Place {
  readonly account: number;
  readonly vendor: string;
  readonly id: string;
}

export const FIRST: Place = { account: 0, vendor: '', id: '' };

interface Page {
  readonly after: Place;
  /** Rows that are looked at. */
  readonly most: number;
}

export interface Missing {
  readonly keys: readonly (PollKey & { readonly vendor: string })[];
  /** Undefined when there are no more. */
  readonly last: Place | undefined;
}

interface Looked {
  readonly account_id: number;
  readonly link_id: string;
  readonly device_id: string;
  readonly id: string;
  readonly vendor: string;
  /** A number on SQLite. */
  readonly is_missing: boolean | number;
}

function missingOf(seen: readonly Looked[], most: number): Missing {
  const end = seen.at(-1);
  return {
    keys: seen
      .filter((row) => Boolean(row.is_missing))
      .map((row) => ({
        account: row.account_id,
        link: row.link_id,
        device: row.device_id,
        vendor: row.vendor,
      })),
    last:
      seen.length < most || end === undefined
        ? undefined
        : { account: end.account_id, vendor: end.vendor, id: end.id },
  };
}

export interface Demand {
  readonly vendor: string;
  readonly polls: number;
  /** Polls a second, if each came when it is planned. */
  readonly perSecond: number;
}

/** Rows of a statement. */
const BATCH = 500;

/** The only SQL for `device_polls`. */
export function createPollStore(database: Database) {
  const { queries, group, rows, lockedRows } = database;
  return {
    /** Adds polls; of one that is there already, the nearer moment counts. */
    async add(polls: readonly NewPoll[]): Promise<void> {
      for (let from = 0; from < polls.length; from += BATCH) {
        const added = polls.slice(from, from + BATCH).map(({ dueAt, intervalSeconds, ...key }) => ({
          ...key,
          due: dueAt,
          interval_s: intervalSeconds,
        }));
        await sql`
          insert into device_polls (account_id, link_id, device_id, vendor, due_at, interval_s, failures)
          select account, link, device, vendor, due, interval_s, 0 from ${rows(ADDED, added)} as r
          where true order by account, link, device
          on conflict (account_id, link_id, device_id) do update set due_at = excluded.due_at, failures = 0
          where device_polls.due_at > excluded.due_at`.execute(queries);
      }
    },

    /** Looks at so many links, in their order, and answers those of the vendors that have no poll yet. */
    async linksWithoutPoll(vendors: readonly string[], { after, most }: Page): Promise<Missing> {
      const { rows: seen } = await sql<Looked>`
        select links.account_id, links.id as link_id, '' as device_id, links.id, links.vendor,
          poll.id is null and links.vendor in (${sql.join(vendors)}) as is_missing
        from (
          select account_id, id, vendor from links
          where (account_id, id) > (${after.account}, ${after.id}) order by account_id, id limit ${most}
        ) as links
        left join device_polls as poll
          on poll.account_id = links.account_id and poll.link_id = links.id and poll.device_id = ''
        order by links.account_id, links.id`.execute(queries);
      return missingOf(seen, most);
    },

    /** The same for devices. */
    async devicesWithoutPoll(vendors: readonly string[], { after, most }: Page): Promise<Missing> {
      const { rows: seen } = await sql<Looked>`
        select devices.account_id, devices.link_id, devices.id as device_id, devices.id, devices.vendor,
          poll.id is null and devices.vendor in (${sql.join(vendors)}) as is_missing
        from (
          select account_id, vendor, id, link_id from devices
          where (account_id, vendor, id) > (${after.account}, ${after.vendor}, ${after.id})
          order by account_id, vendor, id limit ${most}
        ) as devices
        left join device_polls as poll
          on poll.account_id = devices.account_id and poll.link_id = devices.link_id and poll.device_id = devices.id
        order by devices.account_id, devices.vendor, devices.id`.execute(queries);
      return missingOf(seen, most);
    },

    /** Takes what is due, for nobody else to take within `claimMs`; `madeBy`: of links with gateways, only those that this process calls. */
    async claim(
      vendor: string,
      {
        claimMs,
        most,
        madeBy,
      }: { readonly claimMs: number; readonly most: number; readonly madeBy?: string | undefined },
    ): Promise<Poll[]> {
      const rows = await claimRows(database, {
        ...{ table: 'device_polls', key: ['id'], due: 'due_at', claimMs, most },
        where:
          madeBy === undefined
            ? sql`vendor = ${vendor}`
            : sql`vendor = ${vendor} and ${madeHere('device_polls', madeBy)}`,
        set: { planned_at: sql.ref('due_at') },
      });
      return rows.map(toPoll);
    },

    /** Plans the next poll, but not where somebody has called for it meanwhile. */
    finish: group(async (on, finished: readonly Finished[]): Promise<undefined[]> => {
      await sql`
        update device_polls set
          due_at = case when device_polls.due_at = r.claimed then r.due else device_polls.due_at end,
          interval_s = r.interval_s,
          failures = r.failures,
          planned_at = null,
          hinted_at = case when device_polls.hinted_at <= r.asked then null else device_polls.hinted_at end
        from ${lockedRows(TURNS, FINISHED, finished.map(finishedRow))} as r where device_polls.id = r.id`.execute(
        on,
      );
      return finished.map(() => undefined);
    }, MOST_IN_BACKGROUND),

    /** The device has changed: its poll is due now. Adds a poll where there is none. */
    async hint(polls: readonly (PollKey & { vendor: string })[], now: number): Promise<void> {
      for (let from = 0; from < polls.length; from += BATCH) {
        const hinted = polls.slice(from, from + BATCH).map((poll) => ({ ...poll, at: now }));
        await sql`
          insert into device_polls (account_id, link_id, device_id, vendor, due_at, interval_s, failures, hinted_at)
          select account, link, device, vendor, at, 0, 0, at from ${rows(HINTED, hinted)} as r
          where true order by account, link, device
          on conflict (account_id, link_id, device_id) do update set due_at = excluded.due_at, hinted_at = excluded.hinted_at
        `.execute(queries);
      }
    },

    /** It was commanded: it is read more often until then, and by `first` for the first time. */
    activate: group(async (on, commanded: readonly Commanded[]): Promise<undefined[]> => {
      await sql`
        update device_polls set
          active_until = r.until,
          due_at = case when device_polls.due_at > r.first then r.first else device_polls.due_at end
        from (
          select account, link, device, max(until) as until, min(first) as first
          from ${lockedRows(TURNS, COMMANDED, commanded)} as given group by account, link, device
        ) as r
        where device_polls.account_id = r.account and device_polls.link_id = r.link and device_polls.device_id = r.device
      `.execute(on);
      return commanded.map(() => undefined);
    }, MOST_IN_BACKGROUND),

    /** All polls of a link are due by then. */
    async bringForward({ account, link }: LinkKey, dueAt: number): Promise<void> {
      await sql`
        update device_polls set due_at = ${dueAt}
        from ${lockedRows(TURNS_OF_LINKS, OF_LINK, [{ account, link }])} as r
        where device_polls.account_id = r.account and device_polls.link_id = r.link and device_polls.due_at > ${dueAt}
      `.execute(queries);
    },

    /** No poll of the link is due before that. */
    holdBack: group(async (on, held: readonly HeldBack[]): Promise<undefined[]> => {
      await sql`
        update device_polls set due_at = r.until
        from (
          select account, link, max(until) as until from ${lockedRows(TURNS_OF_LINKS, HELD_BACK, held)} as given
          group by account, link
        ) as r
        where device_polls.account_id = r.account and device_polls.link_id = r.link and device_polls.due_at < r.until
      `.execute(on);
      return held.map(() => undefined);
    }, MOST_IN_BACKGROUND),

    /** How many links of a vendor have a device of one of these types. */
    async linksWith(vendor: string, types: readonly DeviceType[]): Promise<number> {
      const row = await queries
        .selectFrom((eb) =>
          eb
            .selectFrom('devices')
            .select(['account_id', 'link_id'])
            .distinct()
            .where('vendor', '=', vendor)
            .where('device_type', 'in', [...types])
            .as('sharing'),
        )
        .select(({ fn }) => fn.countAll<number>().as('links'))
        .executeTakeFirstOrThrow();
      return Number(row.links);
    },

    async remove(id: number): Promise<void> {
      await queries.deleteFrom('device_polls').where('id', '=', id).execute();
    },

    /**
     * How many of the next so many polls each vendor has, by their ids, and how many of them fall into a second; `before` leaves out
     * those that never come. `last` is undefined when there are no more.
     */
    async demand(before: number, { after, most }: { readonly after: number; readonly most: number }) {
      const { rows: found } = await sql<{
        vendor: string;
        seen: number;
        last: number;
        polls: number;
        per_second: number;
      }>`
        select vendor, count(*) as seen, max(id) as last, sum(case when due_at < ${before} then 1 else 0 end) as polls,
          coalesce(sum(case when interval_s > 0 and due_at < ${before} then 1.0 / interval_s end), 0.0) as per_second
        from (select id, vendor, due_at, interval_s from device_polls where id > ${after} order by id limit ${most}) as page
        group by vendor`.execute(queries);
      const seen = found.reduce((sum, row) => sum + Number(row.seen), 0);
      const demands = found.map(
        (row): Demand => ({
          vendor: row.vendor,
          polls: Number(row.polls),
          perSecond: Number(row.per_second),
        }),
      );
      return { demands, last: seen < most ? undefined : Math.max(...found.map(({ last }) => last)) };
    },
  };
}

export type PollStore = ReturnType<typeof createPollStore>;

function toPoll(row: Selectable<Tables['device_polls']>): Poll {
  return {
    id: row.id,
    account: row.account_id,
    link: row.link_id,
    device: row.device_id,
    vendor: row.vendor,
    plannedAt: row.planned_at ?? row.due_at,
    claimedUntil: row.due_at,
    intervalSeconds: row.interval_s,
    failures: row.failures,
    hintedAt: row.hinted_at,
    activeUntil: row.active_until,
  };
}
