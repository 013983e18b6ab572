import type { Adapter } from '../../adapter/adapter.ts';
import type { Database } from '../../db/database.ts';
import { usedOfShared } from './measured.ts';
import { createBudgetStore } from './store.ts';
import { startOf } from './window.ts';

/** What is used of a limit that all links of a vendor share. */
export interface SharedUse {
  readonly vendor: string;
  readonly limit: string;
  /** The used part of what elnav uses of it at all; calls are held back at 1. */
  readonly used: number;
}

/** The limits that all links share, as they are stored: for a process that makes no calls itself. */
export async function sharedUse(
  database: Database,
  vendors: readonly Pick<Adapter, 'slug' | 'budgets'>[],
): Promise<readonly SharedUse[]> {
  const store = createBudgetStore(database);
  const now = database.moments.clock.now();
  const counted = await Promise.all(
    vendors.flatMap(({ slug: vendor, budgets = [] }) =>
      budgets
        .filter(({ of }) => of === 'app' || of === 'address')
        .map(async (rule) => {
          const subject = 'app';
          const usedAt = await store.used({ vendor, rule: rule.name, subject });
          const start = startOf(rule, now);
          const before = usedAt(start - rule.seconds * 1_000);
          return { vendor, rule, subject, tally: { start, used: usedAt(start), before, unstored: 0 } };
        }),
    ),
  );
  return usedOfShared(counted, now);
}
