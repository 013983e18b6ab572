import { type Selectable, type SelectQueryBuilder, sql } from 'kysely';
import { HOUR_MS, MINUTE_MS } from '../../../core/durations.ts';
import { dayAt } from '../../../core/swedish-days.ts';
import type { Database, Queries } from '../../../db/database.ts';
import type { Tables } from '../../../db/tables.ts';
import { type Day, PRICE_AREAS, type PriceArea } from '../../../sources/contract/market.ts';
import { type DayPrices, type DaySlot, dailyMean, fingerprintOf } from './money.ts';
import type { DaySource, StoredMonth } from './shapes.ts';

/** A stored day without its slots. */
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

/** A slot with its price in kronor alone. */
export type PricedSlot = Pick<DaySlot, 'start' | 'end' | 'sek'>;

/** The longest slot: older prices are of hours. */
const LONGEST_SLOT_MS = HOUR_MS;

/** All SQL for `prices` and `price_days`. */
export function createPriceStore(database: Database) {
  const { queries, events } = database;

  const replaceSlots = async (into: Queries, { area, day, start, end, slots }: DayPrices): Promise<void> => {
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

  /** Tells the accounts with a link in the area that prices of a day are there. Of days that are over, nobody plans any more. */
  const announce = async (
    transaction: Queries,
    { area, day, source }: DayPrices,
    { now, isCorrection }: { readonly now: number; readonly isCorrection: boolean },
  ): Promise<void> => {
    if (day < dayAt(now)) return;
    const accounts = await transaction
      .selectFrom('links')
      .select('account_id')
      .distinct()
      .where('price_area', '=', area)
      .orderBy('account_id')
      .execute();
    await events.append(
      transaction,
      accounts.map(({ account_id: account }) => ({
        ...{ account, type: 'prices.published', link: null, occurredAt: now },
        data: { price_area: area, day, corrected: isCorrection, source },
      })),
    );
  };

  /** Days of every area from `from` to `until`, both included. */
  const daysBetween = (from: Day, until: Day) =>
    queries
      .selectFrom('price_days')
      .where('day', '>=', from)
      .where('day', '<=', until)
      .orderBy('day')
      .orderBy('area');

  return {
    /** Replaces a whole day; one with the same prices is only marked as checked. */
    store(day: DayPrices, now: number): Promise<'stored' | 'corrected' | 'unchanged'> {
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
          await announce(transaction, day, { now, isCorrection: false });
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
        // First, so that on PostgreSQL a second writer of the same day waits here.
        await ofDay.set({ ...dayColumns(day), fetched_at: now, checked_at: now }).execute();
        await replaceSlots(transaction, day);
        await announce(transaction, day, { now, isCorrection: true });
        return 'corrected';
      });
    },

    /** Facts of the days from `from` to `until`, both included, of every area. */
    async facts(from: Day, until: Day): Promise<DayFacts[]> {
      const rows = await daysBetween(from, until).selectAll().execute();
      return rows.flatMap((row) => inArea(row, (area) => factsOf(row, area)));
    },

    /** The source of each day from `from` to `until`, both included, by day and area. */
    async sourcesOfDays(from: Day, until: Day): Promise<DaySource[]> {
      const rows = await daysBetween(from, until).select(['area', 'day', 'source']).execute();
      return rows.flatMap((row) => inArea(row, (area) => ({ area, day: row.day, source: row.source })));
    },

    /** How many days of each month until a day are stored, by month and area. */
    async months(until: Day): Promise<StoredMonth[]> {
      const month = sql<string>`substr(day, 1, 7)`;
      const rows = await queries
        .selectFrom('price_days')
        .select(['area', month.as('month'), (eb) => eb.fn.countAll().as('days')])
        .where('day', '<=', until)
        .groupBy(['area', month])
        .orderBy('month')
        .orderBy('area')
        .execute();
      return rows.flatMap((row) =>
        inArea(row, (area) => ({ area, month: row.month, days: Number(row.days) })),
      );
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

    /** Stored slots that share time with a range, in order. As one text: rows take several times as long on both engines. */
    async between(range: {
      readonly area: PriceArea;
      readonly from: number;
      readonly until: number;
    }): Promise<PricedSlot[]> {
      const row = await queries
        .selectFrom('prices')
        .select(SEK_TEXT.as('slots'))
        .where('area', '=', range.area)
        .where('start_at', '>', range.from - LONGEST_SLOT_MS)
        .where('start_at', '<', range.until)
        .where('end_at', '>', range.from)
        .executeTakeFirst();
      if (row?.slots == null) return [];
      return row.slots.split(',').map((one) => {
        const [start, end, sek = ''] = one.split(' ');
        return { start: Number(start), end: Number(end), sek };
      });
    },

    /** The next stored slots by time, about `slots` of them: whole days, and at least one. */
    async page(query: {
      readonly area: PriceArea;
      readonly from: number;
      readonly until: number;
      readonly slots: number;
    }): Promise<StoredSlot[]> {
      const next = await queries
        .selectFrom('price_days')
        .select(['start_at', 'end_at', 'slot_min', 'source', 'converted'])
        .where('area', '=', query.area)
        .where('end_at', '>', query.from)
        .where('start_at', '<', query.until)
        .orderBy('day')
        .limit(Math.ceil(query.slots / FEWEST_SLOTS_A_DAY))
        .execute();
      const days = firstDays(next, query.slots);
      const [first] = days;
      const last = days.at(-1);
      if (first === undefined || last === undefined) return [];
      const slots = await slotsOf({
        area: query.area,
        from: Math.max(query.from, first.start_at),
        until: Math.min(query.until, last.end_at),
      });
      let index = 0;
      return slots.flatMap((slot): StoredSlot[] => {
        while ((days[index]?.end_at ?? Number.POSITIVE_INFINITY) <= slot.start) index += 1;
        const day = days[index];
        // A day stored between the two queries is left to the next reader.
        if (day === undefined || slot.start < day.start_at) return [];
        return [{ ...slot, source: day.source, converted: day.converted === 1 }];
      });
    },
  };

  /** PostgreSQL joins the slots into one text: its driver takes four times as long for one row per slot. */
  function slotsOf(range: { area: PriceArea; from: number; until: number }): Promise<DaySlot[]> {
    const slots = queries
      .selectFrom('prices')
      .where('area', '=', range.area)
      .where('start_at', '>=', range.from)
      .where('start_at', '<', range.until);
    return database.engine === 'sqlite' ? rowsOf(slots) : gatheredOf(slots);
  }
}

/** Hours of the day on which summer time starts. */
const FEWEST_SLOTS_A_DAY = 23;

/** The leading days that fit into `slots` together, at least the first. */
function firstDays<
  D extends { readonly start_at: number; readonly end_at: number; readonly slot_min: number },
>(days: readonly D[], slots: number): readonly D[] {
  let together = 0;
  const tooFar = days.findIndex(({ start_at, end_at, slot_min }) => {
    together += (end_at - start_at) / (slot_min * MINUTE_MS);
    return together > slots;
  });
  return tooFar < 0 ? days : days.slice(0, Math.max(1, tooFar));
}

const SEK_TEXT = sql<
  string | null
>`string_agg(start_at || ' ' || end_at || ' ' || sek, ',' order by start_at)`;

type Slots = SelectQueryBuilder<Tables, 'prices', object>;

async function rowsOf(slots: Slots): Promise<DaySlot[]> {
  const rows = await slots.select(['start_at', 'end_at', 'sek', 'eur']).orderBy('start_at').execute();
  return rows.map(({ start_at, end_at, sek, eur }) => ({ start: start_at, end: end_at, sek, eur }));
}

async function gatheredOf(slots: Slots): Promise<DaySlot[]> {
  const text = sql<
    string | null
  >`string_agg(start_at || ' ' || end_at || ' ' || sek || ' ' || coalesce(eur, ''), ',' order by start_at)`;
  const row = await slots.select(text.as('slots')).executeTakeFirst();
  if (row?.slots == null) return [];
  return row.slots.split(',').map((one) => {
    const [start, end, sek = '', eur = ''] = one.split(' ');
    return { start: Number(start), end: Number(end), sek, eur: eur === '' ? null : eur };
  });
}

export type PriceStore = ReturnType<typeof createPriceStore>;

function dayColumns(day: DayPrices) {
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

type DayRow = Omit<Selectable<Tables['price_days']>, 'fetched_at'>;

/** What `shape` makes of a row; nothing for an area that is none of ours. */
function inArea<T>(row: { readonly area: string }, shape: (area: PriceArea) => T): T[] {
  const area = PRICE_AREAS.find((one) => one === row.area);
  return area === undefined ? [] : [shape(area)];
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
