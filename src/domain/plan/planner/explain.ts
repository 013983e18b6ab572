import type { CheckedRequest } from './request.ts';
import type { Schedule } from './schedule.ts';

/** The constraint that prevents a cheaper plan, or more charging. */
export const BINDINGS = ['price', 'deadline', 'min_power', 'max_power', 'target'] as const;
export type Binding = (typeof BINDINGS)[number];

interface Totals {
  readonly need: number;
  readonly total: number;
}

interface Explanation {
  /** Why a slot charges. */
  reasons(slot: number): string;
  readonly binding: Binding;
}

export function explain(request: CheckedRequest, schedule: Schedule, totals: Totals): Explanation {
  const { minutes, prices } = request;
  const { order, energies } = schedule;
  const { values } = prices;
  const usable = Math.min(minutes.length, request.task.deadline_slot_index + 1);
  let cheapestLater: number | bigint | undefined;
  for (let slot = usable; slot < minutes.length; slot += 1) {
    const price = values[slot] ?? 0;
    if (cheapestLater === undefined || price < cheapestLater) cheapestLater = price;
  }
  let ranks: Int32Array | undefined;
  const rankOf = (slot: number) => {
    ranks ??= ranksOf(order, minutes.length);
    return ranks[slot];
  };
  const isReached = totals.total >= totals.need;
  const isForced = (slot: number) =>
    !isReached || (cheapestLater !== undefined && cheapestLater < (values[slot] ?? 0));
  return {
    reasons: (slot) =>
      isForced(slot) ? 'needed by the deadline' : `price rank ${rankOf(slot)} of ${order.length}`,
    binding: bindingOf(request, schedule, {
      ...totals,
      isForced: isReached && energies.some((wh, slot) => wh > 0 && isForced(slot)),
      hasLater: usable < minutes.length,
    }),
  };
}

/** By slot, its rank in the order, from 1; 0 for a slot that may not be used. */
function ranksOf(order: Int32Array, slots: number): Int32Array {
  const ranks = new Int32Array(slots);
  for (let rank = 0; rank < order.length; rank += 1) ranks[order[rank] ?? 0] = rank + 1;
  return ranks;
}

interface Facts extends Totals {
  /** A slot charges although a cheaper one comes after the deadline. */
  readonly isForced: boolean;
  /** There are slots after the deadline. */
  readonly hasLater: boolean;
}

function bindingOf(request: CheckedRequest, schedule: Schedule, facts: Facts): Binding {
  const { need, total, isForced, hasLater } = facts;
  const { order, energies, powers, mostWh } = schedule;
  if (need === 0) return 'target';
  let partly = 0;
  let off = 0;
  let isLeftNegative = false;
  let isAtLeast = false;
  const leastPower = leastPowerOf(request);
  for (let rank = 0; rank < order.length; rank += 1) {
    const slot = order[rank] ?? 0;
    const wh = energies[slot] ?? 0;
    if (wh === 0) off += 1;
    else if (wh < (mostWh[rank] ?? 0)) partly += 1;
    if (powers[slot] === leastPower) isAtLeast = true;
    if (wh < (mostWh[rank] ?? 0) && (request.prices.values[slot] ?? 0) < 0) isLeftNegative = true;
  }
  const isAll = off + partly === 0;
  if (total < need && !isAll) return 'min_power';
  if (total < need) return hasLater ? 'deadline' : 'max_power';
  if (isForced) return 'deadline';
  // Without other constraints, slots fill one after the other, and at most one is partly filled.
  if ((partly > 1 && isAtLeast) || (total > need && request.kind.type === 'watts')) return 'min_power';
  if (isLeftNegative) return 'target';
  return isAll ? 'max_power' : 'price';
}

function leastPowerOf({ kind, task }: CheckedRequest): number {
  return kind.type === 'amperes' ? kind.minAmperes * kind.wattsPerAmpere : task.min_power_w;
}
