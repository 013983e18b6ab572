import type { Plan, PlanSlot } from './plan.ts';

/** Two days of quarters, the size of most plans. */
const USUAL_SLOTS = 192;
const SLOT_END = '"}';
/** Most slots of a plan do not charge, and differ only in index and price. */
const idleSlots = Array.from({ length: USUAL_SLOTS }, (_, index) => idleSlot(index));

/**
 * The output of `JSON.stringify` for a plan, in less than half the time. All its texts are decimals, times or our own
 * words, so nothing needs escaping.
 */
export function planJson(plan: Plan): string {
  const { slots, lower_bound, commands } = plan;
  let text = '{"slots":[';
  for (const slot of slots) {
    const { index, start, power_w, price } = slot;
    text +=
      power_w === 0 && start === undefined
        ? (idleSlots[index] ?? idleSlot(index)) + price + SLOT_END
        : slotJson(slot);
  }
  text += `],"total_energy_wh":${plan.total_energy_wh},"total_cost":"${plan.total_cost}"`;
  text += `,"target_reachable":${plan.target_reachable},"optimality":"${plan.optimality}"`;
  if (lower_bound !== undefined) text += `,"lower_bound":"${lower_bound}"`;
  text += `,"binding":"${plan.binding}"`;
  return commands === undefined ? `${text}}` : `${text},"commands":${JSON.stringify(commands)}}`;
}

/** JSON of an idle slot up to its price. Index 0 has no comma before it. */
function idleSlot(index: number): string {
  return `${index === 0 ? '' : ','}{"index":${index},"power_w":0,"expected_energy_wh":0,"price":"`;
}

function slotJson({ index, start, power_w, expected_energy_wh, price, reason }: PlanSlot): string {
  const since = start === undefined ? '' : `"start":"${start}",`;
  const why = reason === undefined ? '' : `,"reason":"${reason}"`;
  return `${index === 0 ? '' : ','}{"index":${index},${since}"power_w":${power_w},"expected_energy_wh":${expected_energy_wh},"price":"${price}"${why}}`;
}
