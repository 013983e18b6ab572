import type { Database } from '../../db/database.ts';

export interface WindowKey {
  readonly vendor: string;
  readonly rule: string;
  readonly subject: string;
  /** ms since 1970. */
  readonly start: number;
}

export interface Use extends WindowKey {
  readonly used: number;
}

/** Rows of a statement; SQLite takes 32,766 variables. */
const BATCH = 1_000;

/** The only SQL for `vendor_budgets`. */
export function createBudgetStore(database: Database) {
  const { queries } = database;
  return {
    /** What all processes have used in the windows of a subject that start at one of `starts`. */
    async used(
      { vendor, rule, subject }: Omit<WindowKey, 'start'>,
      starts: readonly number[],
    ): Promise<ReadonlyMap<number, number>> {
      const rows = await queries
        .selectFrom('vendor_budgets')
        .select(['window_start', 'used'])
        .where('vendor', '=', vendor)
        .where('rule', '=', rule)
        .where('subject', '=', subject)
        .where('window_start', 'in', [...starts])
        .execute();
      return new Map(rows.map((row) => [row.window_start, row.used]));
    },

    /** Adds to what is stored, and answers what it then is, in the same order. */
    async add(uses: readonly Use[]): Promise<number[]> {
      const totals: number[] = [];
      for (let from = 0; from < uses.length; from += BATCH) {
        const batch = uses.slice(from, from + BATCH);
        const rows = await queries
          .insertInto('vendor_budgets')
          .values(
            batch.map(({ vendor, rule, subject, start, used }) => ({
              vendor,
              rule,
              subject,
              window_start: start,
              used,
            })),
          )
          .onConflict((conflict) =>
            conflict
              .columns(['vendor', 'rule', 'subject', 'window_start'])
              .doUpdateSet((eb) => ({ used: eb('vendor_budgets.used', '+', eb.ref('excluded.used')) })),
          )
          .returning(['vendor', 'rule', 'subject', 'window_start', 'used'])
          .execute();
        const byKey = new Map(
          rows.map((row) => [`${row.vendor} ${row.rule} ${row.subject} ${row.window_start}`, row.used]),
        );
        for (const { vendor, rule, subject, start, used } of batch)
          totals.push(byKey.get(`${vendor} ${rule} ${subject} ${start}`) ?? used);
      }
      return totals;
    },

    async removeBefore(start: number): Promise<void> {
      await queries.deleteFrom('vendor_budgets').where('window_start', '<', start).execute();
    },
  };
}
