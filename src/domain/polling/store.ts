import { type Selectable, sql } from 'kysely';
import type { LinkKey } from '../../adapter/session.ts';
import type { Database } from '../../db/database.ts';
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

export interface Demand {
  readonly vendor: string;
  readonly turns: number;
  /** Turns a second, if each came when it is planned. */
  readonly perSecond: number;
}

/** Further than any moment that comes. */
export const NEVER = Number.MAX_SAFE_INTEGER;

/** Rows of a statement. */
const BATCH = 500;

/** The only SQL for `device_turns`. */
export function createTurnStore(database: Database) {
  const { queries } = database;
  const isPostgres = database.engine === 'postgres';
  return {
    /** Adds turns; of one that is there already, the nearer moment counts. */
    async add(turns: readonly NewTurn[]): Promise<void> {
      for (let from = 0; from < turns.length; from += BATCH)
        await queries
          .insertInto('device_turns')
          .values(
            turns.slice(from, from + BATCH).map((turn) => ({
              account_id: turn.account,
              link_id: turn.link,
              device_id: turn.device,
              vendor: turn.vendor,
              due_at: turn.dueAt,
              interval_s: turn.intervalSeconds,
              failures: 0,
              planned_at: null,
              hinted_at: null,
              active_until: null,
            })),
          )
          .onConflict((conflict) =>
            conflict
              .columns(['account_id', 'link_id', 'device_id'])
              .doUpdateSet((eb) => ({ due_at: eb.ref('excluded.due_at'), failures: 0 }))
              .whereRef('device_turns.due_at', '>', 'excluded.due_at'),
          )
          .execute();
    },

    /** Links or devices of a vendor that have no turn yet. */
    async missing(vendor: string, of: 'links' | 'devices', most: number): Promise<TurnKey[]> {
      if (of === 'links') {
        const rows = await queries
          .selectFrom('links')
          .leftJoin('device_turns as turn', (join) =>
            join
              .onRef('turn.account_id', '=', 'links.account_id')
              .onRef('turn.link_id', '=', 'links.id')
              .on('turn.device_id', '=', ''),
          )
          .select(['links.account_id', 'links.id'])
          .where('links.vendor', '=', vendor)
          .where('turn.id', 'is', null)
          .limit(most)
          .execute();
        return rows.map((row) => ({ account: row.account_id, link: row.id, device: '' }));
      }
      const rows = await queries
        .selectFrom('devices')
        .leftJoin('device_turns as turn', (join) =>
          join
            .onRef('turn.account_id', '=', 'devices.account_id')
            .onRef('turn.link_id', '=', 'devices.link_id')
            .onRef('turn.device_id', '=', 'devices.id'),
        )
        .select(['devices.account_id', 'devices.link_id', 'devices.id'])
        .where('devices.vendor', '=', vendor)
        .where('turn.id', 'is', null)
        .limit(most)
        .execute();
      return rows.map((row) => ({ account: row.account_id, link: row.link_id, device: row.id }));
    },

    /** Takes what is due, for nobody else to take before `until`. */
    async claim(vendor: string, at: { now: number; until: number; most: number }): Promise<Turn[]> {
      const rows = await queries
        .with(
          (cte) => cte('due').materialized(),
          (db) => {
            const due = db
              .selectFrom('device_turns')
              .select('id')
              .where('vendor', '=', vendor)
              .where('due_at', '<=', at.now)
              .orderBy('due_at')
              .limit(at.most);
            return isPostgres ? due.forUpdate().skipLocked() : due;
          },
        )
        .updateTable('device_turns')
        .set((eb) => ({ due_at: at.until, planned_at: eb.ref('due_at') }))
        .where('id', 'in', (eb) => eb.selectFrom('due').select('due.id'))
        .returningAll()
        .execute();
      return rows.map(toTurn);
    },

    /** Plans the next turn of each, but of those that somebody has called for meanwhile. */
    async finish(finished: readonly Finished[]): Promise<void> {
      if (finished.length === 0) return;
      const rows = JSON.stringify(
        finished.map(({ turn, dueAt, intervalSeconds, failures, askedAt }) => ({
          id: turn.id,
          claimed: turn.claimedUntil,
          due: dueAt,
          interval: intervalSeconds,
          failures,
          asked: askedAt ?? -1,
        })),
      );
      const values = isPostgres
        ? sql`json_to_recordset(${rows}::json) as v(id bigint, claimed bigint, due bigint, interval float8, failures int, asked bigint)`
        : sql`(select value ->> 'id' as id, value ->> 'claimed' as claimed, value ->> 'due' as due,
            value ->> 'interval' as interval, value ->> 'failures' as failures, value ->> 'asked' as asked
            from json_each(${rows})) as v`;
      await sql`
        update device_turns set
          due_at = case when device_turns.due_at = v.claimed then v.due else device_turns.due_at end,
          interval_s = v.interval,
          failures = v.failures,
          hinted_at = case when device_turns.hinted_at <= v.asked then null else device_turns.hinted_at end
        from ${values} where device_turns.id = v.id`.execute(queries);
    },

    /** The device has changed: its turn comes now. Adds a turn where there is none. */
    async hint(turns: readonly (TurnKey & { vendor: string })[], now: number): Promise<void> {
      for (let from = 0; from < turns.length; from += BATCH)
        await queries
          .insertInto('device_turns')
          .values(
            turns.slice(from, from + BATCH).map((turn) => ({
              account_id: turn.account,
              link_id: turn.link,
              device_id: turn.device,
              vendor: turn.vendor,
              due_at: now,
              interval_s: 0,
              failures: 0,
              planned_at: null,
              hinted_at: now,
              active_until: null,
            })),
          )
          .onConflict((conflict) =>
            conflict
              .columns(['account_id', 'link_id', 'device_id'])
              .doUpdateSet((eb) => ({ due_at: eb.ref('excluded.due_at'), hinted_at: now })),
          )
          .execute();
    },

    /** It was commanded: it is read more often for a while, and by `dueAt` for the first time. */
    async activate(key: TurnKey, until: number, dueAt: number): Promise<void> {
      await queries
        .updateTable('device_turns')
        .set((eb) => ({
          active_until: until,
          due_at: eb.case().when('due_at', '>', dueAt).then(dueAt).else(eb.ref('due_at')).end(),
        }))
        .where('account_id', '=', key.account)
        .where('link_id', '=', key.link)
        .where('device_id', '=', key.device)
        .execute();
    },

    /** All turns of a link come by then. */
    async bringForward({ account, link }: LinkKey, dueAt: number): Promise<void> {
      await queries
        .updateTable('device_turns')
        .set({ due_at: dueAt })
        .where('account_id', '=', account)
        .where('link_id', '=', link)
        .where('due_at', '>', dueAt)
        .execute();
    },

    /** No turn of the link comes before that. */
    async holdBack({ account, link }: LinkKey, until: number): Promise<void> {
      await queries
        .updateTable('device_turns')
        .set({ due_at: until })
        .where('account_id', '=', account)
        .where('link_id', '=', link)
        .where('due_at', '<', until)
        .execute();
    },

    async remove(id: number): Promise<void> {
      await queries.deleteFrom('device_turns').where('id', '=', id).execute();
    },

    /** How many turns each vendor has, and how many fall into a second; `before` leaves out those that never come. */
    async demand(before: number): Promise<Demand[]> {
      const rows = await queries
        .selectFrom('device_turns')
        .select(({ fn }) => [
          'vendor',
          fn.countAll<number>().as('turns'),
          sql<number | null>`sum(case when interval_s > 0 then 1.0 / interval_s end)`.as('per_second'),
        ])
        .where('due_at', '<', before)
        .groupBy('vendor')
        .execute();
      return rows.map((row) => ({
        vendor: row.vendor,
        turns: Number(row.turns),
        perSecond: Number(row.per_second ?? 0),
      }));
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
