import { createRequire } from 'node:module';
import type { Plan, PlanRequest } from '../../src/domain/plan/planner/index.ts';

// The package's types are those of its CommonJS form only.
type LoadHighs = typeof import('highs', { with: { 'resolution-mode': 'require' }}).default;
const loadHighs: LoadHighs = createRequire(import.meta.url)('highs');

/** HiGHS's result for the same instance. */
export interface Verdict {
  readonly status: 'optimal' | 'infeasible' | 'undecided';
  /** Σ price × Wh of its solution in 10^−5, exact; undefined unless it is optimal. */
  readonly cost: bigint | undefined;
  readonly ms: number;
}

/** Solves an instance in watts as a mixed-integer programme with this total in Wh. */
export type Decide = (request: PlanRequest, total: number) => Verdict;

/** Prices of the instances have at most five decimals. */
const SCALE = 1e5;
const SECONDS = 3;

export async function loadDecide(seconds = SECONDS): Promise<Decide> {
  const highs = await loadHighs();
  const options = { output_flag: false, time_limit: seconds, mip_rel_gap: 0, mip_abs_gap: 0 };
  return (request, total) => {
    const model = modelOf(request, total);
    const begun = performance.now();
    const solution = highs.solve(model.text, options);
    const ms = performance.now() - begun;
    if (solution.Status === 'Infeasible') return { status: 'infeasible', cost: undefined, ms };
    if (solution.Status !== 'Optimal') return { status: 'undecided', cost: undefined, ms };
    const cost = model.slots.reduce((sum, { price, name }) => {
      const column = solution.Columns[name];
      const wh = Math.round(column !== undefined && 'Primal' in column ? Number(column.Primal) : 0);
      return sum + price * BigInt(wh);
    }, 0n);
    return { status: 'optimal', cost, ms };
  };
}

interface Model {
  readonly text: string;
  readonly slots: readonly { readonly price: bigint; readonly name: string }[];
}

/** A binary for on and off beside the energy of each slot: l·y ≤ x ≤ h·y. */
function modelOf({ prices, task }: PlanRequest, total: number): Model {
  const usable = prices.slice(0, task.deadline_slot_index + 1).map(({ duration_min, price }, slot) => ({
    name: `x${slot}`,
    on: `y${slot}`,
    price: BigInt(Math.round(Number(price) * SCALE)),
    low: Math.floor((task.min_power_w * duration_min) / 60),
    high: Math.floor((task.max_power_w * duration_min) / 60),
  }));
  const sum = (terms: readonly string[]) => terms.join('\n   ');
  const text = [
    'Minimize',
    ` obj: ${sum(usable.map(({ price, name }) => `${price < 0n ? '-' : '+'} ${price < 0n ? -price : price} ${name}`))}`,
    'Subject To',
    ` total: ${sum(usable.map(({ name }) => `+ ${name}`))} = ${total}`,
    ...usable.map(({ name, on, high }) => ` h${name}: ${name} - ${high} ${on} <= 0`),
    ...usable.map(({ name, on, low }) => ` l${name}: ${name} - ${low} ${on} >= 0`),
    'Bounds',
    ...usable.map(({ name, high }) => ` 0 <= ${name} <= ${high}`),
    'Binaries',
    ` ${sum(usable.map(({ on }) => on))}`,
    'End',
    '',
  ].join('\n');
  return { text, slots: usable };
}

/** The cost of a plan in the same unit as a verdict's. */
export function costOfPlan({ slots }: Plan): bigint {
  return slots.reduce(
    (sum, { price, expected_energy_wh }) =>
      sum + BigInt(Math.round(Number(price) * SCALE)) * BigInt(expected_energy_wh),
    0n,
  );
}
