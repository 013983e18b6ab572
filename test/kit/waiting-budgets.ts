import type { Adapter } from '../../src/adapter/adapter.ts';
import type { TurnedClock } from '../../src/core/clock.ts';
import type { Spend } from '../../src/domain/vendor-calls/calls/vendor-http.ts';

/** Longer limits are wide enough for every check; waiting for one would let tokens and days pass. */
const MOST_SECONDS = 300;

/**
 * The adapter's budgets as background work meets them: a call beyond a limit waits, by turning the clock, until the window permits it.
 * So a check makes as many calls as it needs with every vendor, and still none that the vendor would refuse for its limits.
 */
export function waitingBudgets({ budgets = [] }: Pick<Adapter, 'budgets'>, clock: TurnedClock): Spend {
  const taken = new Map<string, { readonly at: number; readonly amount: number }[]>();
  return ({ use, device, site, costs = {} }) => {
    const parts = budgets.flatMap((rule) => {
      const amount = costs[rule.name] ?? rule.costs[use] ?? 0;
      if (rule.unit !== 'calls' || rule.seconds > MOST_SECONDS || amount === 0) return [];
      const whose = rule.of === 'device' ? device : rule.of === 'site' ? site : '';
      const key = `${rule.name} ${whose}`;
      return [{ key, amount, most: rule.amount, windowMs: rule.seconds * 1_000 }];
    });
    const inWindow = ({ key, windowMs }: (typeof parts)[number]) =>
      (taken.get(key) ?? []).filter(({ at }) => at > clock.now() - windowMs);
    const isFull = (part: (typeof parts)[number]) =>
      inWindow(part).length > 0 &&
      inWindow(part).reduce((sum, one) => sum + one.amount, part.amount) > part.most;
    for (let full = parts.find(isFull); full !== undefined; full = parts.find(isFull))
      clock.turn(full.windowMs - (clock.now() - (inWindow(full)[0]?.at ?? 0)));
    for (const part of parts)
      taken.set(part.key, [...inWindow(part), { at: clock.now(), amount: part.amount }]);
  };
}
