import type { Adapter } from '../../../adapter/adapter.ts';
import type { BudgetRule, CallUse } from '../../../adapter/budget.ts';
import { DeviceLimited } from '../../../adapter/failures.ts';
import type { LinkKey } from '../../../adapter/session.ts';
import type { AppError } from '../../../core/errors.ts';
import { HeldBack } from './blocks.ts';

/** A call that is counted in the vendor's limits. */
export interface Spending {
  readonly use: CallUse;
  readonly device: string | undefined;
  readonly site?: string | undefined;
  /** What the call takes of limits, by their names, where that is not what its use takes. */
  readonly costs?: Readonly<Record<string, number>> | undefined;
  readonly link: LinkKey;
  readonly adapter: Pick<Adapter, 'slug' | 'name' | 'budgets'>;
  /** A background call does not use the reserve. */
  readonly isBackground: boolean;
  /** A call of a command: what commands wait for is left to them. */
  readonly isOfCommand?: boolean;
}

/** What a call takes of one limit. */
export interface Cost {
  readonly rule: BudgetRule;
  readonly cost: number;
}

const UNIT_WORDS = { calls: 'calls', micro_usd: 'micro-USD', errors: 'errors' } as const;

/** The error for a limit that has no room for a call. */
export function usedUp({ name: vendor }: Pick<Adapter, 'name'>, rule: BudgetRule, seconds: number): AppError {
  const { name, amount, unit } = rule;
  const whose = rule.share === undefined ? '' : ', or the share of this account in it,';
  const sentence = `the limit "${name}" of ${vendor} (${amount} ${UNIT_WORDS[unit]} in ${rule.seconds} s)${whose} is used up; retry in ${seconds} seconds`;
  // The other devices of the link have limits of their own.
  return rule.of === 'device'
    ? new DeviceLimited(sentence, { retryAfterSeconds: seconds })
    : new HeldBack(sentence, seconds);
}

/** What a call takes of each limit; nothing of those that it is not counted in. */
export function costsOf({ adapter, use, costs, device, site }: Spending): Cost[] {
  return (adapter.budgets ?? [])
    .filter(({ of }) => (of !== 'device' || device !== undefined) && (of !== 'site' || site !== undefined))
    .map((rule) => ({ rule, cost: costs?.[rule.name] ?? rule.costs[use] ?? 0 }))
    .filter(({ cost }) => cost > 0);
}
