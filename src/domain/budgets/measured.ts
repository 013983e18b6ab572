import type { BudgetRule } from '../../adapter/budget.ts';
import type { VendorLimits } from '../../core/metrics.ts';
import { trusted } from './room.ts';
import type { Block } from './store-blocks.ts';
import { type Tally, turn, usedNow } from './window.ts';

/** What is used of one limit, by one subject. */
interface Used {
  readonly vendor: string;
  readonly rule: BudgetRule;
  readonly subject: string;
  readonly tally: Tally;
}

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

/** What is used of limits that all links share. Those of a link, site or device would name it. */
export function usedOfShared(counted: Iterable<Used>, now: number): VendorLimits['budgets'] {
  return [...counted]
    .filter(({ subject }) => subject === 'app')
    .map(({ vendor, rule, tally }) => {
      // A copy: what is not stored yet belongs to the window that the tally is in.
      const turned = { ...tally };
      turn(turned, rule, now);
      return { vendor, limit: rule.name, used: usedNow(turned, rule, now) / trusted(rule) };
    });
}
