import { type Selectable, sql } from 'kysely';
import type { DeviceType } from '../../adapter/device.ts';
import type { LinkKey } from '../../adapter/session.ts';
import { claimRows } from '../../db/claim.ts';
import type { Database } from '../../db/database.ts';
import { MOST_IN_BACKGROUND } from '../../db/group-commit.ts';
import { madeHere } from '../../db/made-here.ts';
import type { Tables } from '../../db/tables.ts';

/** Whose turn it is. */
export interface TurnKey extends LinkKey {
  /** Empty for all devices of the link together. */
  readonly device: string;
}

export interface Turn extends TurnKey {
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

export interface NewTurn extends TurnKey {
  readonly vendor: string;
  readonly dueAt: number;
  readonly intervalSeconds: number;
}

/** How a turn has gone. */
export interface Finished {
  readonly turn: Turn;
  readonly dueAt: number;
  readonly intervalSeconds: number;
  readonly failures: number;
  /** When the vendor was asked: hints up to then are done with. */
  readonly askedAt: number | null;
}

/** Somebody has commanded a device. */
export interface Commanded extends TurnKey {
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

const finishedRow = ({ turn, dueAt, intervalSeconds, failures, askedAt }: Finished) => ({
  account: turn.account,
  link: turn.link,
  device: turn.device,
  id: turn.id,
  claimed: turn.claimedUntil,
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

/** Whatever changes several turns locks them in the order of their unique key. */
const TURNS = {
  table: 'device_turns',
  key: { account_id: 'account', link_id: 'link', device_id: 'device' },
} as const;
const TURNS_OF_LINKS = {
  table: 'device_turns',
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
  readonly keys: readonly (TurnKey & { readonly vendor: string })[];
  /** Undefined when there are no more. */
  readonly last: Place | undefined;
}

interface Seen {
  readonly account_id: number;
  readonly link_id: string;
  readonly device_id: string;
  readonly id: string;
  readonly vendor: string;
  /** A number on SQLite. */
  readonly is_missing: boolean | number;
}

function missingOf(seen: readonly Seen[], most: number): Missing {
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
  readonly turns: number;
  /** Turns a second, if each came when it is planned. */
  readonly perSecond: number;
}

/** Rows of a statement. */
const BATCH = 500;

/** The only SQL for `device_turns`. */
export function createTurnStore(database: Database) {
  const { queries, group, rows, lockedRows } = database;
  return {
    /** Adds turns; of one that is there already, the nearer moment counts. */
    async add(turns: readonly NewTurn[]): Promise<void> {
      for (let from = 0; from < turns.length; from += BATCH) {
        const added = turns.slice(from, from + BATCH).map(({ dueAt, intervalSeconds, ...key }) => ({
          ...key,
          due: dueAt,
          interval_s: intervalSeconds,
        }));
        await sql`
          insert into device_turns (account_id, link_id, device_id, vendor, due_at, interval_s, failures)
          select account, link, device, vendor, due, interval_s, 0 from ${rows(ADDED, added)} as r
          where true order by account, link, device
          on conflict (account_id, link_id, device_id) do update set due_at = excluded.due_at, failures = 0
          where device_turns.due_at > excluded.due_at`.execute(queries);
      }
    },

    /** Looks at so many links, in their order, and answers those of the vendors that have no turn yet. */
    async linksWithoutTurn(vendors: readonly string[], { after, most }: Page): Promise<Missing> {
      const { rows: seen } = await sql<Seen>`
        select links.account_id, links.id as link_id, '' as device_id, links.id, links.vendor,
          turn.id is null and links.vendor in (${sql.join(vendors)}) as is_missing
        from (
          select account_id, id, vendor from links
          where (account_id, id) > (${after.account}, ${after.id}) order by account_id, id limit ${most}
        ) as links
        left join device_turns as turn
          on turn.account_id = links.account_id and turn.link_id = links.id and turn.device_id = ''
        order by links.account_id, links.id`.execute(queries);
      return missingOf(seen, most);
    },

    /** The same for devices. */
    async devicesWithoutTurn(vendors: readonly string[], { after, most }: Page): Promise<Missing> {
      const { rows: seen } = await sql<Seen>`
        select devices.account_id, devices.link_id, devices.id as device_id, devices.id, devices.vendor,
          turn.id is null and devices.vendor in (${sql.join(vendors)}) as is_missing
        from (
          select account_id, vendor, id, link_id from devices
          where (account_id, vendor, id) > (${after.account}, ${after.vendor}, ${after.id})
          order by account_id, vendor, id limit ${most}
        ) as devices
        left join device_turns as turn
          on turn.account_id = devices.account_id and turn.link_id = devices.link_id and turn.device_id = devices.id
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
    ): Promise<Turn[]> {
      const rows = await claimRows(database, {
        ...{ table: 'device_turns', key: ['id'], due: 'due_at', claimMs, most },
        where:
          madeBy === undefined
            ? sql`vendor = ${vendor}`
            : sql`vendor = ${vendor} and ${madeHere('device_turns', madeBy)}`,
        set: { planned_at: sql.ref('due_at') },
      });
      return rows.map(toTurn);
    },

    /** Plans the next turn, but not where somebody has called for it meanwhile. */
    finish: group(async (on, finished: readonly Finished[]): Promise<undefined[]> => {
      await sql`
        update device_turns set
          due_at = case when device_turns.due_at = r.claimed then r.due else device_turns.due_at end,
          interval_s = r.interval_s,
          failures = r.failures,
          planned_at = null,
          hinted_at = case when device_turns.hinted_at <= r.asked then null else device_turns.hinted_at end
        from ${lockedRows(TURNS, FINISHED, finished.map(finishedRow))} as r where device_turns.id = r.id`.execute(
        on,
      );
      return finished.map(() => undefined);
    }, MOST_IN_BACKGROUND),

    /** The device has changed: its turn comes now. Adds a turn where there is none. */
    async hint(turns: readonly (TurnKey & { vendor: string })[], now: number): Promise<void> {
      for (let from = 0; from < turns.length; from += BATCH) {
        const hinted = turns.slice(from, from + BATCH).map((turn) => ({ ...turn, at: now }));
        await sql`
          insert into device_turns (account_id, link_id, device_id, vendor, due_at, interval_s, failures, hinted_at)
          select account, link, device, vendor, at, 0, 0, at from ${rows(HINTED, hinted)} as r
          where true order by account, link, device
          on conflict (account_id, link_id, device_id) do update set due_at = excluded.due_at, hinted_at = excluded.hinted_at
        `.execute(queries);
      }
    },

    /** It was commanded: it is read more often until then, and by `first` for the first time. */
    activate: group(async (on, commanded: readonly Commanded[]): Promise<undefined[]> => {
      await sql`
        update device_turns set
          active_until = r.until,
          due_at = case when device_turns.due_at > r.first then r.first else device_turns.due_at end
        from (
          select account, link, device, max(until) as until, min(first) as first
          from ${lockedRows(TURNS, COMMANDED, commanded)} as given group by account, link, device
        ) as r
        where device_turns.account_id = r.account and device_turns.link_id = r.link and device_turns.device_id = r.device
      `.execute(on);
      return commanded.map(() => undefined);
    }, MOST_IN_BACKGROUND),

    /** All turns of a link come by then. */
    async bringForward({ account, link }: LinkKey, dueAt: number): Promise<void> {
      await sql`
        update device_turns set due_at = ${dueAt}
        from ${lockedRows(TURNS_OF_LINKS, OF_LINK, [{ account, link }])} as r
        where device_turns.account_id = r.account and device_turns.link_id = r.link and device_turns.due_at > ${dueAt}
      `.execute(queries);
    },

    /** No turn of the link comes before that. */
    holdBack: group(async (on, held: readonly HeldBack[]): Promise<undefined[]> => {
      await sql`
        update device_turns set due_at = r.until
        from (
          select account, link, max(until) as until from ${lockedRows(TURNS_OF_LINKS, HELD_BACK, held)} as given
          group by account, link
        ) as r
        where device_turns.account_id = r.account and device_turns.link_id = r.link and device_turns.due_at < r.until
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
      await queries.deleteFrom('device_turns').where('id', '=', id).execute();
    },

    /**
     * How many of the next so many turns each vendor has, by their ids, and how many of them fall into a second; `before` leaves out
     * those that never come. `last` is undefined when there are no more.
     */
    async demand(before: number, { after, most }: { readonly after: number; readonly most: number }) {
      const { rows: found } = await sql<{
        vendor: string;
        seen: number;
        last: number;
        turns: number;
        per_second: number;
      }>`
        select vendor, count(*) as seen, max(id) as last, sum(case when due_at < ${before} then 1 else 0 end) as turns,
          coalesce(sum(case when interval_s > 0 and due_at < ${before} then 1.0 / interval_s end), 0.0) as per_second
        from (select id, vendor, due_at, interval_s from device_turns where id > ${after} order by id limit ${most}) as page
        group by vendor`.execute(queries);
      const seen = found.reduce((sum, row) => sum + Number(row.seen), 0);
      const demands = found.map(
        (row): Demand => ({
          vendor: row.vendor,
          turns: Number(row.turns),
          perSecond: Number(row.per_second),
        }),
      );
      return { demands, last: seen < most ? undefined : Math.max(...found.map(({ last }) => last)) };
    },
  };
}

export type TurnStore = ReturnType<typeof createTurnStore>;

function toTurn(row: Selectable<Tables['device_turns']>): Turn {
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
