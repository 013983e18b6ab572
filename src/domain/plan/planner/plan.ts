import type { Command } from '../../../adapter/commands.ts';
import { plainDecimal, type ScaledPrices } from './decimal.ts';
import { type Binding, explain } from './explain.ts';
import {
  type ChargeTask,
  type CheckedRequest,
  checkRequest,
  commandFor,
  type PlanRequest,
} from './request.ts';
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

/**
 * Whole Wh that are missing, rounded up; 0 when the target is already met. Computed in whole numbers, as 0.07 × 100 is
 * 7.000000000000001.
 */
function needOf({ current_soc, target_soc, capacity_wh }: ChargeTask): number {
  return Math.max(0, Math.ceil(((target_soc - current_soc) * capacity_wh) / 100));
}

/** Whole Wh that the battery has room for, rounded down. */
function roomOf({ current_soc, capacity_wh }: ChargeTask): number {
  return Math.floor(((100 - current_soc) * capacity_wh) / 100);
}

/**
 * A lower bound on the cost: that of the relaxation, which ignores minimum power and steps (see relaxation.ts).
 * For watts, no plan of the same energy. For amperes, no plan that covers the need with as many ampere-minutes: its energies,
 * rounded down, add up to something between the need and what these are worth.
 */
function lowerBoundOf(
  { prices, kind, minutes }: CheckedRequest,
  { order, mostWh, powers }: Schedule,
  { need, total }: { readonly need: number; readonly total: number },
): string {
  const isAmperes = kind.type === 'amperes';
  const least = isAmperes ? need : total;
  const exact = powers.reduce((sum, power, slot) => sum + power * (minutes[slot] ?? 0), 0) / 60;
  const most = isAmperes ? Math.floor(exact) : total;
  let taken = 0;
  let sum = 0n;
  for (let rank = 0; rank < order.length; rank += 1) {
    const price = BigInt(prices.values[order[rank] ?? 0] ?? 0);
    const wh = Math.min(mostWh[rank] ?? 0, (price < 0n ? most : least) - taken);
    if (wh <= 0) break;
    sum += price * BigInt(wh);
    taken += wh;
  }
  return plainDecimal(sum, prices.decimals + 3);
}

/** Decimal places between Wh and kWh. */
const WH_PER_KWH_PLACES = 3;

/**
 * Σ price × energy / 1000, exact: whole numbers are summed, and the point is moved afterwards. `energy` is in Wh by slot.
 * Uses numbers while no partial sum can reach 2^53, and bigints otherwise.
 */
function costOf(prices: ScaledPrices, energy: Float64Array): string {
  const { values, decimals } = prices;
  const sum = values instanceof Float64Array ? numberSum(values, energy) : undefined;
  return plainDecimal(sum ?? bigintSum(values, energy), decimals + WH_PER_KWH_PLACES);
}

function numberSum(values: Float64Array, energy: Float64Array): number | undefined {
  let sum = 0;
  let reach = 0;
  for (let slot = 0; slot < energy.length; slot += 1) {
    const cost = (values[slot] ?? 0) * (energy[slot] ?? 0);
    sum += cost;
    reach += Math.abs(cost);
  }
  return reach <= Number.MAX_SAFE_INTEGER ? sum : undefined;
}

function bigintSum(values: Float64Array | readonly bigint[], energy: Float64Array): bigint {
  let sum = 0n;
  for (let slot = 0; slot < energy.length; slot += 1) {
    const wh = energy[slot] ?? 0;
    if (wh !== 0) sum += BigInt(values[slot] ?? 0) * BigInt(wh);
  }
  return sum;
}

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
