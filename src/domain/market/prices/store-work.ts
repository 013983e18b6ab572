import type { Selectable } from 'kysely';
import type { Database } from '../../../db/database.ts';
import type { Tables } from '../../../db/tables.ts';
import type { Day, PriceArea } from '../../../sources/contract/market.ts';
import { daysBetween } from './calendar.ts';
import { type Backfill, SOURCE_OUTCOMES, type SourceHealth } from './shapes.ts';

export interface StoredRate {
  readonly day: Day;
  readonly source: string;
  readonly sekPerEur: string;
}

/** All SQL for `price_sources` and `exchange_rates`. */
export function createSourceStore(database: Database) {
  const { queries } = database;
  return {
    async saveHealth(health: SourceHealth): Promise<void> {
      const { source, ...rest } = health;
      await queries
        .insertInto('price_sources')
        .values(health)
        .onConflict((conflict) => conflict.column('source').doUpdateSet(rest))
        .execute();
    },

    async health(): Promise<SourceHealth[]> {
      const rows = await queries.selectFrom('price_sources').selectAll().orderBy('source').execute();
      return rows.flatMap((row) => {
        const outcome = SOURCE_OUTCOMES.find((one) => one === row.outcome);
        return outcome === undefined ? [] : [{ ...row, outcome }];
      });
    },

    async saveRate(rate: StoredRate, now: number): Promise<void> {
      await queries
        .insertInto('exchange_rates')
        .values({ day: rate.day, source: rate.source, sek_per_eur: rate.sekPerEur, fetched_at: now })
        .onConflict((conflict) =>
          conflict.columns(['day', 'source']).doUpdateSet({ sek_per_eur: rate.sekPerEur, fetched_at: now }),
        )
        .execute();
    },

    /** Rates of days from `from` to `until`, both included: published ones, and those that price sources stated. */
    async rates(from: Day, until: Day): Promise<StoredRate[]> {
      const published = await queries
        .selectFrom('exchange_rates')
        .select(['day', 'source', 'sek_per_eur as sekPerEur'])
        .where('day', '>=', from)
        .where('day', '<=', until)
        .execute();
      const stated = await queries
        .selectFrom('price_days')
        .select(['day', 'source'])
        .select((eb) => eb.fn.max('exchange_rate').as('sekPerEur'))
        .where('day', '>=', from)
        .where('day', '<=', until)
        .where('converted', '=', 0)
        .where('exchange_rate', 'is not', null)
        .groupBy(['day', 'source'])
        .execute();
      return [
        ...published,
        ...stated.flatMap(({ sekPerEur, ...rest }) => (sekPerEur === null ? [] : [{ ...rest, sekPerEur }])),
      ];
    },
  };
}

export type SourceStore = ReturnType<typeof createSourceStore>;

/** A back-fill with its current day. */
export interface StoredBackfill extends Backfill {
  readonly nextDay: string;
}

const LISTED = 100;

/** All SQL for `price_backfills`. */
export function createBackfillStore(database: Database) {
  const { queries } = database;
  return {
    /** False when another one is running. */
    async insert(backfill: StoredBackfill): Promise<boolean> {
      const { numInsertedOrUpdatedRows } = await queries
        .insertInto('price_backfills')
        .values({
          id: backfill.id,
          from_day: backfill.from,
          until_day: backfill.until,
          areas_json: JSON.stringify(backfill.areas),
          refresh: backfill.refresh ? 1 : 0,
          created_at: backfill.created_at,
          ...progressOf(backfill),
        })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirstOrThrow();
      return (numInsertedOrUpdatedRows ?? 0n) > 0n;
    },

    /** Saves the progress; false when it is no longer running. */
    async save(backfill: StoredBackfill): Promise<boolean> {
      const { numUpdatedRows } = await queries
        .updateTable('price_backfills')
        .set(progressOf(backfill))
        .where('id', '=', backfill.id)
        .where('status', '=', 'running')
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    /** Answers whether it was still running. */
    async cancel(id: string, now: number): Promise<boolean> {
      const { numUpdatedRows } = await queries
        .updateTable('price_backfills')
        .set({ status: 'cancelled', updated_at: now, finished_at: now })
        .where('id', '=', id)
        .where('status', '=', 'running')
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    async find(id: string): Promise<StoredBackfill | undefined> {
      const row = await queries
        .selectFrom('price_backfills')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirst();
      return row === undefined ? undefined : backfillOf(row);
    },

    async running(): Promise<StoredBackfill | undefined> {
      const row = await queries
        .selectFrom('price_backfills')
        .selectAll()
        .where('status', '=', 'running')
        .executeTakeFirst();
      return row === undefined ? undefined : backfillOf(row);
    },

    async list(): Promise<StoredBackfill[]> {
      const rows = await queries
        .selectFrom('price_backfills')
        .selectAll()
        .orderBy('created_at', 'desc')
        .orderBy('id')
        .limit(LISTED)
        .execute();
      return rows.map(backfillOf);
    },
  };
}

export type BackfillStore = ReturnType<typeof createBackfillStore>;

function progressOf(backfill: StoredBackfill) {
  return {
    status: backfill.status,
    next_day: backfill.nextDay,
    days_done: backfill.days_done,
    days_skipped: backfill.days_skipped,
    days_missing: backfill.days_missing,
    days_failed: backfill.days_failed,
    failures_json: JSON.stringify(backfill.failures),
    updated_at: backfill.updated_at,
    finished_at: backfill.finished_at,
  };
}

function backfillOf(row: Selectable<Tables['price_backfills']>): StoredBackfill {
  return {
    id: row.id,
    from: row.from_day,
    until: row.until_day,
    areas: JSON.parse(row.areas_json) as PriceArea[],
    refresh: row.refresh === 1,
    status: row.status as Backfill['status'],
    days_total: daysBetween(row.from_day, row.until_day) + 1,
    days_done: row.days_done,
    days_skipped: row.days_skipped,
    days_missing: row.days_missing,
    days_failed: row.days_failed,
    failures: JSON.parse(row.failures_json) as Backfill['failures'],
    created_at: row.created_at,
    updated_at: row.updated_at,
    finished_at: row.finished_at,
    nextDay: row.next_day,
  };
}
