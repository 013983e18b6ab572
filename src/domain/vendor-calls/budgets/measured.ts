import type { Adapter } from '../../../adapter/adapter.ts';
import type { VendorLimits } from '../../../core/metrics.ts';
import type { Database } from '../../../db/database.ts';
import { type Block, createBudgetStore } from './store.ts';
import type { Counted } from './tallies.ts';
import { startOf, trusted, turn, usedNow } from './window.ts';

/** Blocks by vendor, of all its links and of single ones. */
export function countBlocks(blocks: readonly Block[]): VendorLimits['blocks'] {
  const counts = new Map<string, VendorLimits['blocks'][number]>();
  for (const { vendor, subject } of blocks) {
    const of = subject === '' ? 'all' : 'link';
    const before = counts.get(`${vendor} ${of}`)?.count ?? 0;
    counts.set(`${vendor} ${of}`, { vendor, of, count: before + 1 });
  }
  return [...counts.values()];
}

/** The use of limits that all links share. Those of a link, site or device would identify it. */
export function usedOfShared(
  counted: Iterable<Omit<Counted, 'awaited'>>,
  now: number,
): VendorLimits['budgets'] {
  return [...counted]
    .filter(({ subject }) => subject === 'app')
    .map(({ vendor, rule, tally }) => {
      // A copy: counts that are not stored yet belong to the current window of the tally.
      const turned = { ...tally };
      turn(turned, rule, now);
      return { vendor, limit: rule.name, used: usedNow(turned, rule, now) / trusted(rule) };
    });
}

/** The use of a limit that all links of a vendor share. */
interface SharedUse {
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
