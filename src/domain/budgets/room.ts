import type { BudgetRule } from '../../adapter/budget.ts';

/** Never all of what the vendor grants: its clock is another, and a call may be counted that we think was not. */
const TRUSTED = 0.95;

/** How much of a limit is used at all. */
export const trusted = ({ amount }: BudgetRule): number => amount * TRUSTED;

/** How much of a limit may be used up by such a call. */
export const mostOf = (rule: BudgetRule, isBackground: boolean): number =>
  trusted(rule) * (isBackground ? 1 - rule.reserve : 1);

/** How much more a link may use that has `used` so much of a shared limit, while all have `left` so much; see `BudgetRule.share`. */
export const shareLeft = (
  share: number,
  { left, used }: { readonly left: number; readonly used: number },
): number => Math.max(0, (share * left - used) / (1 + share));
