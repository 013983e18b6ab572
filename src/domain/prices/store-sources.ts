import type { Database } from '../../db/database.ts';
import type { Day } from '../../sources/contract/market.ts';
import { SOURCE_OUTCOMES, type SourceHealth } from './shapes.ts';

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
