import type { BudgetRule, CallUse } from '../budget.ts';

type Amount = { readonly calls: number } | { readonly microUsd: number } | { readonly errors: number };

type LimitOptions = Amount & {
  /** Length of the window, seconds. */
  readonly seconds: number;
  /** Who shares it; `link` unless it is said. */
  readonly of?: BudgetRule['of'];
  /** What calls take from it: a list of uses that take 1 each, or the amounts. Every use but `login` takes 1 unless it is said. */
  readonly for?: readonly CallUse[] | BudgetRule['costs'];
  /** Share that background polling leaves to commands and reads, 0–1; 0.2 unless it is said. */
  readonly reserve?: number;
  /** See `BudgetRule`. */
  readonly setting?: BudgetRule['setting'];
  readonly share?: number;
  /** Where the figure comes from, in a few words. */
  readonly source: string;
};

const EVERY_CALL: readonly CallUse[] = ['list', 'read', 'command', 'wake'];

/** One limit of a vendor, for `Adapter.budgets`. */
export function limit(name: string, options: LimitOptions): BudgetRule {
  const { seconds, of = 'link', for: uses = EVERY_CALL, reserve = 0.2, setting, share, source } = options;
  return {
    name,
    of,
    ...amountOf(options),
    seconds,
    costs: isList(uses) ? Object.fromEntries(uses.map((use) => [use, 1])) : uses,
    reserve,
    ...(setting === undefined ? {} : { setting }),
    ...(share === undefined ? {} : { share }),
    source,
  };
}

function amountOf(options: Amount): Pick<BudgetRule, 'amount' | 'unit'> {
  if ('calls' in options) return { amount: options.calls, unit: 'calls' };
  return 'errors' in options
    ? { amount: options.errors, unit: 'errors' }
    : { amount: options.microUsd, unit: 'micro_usd' };
}

const isList = (uses: readonly CallUse[] | BudgetRule['costs']): uses is readonly CallUse[] =>
  Array.isArray(uses);
