import { sql } from 'kysely';
import { type Day, PRICE_AREAS, type PriceArea } from '../../adapter/market.ts';
import type { Database, Queries } from '../../db/database.ts';
import { type DaySlot, dailyMean, fingerprintOf, type KnownDay } from './known-day.ts';

/** What is stored of a day besides its slots. */
export interface DayFacts {
  readonly area: PriceArea;
  readonly day: Day;
  readonly start: number;
  readonly end: number;
  readonly slotMin: number;
  readonly mean: string;
  readonly exchangeRate: string | null;
  readonly converted: boolean;
  readonly source: string;
  readonly publishedAt: number | null;
  readonly fingerprint: string;
  readonly checkedAt: number;
}

export interface StoredDay extends DayFacts {
  readonly slots: readonly DaySlot[];
}

export interface StoredSlot extends DaySlot {
  readonly source: string;
  readonly converted: boolean;
}

/** The only SQL for `prices` and `price_days`. */
export function createPriceStore(database: Database) {
  const { queries } = database;

  const replaceSlots = async (into: Queries, { area, day, start, end, slots }: KnownDay): Promise<void> => {
    await into
      .deleteFrom('prices')
      .where('area', '=', area)
      .where('start_at', '>=', start)
      .where('start_at', '<', end)
      .execute();
    // A day has at most 100 slots, so one statement stays far below SQLite's 32,766 variables.
    await into
      .insertInto('prices')
      .values(
        slots.map((slot) => ({
          area,
          start_at: slot.start,
          end_at: slot.end,
          day,
          sek: slot.sek,
          eur: slot.eur,
        })),
      )
      .execute();
  };

  return {
    /** Stores a day whole, in place of what was there of it; one with the same prices is only noted as checked. */
    store(day: KnownDay, now: number): Promise<'stored' | 'corrected' | 'unchanged'> {
      return database.transaction(async (transaction) => {
        const { numInsertedOrUpdatedRows } = await transaction
          .insertInto('price_days')
          .values({
            area: day.area,
            day: day.day,
            ...dayColumns(day),
            fetched_at: now,
            checked_at: now,
          })
          .onConflict((conflict) => conflict.columns(['area', 'day']).doNothing())
          .executeTakeFirstOrThrow();
        if ((numInsertedOrUpdatedRows ?? 0n) > 0n) {
          await replaceSlots(transaction, day);
          return 'stored';
        }
        const ofDay = transaction
          .updateTable('price_days')
          .where('area', '=', day.area)
          .where('day', '=', day.day);
        const { numUpdatedRows } = await ofDay
          .set({ checked_at: now })
          .where('fingerprint', '=', fingerprintOf(day))
          .executeTakeFirst();
        if (numUpdatedRows > 0n) return 'unchanged';
        // Before its slots: on PostgreSQL a second writer of the same day then waits here.
        await ofDay.set({ ...dayColumns(day), fetched_at: now, checked_at: now }).execute();
        await replaceSlots(transaction, day);
        return 'corrected';
      });
    },

    /** Facts of the days from `from` to `until`, both included, of every area. */
    async facts(from: Day, until: Day): Promise<DayFacts[]> {
      const rows = await queries
        .selectFrom('price_days')
        .selectAll()
        .where('day', '>=', from)
        .where('day', '<=', until)
        .orderBy('day')
        .orderBy('area')
        .execute();
      return rows.flatMap((row) => {
        const area = PRICE_AREAS.find((one) => one === row.area);
        return area === undefined ? [] : [factsOf(row, area)];
      });
    },

    /** Slots of one stored day, in order. */
    async slots({ area, start, end }: Pick<DayFacts, 'area' | 'start' | 'end'>): Promise<DaySlot[]> {
      const rows = await queries
        .selectFrom('prices')
        .select(['start_at', 'end_at', 'sek', 'eur'])
        .where('area', '=', area)
        .where('start_at', '>=', start)
        .where('start_at', '<', end)
        .orderBy('start_at')
        .execute();
      return rows.map((row) => ({ start: row.start_at, end: row.end_at, sek: row.sek, eur: row.eur }));
    },

    /**
     * Slots of the next `days` days that have some, by time. What a day's slots are is gathered by the database into one text: a row
     * for each slot would take the PostgreSQL driver four times as long.
     */
    async page(query: {
      readonly area: PriceArea;
      readonly from: number;
      readonly until: number;
      readonly days: number;
    }): Promise<StoredSlot[]> {
      const slot = sql`prices.start_at || ' ' || prices.end_at || ' ' || prices.sek || ' ' || coalesce(prices.eur, '')`;
      const gathered =
        database.engine === 'sqlite'
          ? sql<string>`group_concat(${slot}, ',' order by prices.start_at)`
          : sql<string>`string_agg(${slot}, ',' order by prices.start_at)`;
      const rows = await queries
        .selectFrom('prices')
        .innerJoin('price_days', (join) =>
          join.onRef('price_days.area', '=', 'prices.area').onRef('price_days.day', '=', 'prices.day'),
        )
        .select(['price_days.source', 'price_days.converted', gathered.as('slots')])
        .where('prices.area', '=', query.area)
        .where('prices.start_at', '>=', query.from)
        .where('prices.start_at', '<', query.until)
        .groupBy(['prices.day', 'price_days.source', 'price_days.converted'])
        .orderBy('prices.day')
        .limit(query.days)
        .execute();
      return rows.flatMap(({ source, converted, slots }) =>
        slots.split(',').map((text): StoredSlot => {
          const [start, end, sek = '', eur = ''] = text.split(' ');
          return {
            start: Number(start),
            end: Number(end),
            sek,
            eur: eur === '' ? null : eur,
            source,
            converted: converted === 1,
          };
        }),
      );
    },
  };
}

export type PriceStore = ReturnType<typeof createPriceStore>;

function dayColumns(day: KnownDay) {
  return {
    start_at: day.start,
    end_at: day.end,
    slot_min: day.slotMin,
    mean: dailyMean(day),
    exchange_rate: day.exchangeRate,
    converted: day.converted ? 1 : 0,
    source: day.source,
    published_at: day.publishedAt,
    fingerprint: fingerprintOf(day),
  };
}

interface DayRow {
  day: string;
  start_at: number;
  end_at: number;
  slot_min: number;
  mean: string;
  exchange_rate: string | null;
  converted: number;
  source: string;
  published_at: number | null;
  fingerprint: string;
  checked_at: number;
}

function factsOf(row: DayRow, area: PriceArea): DayFacts {
  return {
    area,
    day: row.day,
    start: row.start_at,
    end: row.end_at,
    slotMin: row.slot_min,
    mean: row.mean,
    exchangeRate: row.exchange_rate,
    converted: row.converted === 1,
    source: row.source,
    publishedAt: row.published_at,
    fingerprint: row.fingerprint,
    checkedAt: row.checked_at,
  };
}
