import type { Plan } from '../api/shapes.ts';
import { costOf, difference } from './decimals.ts';
import type { Slot } from './slots.ts';

/** Whether a plan does what was wanted, and what would. */
export type Verdict =
  | { readonly is: 'reached' }
  /** The battery has what is wanted. */
  | { readonly is: 'charged already' }
  /** Even all that fits before the deadline is too little. `earliest`: a deadline at which it is enough. */
  | { readonly is: 'too soon'; readonly soc: number; readonly earliest: number }
  /** The prices end too soon. */
  | { readonly is: 'too few prices'; readonly soc: number }
  /** The least power would charge more than there is room for. */
  | { readonly is: 'too little to charge'; readonly soc: number };

interface Judged {
  readonly cheapest: Plan;
  readonly atOnce: Plan;
  readonly slots: readonly Slot[];
  readonly numbers: { readonly soc: number; readonly capacity: number };
}

export function verdictOf({ cheapest, atOnce, slots, numbers }: Judged): Verdict {
  const wh = cheapest.total_energy_wh;
  if (cheapest.target_reachable) return { is: wh === 0 ? 'charged already' : 'reached' };
  const soc = Math.floor(numbers.soc + wh / (numbers.capacity * 10));
  if (cheapest.binding === 'min_power') return { is: 'too little to charge', soc };
  const earliest = atOnce.target_reachable ? doneAt(atOnce, slots) : undefined;
  return earliest === undefined ? { is: 'too few prices', soc } : { is: 'too soon', soc, earliest };
}

/** When a plan has charged what it does, ms; undefined where it does nothing. */
export function doneAt(plan: Plan, slots: readonly Slot[]): number | undefined {
  const last = plan.slots.findLastIndex(({ power_w }) => power_w > 0);
  return slots[last]?.end;
}

/** What a plan costs at the real prices; plans in an order of time were made with others. */
export const realCost = (plan: Plan, slots: readonly Slot[]): string =>
  costOf(plan.slots.map(({ expected_energy_wh: wh }, index) => ({ price: slots[index]?.price ?? '0', wh })));

export interface Saving {
  /** kr, a decimal; what the other plan costs more. */
  readonly amount: string;
  /** Of what the other plan costs; undefined where that is nothing, or earns. */
  readonly percent: number | undefined;
}

/** What one cost saves compared with another; exact in kronor. */
export function savingOf(cost: string, other: string): Saving {
  const amount = difference(other, cost);
  const of = Number(other);
  return { amount, percent: of > 0 ? (Number(amount) / of) * 100 : undefined };
}

/** kr/kWh on average; undefined without energy. */
export const averagePrice = (cost: string, wh: number): number | undefined =>
  wh === 0 ? undefined : (Number(cost) * 1_000) / wh;
