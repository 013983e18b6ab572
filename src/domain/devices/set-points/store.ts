import { type Selectable, sql } from 'kysely';
import type { LinkKey } from '../../../adapter/session.ts';
import { claimRows } from '../../../db/claim.ts';
import type { Database, Queries } from '../../../db/database.ts';
import type { Tables } from '../../../db/tables.ts';
import type { LinksOf } from '../devices/index.ts';
import { type Planned, RELEASE_MS, type ReleaseReason, type State } from './plan.ts';

export interface SetPointKey {
  readonly account: number;
  readonly vendor: string;
  readonly device: string;
  readonly type: string;
}

/** A set-point as it was when somebody looked: only the newest version may be acted on. */
export interface Versioned extends SetPointKey {
  readonly version: string;
}

export interface SetPointRow extends Versioned, Planned {
  readonly link: string;
  readonly commandJson: string;
  readonly keyId: string;
  readonly since: number;
  readonly failures: number;
  readonly error: string | null;
  readonly reason: string | null;
  /** When the link was made that is deleted once its set-points are released. */
  readonly removesLinkOf: number | null;
  /** Since when it could be neither renewed nor released. */
  readonly failingSince: number | null;
  /** Its gateway has what releases it. */
  readonly hasWill: boolean;
}

interface Beginning extends Versioned {
  readonly link: string;
  readonly keyId: string;
  readonly commandJson: string;
  readonly revertMs: number | null;
  /** A process that has not said by then what became of it is treated as dead. */
  readonly claimMs: number;
}

interface Taken {
  /** When the device took it, ms since 1970. */
  readonly at: number;
  readonly until: number | null;
  readonly endsByItself: boolean;
  readonly revertMs: number | null;
  readonly dueMs: number;
}

interface Releasing {
  readonly reason: ReleaseReason | undefined;
  /** Acts on no other version than this. */
  readonly ifStill?: string;
  readonly removesLinkOf?: number;
  readonly claimMs: number;
}

const NOT_FAILING = { failures: 0, error: null, failing_since: null } as const;

/** The only SQL for `set_points`. */
export function createSetPointStore(database: Database) {
  const { engine, queries, moments } = database;
  const inMs = (ms: number) => sql<number>`${moments.now} + ${Math.round(ms)}`;

  const change = ({ account, vendor, device, type }: SetPointKey) =>
    queries
      .updateTable('set_points')
      .where('account_id', '=', account)
      .where('vendor', '=', vendor)
      .where('device_id', '=', device)
      .where('command_type', '=', type);
  const ofVersion = (of: Versioned) => change(of).where('version', '=', of.version);
  const removal = ({ account, vendor, device, type, version }: Versioned) =>
    queries
      .deleteFrom('set_points')
      .where('account_id', '=', account)
      .where('vendor', '=', vendor)
      .where('device_id', '=', device)
      .where('command_type', '=', type)
      .where('version', '=', version);

  return {
    /**
     * Notes a command before it is sent; what was in force stays noted until it is known what became of the command. False where the link is
     * gone, or is about to be deleted.
     */
    async begin({ account, link, ...begun }: Beginning): Promise<boolean> {
      const now = moments.now;
      const { rows } = await sql<{ version: string }>`
        insert into set_points (account_id, vendor, device_id, command_type, link_id, version, state, command_json, next_json,
          key_id, since, renewed_at, ends_by_itself, revert_ms, due_at, failures, has_will)
        select ${account}, ${begun.vendor}, ${begun.device}, ${begun.type}, id, ${begun.version}, 'sending',
          ${begun.commandJson}, ${begun.commandJson}, ${begun.keyId}, ${now}, ${now}, 0, cast(${begun.revertMs} as bigint),
          ${inMs(begun.claimMs)}, 0, 0
        from links where account_id = ${account} and id = ${link} ${engine === 'postgres' ? sql`for key share` : sql``}
        on conflict (account_id, vendor, device_id, command_type) do update
        set link_id = excluded.link_id, version = excluded.version, next_json = excluded.next_json, due_at = excluded.due_at
        where set_points.removes_link_of is null or set_points.removes_link_of <>
          (select updated_at from links where account_id = excluded.account_id and id = excluded.link_id)
        returning version`.execute(queries);
      return rows.length > 0;
    },

    /** The command that was noted is in force from now on. */
    async take(of: Versioned, { at, until, endsByItself, revertMs, dueMs }: Taken): Promise<void> {
      await ofVersion(of)
        .where('next_json', 'is not', null)
        .set((eb) => ({
          state: 'held',
          command_json: eb.fn.coalesce('next_json', 'command_json'),
          next_json: null,
          since: at,
          renewed_at: at,
          until,
          ends_by_itself: endsByItself ? 1 : 0,
          revert_ms: revertMs,
          due_at: at + dueMs,
          ...NOT_FAILING,
          releasing_since: null,
          reason: null,
          removes_link_of: null,
          has_will: 0,
        }))
        .execute();
      // The newest command counts, whichever account sent it: two that renew theirs would undo each other's for ever.
      await sql`
        delete from set_points
        where vendor = ${of.vendor} and device_id = ${of.device} and command_type = ${of.type} and account_id <> ${of.account}
          and exists (
            select 1 from links as theirs
            join links as ours on ours.vendor = theirs.vendor and ours.vendor_account = theirs.vendor_account
            join set_points as mine on mine.account_id = ours.account_id and mine.link_id = ours.id
            where theirs.account_id = set_points.account_id and theirs.id = set_points.link_id
              and mine.account_id = ${of.account} and mine.vendor = ${of.vendor}
              and mine.device_id = ${of.device} and mine.command_type = ${of.type}
          )`.execute(queries);
    },

    /** The command that was noted has not reached the device: what was in force still is. */
    async takeBack(of: Versioned): Promise<void> {
      await removal(of).where('state', '=', 'sending').execute();
      await ofVersion(of).set({ next_json: null, due_at: moments.now }).execute();
    },

    /** Nobody knows whether the command that was noted is in force. */
    async doubt(of: Versioned): Promise<void> {
      await ofVersion(of)
        .where('next_json', 'is not', null)
        .set((eb) => ({
          state: 'releasing',
          command_json: eb.fn.coalesce('next_json', 'command_json'),
          next_json: null,
          renewed_at: moments.now,
          until: null,
          ends_by_itself: 0,
          due_at: moments.now,
          ...NOT_FAILING,
          releasing_since: moments.now,
          reason: 'unknown',
        }))
        .execute();
    },

    /** Whether it is still the one that is to be sent again. */
    async isHeld(of: Versioned): Promise<boolean> {
      const row = await queries
        .selectFrom('set_points')
        .select('version')
        .where('account_id', '=', of.account)
        .where('vendor', '=', of.vendor)
        .where('device_id', '=', of.device)
        .where('command_type', '=', of.type)
        .where('version', '=', of.version)
        .where('state', 'in', ['held', 'paused'])
        .where('next_json', 'is', null)
        .executeTakeFirst();
      return row !== undefined;
    },

    /** It was sent again. */
    async renewed(of: Versioned, waitMs: number): Promise<void> {
      await ofVersion(of)
        .where('state', 'in', ['held', 'paused'])
        .set({ state: 'held', renewed_at: moments.now, due_at: inMs(waitMs), ...NOT_FAILING })
        .execute();
    },

    /** Begins a release; undefined where there is nothing to release, or it is no longer the version that was meant. */
    async release(
      of: SetPointKey & { readonly version: string },
      { reason, ifStill, removesLinkOf, claimMs }: Releasing,
    ): Promise<SetPointRow | undefined> {
      let changing = change(of).where('state', '<>', 'released');
      if (ifStill !== undefined) changing = changing.where('version', '=', ifStill);
      const row = await changing
        .set((eb) => ({
          version: of.version,
          state: 'releasing',
          next_json: null,
          due_at: inMs(claimMs),
          releasing_since: eb.fn.coalesce('releasing_since', moments.now),
          ...(reason === undefined ? {} : { reason }),
          ...(removesLinkOf === undefined ? {} : { removes_link_of: removesLinkOf }),
        }))
        .returningAll()
        .executeTakeFirst();
      return row === undefined ? undefined : toRow(row);
    },

    async failed(of: Versioned, { error, waitMs }: { error: string; waitMs: number }): Promise<void> {
      await ofVersion(of)
        .set((eb) => ({
          failures: eb('failures', '+', 1),
          error,
          due_at: inMs(waitMs),
          failing_since: eb.fn.coalesce('failing_since', moments.now),
        }))
        .execute();
    },

    /** Whether the gateway of the device has what releases it. */
    async willLeft(of: Versioned, isLeft: boolean): Promise<void> {
      await ofVersion(of)
        .set({ has_will: isLeft ? 1 : 0 })
        .execute();
    },

    /** Nothing is in force any more. */
    async forget(of: Versioned): Promise<void> {
      await removal(of).execute();
    },

    /** Nothing is in force any more, and its link is to be deleted. */
    async awaitUnlink(of: Versioned, waitMs: number): Promise<void> {
      await ofVersion(of)
        .set({ state: 'released', due_at: inMs(waitMs) })
        .execute();
    },

    /** It was released for as long as no process runs. */
    async pause(of: Versioned): Promise<void> {
      await ofVersion(of)
        .set({
          state: 'paused',
          due_at: moments.now,
          releasing_since: null,
          reason: null,
          has_will: 0,
          ...NOT_FAILING,
        })
        .execute();
    },

    async wait(of: Versioned, waitMs: number): Promise<void> {
      await ofVersion(of)
        .set({ due_at: inMs(waitMs) })
        .execute();
    },

    /** For the only process of its database: whatever is claimed was claimed by one that is dead. */
    async wakeAll(): Promise<void> {
      await queries.updateTable('set_points').set({ due_at: moments.now }).execute();
    },

    async claim(claimMs: number, most: number): Promise<SetPointRow[]> {
      const rows = await claimRows(database, {
        ...{ table: 'set_points', key: ['account_id', 'vendor', 'device_id', 'command_type'] },
        ...{ due: 'due_at', claimMs, most },
      });
      return rows.map(toRow);
    },

    /** When something is due next, ms since 1970; undefined where nothing is. */
    async nextDue(): Promise<number | undefined> {
      const { due } = await queries
        .selectFrom('set_points')
        .select(({ fn }) => fn.min('due_at').as('due'))
        .executeTakeFirstOrThrow();
      return due === null ? undefined : Number(due);
    },

    /** All that is in force and does not end by itself. */
    async held(most: number): Promise<SetPointRow[]> {
      const rows = await queries
        .selectFrom('set_points')
        .selectAll()
        .where('state', '=', 'held')
        .where('ends_by_itself', '=', 0)
        .orderBy('due_at')
        .limit(most)
        .execute();
      return rows.map(toRow);
    },

    async ofDevice(account: number, vendor: string, device: string): Promise<SetPointRow[]> {
      const rows = await queries
        .selectFrom('set_points')
        .selectAll()
        .where('account_id', '=', account)
        .where('vendor', '=', vendor)
        .where('device_id', '=', device)
        .where('state', '<>', 'released')
        .orderBy('command_type')
        .execute();
      return rows.map(toRow);
    },

    /** What is not released at the devices of a link. */
    async ofLink({ account, link }: LinkKey, on: Queries = queries): Promise<SetPointRow[]> {
      const rows = await on
        .selectFrom('set_points')
        .selectAll()
        .where('account_id', '=', account)
        .where('link_id', '=', link)
        .where('state', '<>', 'released')
        .orderBy('device_id')
        .execute();
      return rows.map(toRow);
    },

    /** Those of these links that are deleted once their set-points are released, with the moment at which that is given up. */
    async removals({ account, links }: LinksOf): Promise<Map<string, number>> {
      if (links.length === 0) return new Map();
      const rows = await queries
        .selectFrom('set_points')
        .innerJoin('links', (join) =>
          join
            .onRef('links.account_id', '=', 'set_points.account_id')
            .onRef('links.id', '=', 'set_points.link_id')
            .onRef('links.updated_at', '=', 'set_points.removes_link_of'),
        )
        .select(({ fn }) => ['set_points.link_id', fn.max('set_points.releasing_since').as('since')])
        .where('set_points.account_id', '=', account)
        .where('set_points.link_id', 'in', links)
        .groupBy('set_points.link_id')
        .execute();
      return new Map(rows.map((row) => [row.link_id, Number(row.since) + RELEASE_MS]));
    },
  };
}

export type SetPointStore = ReturnType<typeof createSetPointStore>;

function toRow(row: Selectable<Tables['set_points']>): SetPointRow {
  return {
    account: row.account_id,
    vendor: row.vendor,
    device: row.device_id,
    type: row.command_type,
    link: row.link_id,
    version: row.version,
    state: row.state as State,
    isInDoubt: row.next_json !== null,
    commandJson: row.command_json,
    keyId: row.key_id,
    since: row.since,
    renewedAt: row.renewed_at,
    until: row.until,
    endsByItself: row.ends_by_itself === 1,
    revertMs: row.revert_ms,
    failures: row.failures,
    error: row.error,
    releasingSince: row.releasing_since,
    reason: row.reason,
    removesLinkOf: row.removes_link_of,
    failingSince: row.failing_since,
    hasWill: row.has_will === 1,
  };
}
