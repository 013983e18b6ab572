import { setImmediate } from 'node:timers/promises';
import type { Selectable } from 'kysely';
import type { Database, Queries } from '../../../db/database.ts';
import type { Tables } from '../../../db/tables.ts';
import type { PriceArea, ProductionType } from '../../../sources/contract/market.ts';

/** A stored slot, with the source's own figures. */
export interface StoredProduction extends Readonly<Record<ProductionType, number | null>> {
  readonly area: PriceArea;
  readonly start: number;
  readonly length_min: number;
  readonly total: number;
  readonly source: string;
}

export type SourceState = Selectable<Tables['production_sources']>;

const COLUMNS = [
  'area',
  'start',
  'length_min',
  'total',
  'hydro',
  'nuclear',
  'wind',
  'solar',
  'thermal',
  'other',
  'source',
] as const;
/** A row has 12 parameters; SQLite takes 32,766 in a statement. */
const ROWS_A_STATEMENT = 500;
/** Rows per query: about two milliseconds of the embedded engine, which blocks the process for that time. */
const ROWS_A_BATCH = 200;

/** All SQL for `production` and `production_sources`. */
export function createProductionStore({ queries }: Pick<Database, 'queries'>) {
  /** Slots of an area that start from `from` to before `until`, by time. */
  const slots = (from: Queries, range: { area: PriceArea; from: number; until: number }) =>
    from
      .selectFrom('production')
      .select(COLUMNS)
      .where('area', '=', range.area)
      .where('start', '>=', range.from)
      .where('start', '<', range.until)
      .orderBy('start');

  return {
    async inRange(
      from: Queries,
      range: { area: PriceArea; from: number; until: number },
    ): Promise<StoredProduction[]> {
      return (await slots(from, range).execute()) as StoredProduction[];
    },

    /** The same in batches, without an open query between them, so that other tasks run. */
    async *read(range: {
      area: PriceArea;
      from: number;
      until: number;
    }): AsyncGenerator<readonly StoredProduction[]> {
      let { from } = range;
      for (;;) {
        const rows = (await slots(queries, { ...range, from })
          .limit(ROWS_A_BATCH)
          .execute()) as StoredProduction[];
        if (rows.length > 0) yield rows;
        const last = rows.at(-1);
        if (last === undefined || rows.length < ROWS_A_BATCH) return;
        from = last.start + 1;
        await setImmediate();
      }
    },

    /** The newest slot of an area. */
    async newest(area: PriceArea): Promise<StoredProduction | undefined> {
      const row = await queries
        .selectFrom('production')
        .select(COLUMNS)
        .where('area', '=', area)
        .orderBy('start', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row as StoredProduction | undefined;
    },

    /** Inserts slots, or replaces those with the same area and start. */
    async put(into: Queries, rows: readonly StoredProduction[], changedAt: number): Promise<void> {
      for (let first = 0; first < rows.length; first += ROWS_A_STATEMENT) {
        await into
          .insertInto('production')
          .values(
            rows.slice(first, first + ROWS_A_STATEMENT).map((row) => ({ ...row, changed_at: changedAt })),
          )
          .onConflict((conflict) =>
            conflict.columns(['area', 'start']).doUpdateSet((eb) => ({
              length_min: eb.ref('excluded.length_min'),
              total: eb.ref('excluded.total'),
              hydro: eb.ref('excluded.hydro'),
              nuclear: eb.ref('excluded.nuclear'),
              wind: eb.ref('excluded.wind'),
              solar: eb.ref('excluded.solar'),
              thermal: eb.ref('excluded.thermal'),
              other: eb.ref('excluded.other'),
              source: eb.ref('excluded.source'),
              changed_at: eb.ref('excluded.changed_at'),
            })),
          )
          .execute();
      }
    },

    async sourceState(slug: string): Promise<SourceState | undefined> {
      return queries.selectFrom('production_sources').selectAll().where('slug', '=', slug).executeTakeFirst();
    },

    async saveSourceState(state: SourceState): Promise<void> {
      const { slug: _, ...rest } = state;
      await queries
        .insertInto('production_sources')
        .values(state)
        .onConflict((conflict) => conflict.column('slug').doUpdateSet(rest))
        .execute();
    },
  };
}

export type ProductionStore = ReturnType<typeof createProductionStore>;
