import type { Command } from '../../adapter/commands.ts';
import { lowerBoundOf } from './bound.ts';
import { type Binding, explain } from './explain.ts';
import { costOf } from './money.ts';
import { needOf, roomOf } from './need.ts';
import { commandFor } from './profile.ts';
import { type CheckedRequest, checkRequest, type PlanRequest } from './request.ts';
import { type Schedule, scheduleOf } from './schedule.ts';

export interface PlanSlot {
  /** Place in the request's list of prices. */
  readonly index: number;
  /** When it starts, RFC 3339; only if its price had it. */
  readonly start?: string;
  /** W; 0 when it does not charge. */
  readonly power_w: number;
  /** Wh: floor(power_w × duration_min / 60). */
  readonly expected_energy_wh: number;
  /** The price as a plain decimal. */
  readonly price: string;
  /** Why it charges; absent when it does not. */
  readonly reason?: string;
}

export interface Plan {
  readonly slots: readonly PlanSlot[];
  readonly total_energy_wh: number;
  /** Σ price × expected_energy_wh / 1000, exact. */
  readonly total_cost: string;
  readonly target_reachable: boolean;
  readonly optimality: 'proven' | 'bounded';
  /** Only when bounded: no plan that charges as much costs less. */
  readonly lower_bound?: string;
  /** The constraint that prevents a cheaper plan, or more charging. */
  readonly binding: Binding;
  /** One for every slot, when a device profile was given. */
  readonly commands?: readonly { readonly slot_index: number; readonly command: Command }[];
}

/**
 * The cheapest plan. Throws an `AppError` whose message names the first field that is wrong.
 *
 * It takes microseconds for a day, and up to about a second for the largest requests; `planInSteps` yields meanwhile.
 */
export function plan(request: PlanRequest): Plan {
  const steps = planInSteps(request);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** As `plan`, for an unchecked body; yields after every few milliseconds of work. */
export function* planInSteps(body: unknown): Generator<void, Plan> {
  const request = checkRequest(body);
  yield;
  const need = needOf(request.task);
  // A device that is switched or set in amperes is a car or charges one, and stops when it is full.
  const room = request.kind.type === 'watts' ? roomOf(request.task) : Number.POSITIVE_INFINITY;
  const schedule = yield* scheduleOf(request, { need, room });
  yield;
  return answerOf(request, schedule, need);
}

function answerOf(request: CheckedRequest, schedule: Schedule, need: number): Plan {
  const { echoes, starts, kind, prices } = request;
  const { powers, energies, isProven } = schedule;
  let total = 0;
  for (const wh of energies) total += wh;
  const { reasons, binding } = explain(request, schedule, { need, total });
  const slots = echoes.map((price, index): PlanSlot => {
    const power_w = powers[index] ?? 0;
    const expected_energy_wh = energies[index] ?? 0;
    const reason = power_w > 0 ? reasons(index) : undefined;
    const start = starts[index];
    if (start !== undefined) {
      const slot = { index, start, power_w, expected_energy_wh, price };
      return reason === undefined ? slot : { ...slot, reason };
    }
    return reason === undefined
      ? { index, power_w, expected_energy_wh, price }
      : { index, power_w, expected_energy_wh, price, reason };
  });
  const answer: Plan = {
    slots,
    total_energy_wh: total,
    total_cost: costOf(prices, energies),
    target_reachable: total >= need,
    optimality: isProven ? 'proven' : 'bounded',
    ...(isProven ? {} : { lower_bound: lowerBoundOf(request, schedule, { need, total }) }),
    binding,
  };
  if (commandFor(kind, 0) === undefined) return answer;
  const commands = slots.flatMap(({ index, power_w }) => {
    const command = commandFor(kind, power_w);
    return command === undefined ? [] : [{ slot_index: index, command }];
  });
  return { ...answer, commands };
}
