import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { NUMBERS } from './decimal.ts';
import { wattDomain } from './domains.ts';
import { type PlanRequest, plan } from './index.ts';
import { planManyDurations } from './many-durations.ts';
import { type CheckedRequest, checkRequest } from './request.ts';

const RUNS = { numRuns: 300, seed: 20_261 };

const slot = fc.record({
  duration_min: fc.constantFrom(7, 15, 30, 60),
  price: fc.integer({ min: -50, max: 300 }),
});
const request: fc.Arbitrary<PlanRequest> = fc
  .record({
    prices: fc.array(slot, { minLength: 1, maxLength: 24 }),
    current_soc: fc.integer({ min: 0, max: 60 }),
    target_soc: fc.integer({ min: 0, max: 100 }),
    capacity_wh: fc.integer({ min: 1, max: 40_000 }),
    powers: fc.tuple(fc.integer({ min: 0, max: 12_000 }), fc.integer({ min: 1, max: 12_000 })),
    deadline_slot_index: fc.integer({ min: 0, max: 30 }),
  })
  .map(({ prices, powers, ...task }) => ({
    prices,
    task: { ...task, min_power_w: Math.min(...powers), max_power_w: Math.max(...powers) },
  }));
const evenRequest = request.map((made) => ({
  ...made,
  prices: made.prices.map((own) => ({ ...own, duration_min: 15 })),
}));

const energies = (made: PlanRequest) => plan(made).slots.map((own) => own.expected_energy_wh);
const costOf = (made: PlanRequest) => Number(plan(made).total_cost);
const near = (one: number, other: number) => Math.abs(one - other) < 1e-9;

function holds(property: (made: PlanRequest) => void, arbitrary = request): void {
  fc.assert(fc.property(arbitrary, property), RUNS);
}

describe('any plan', () => {
  it('any plan keeps to the limits, and adds up', () => {
    holds((made) => {
      const { prices, task } = made;
      const answer = plan(made);
      let total = 0;
      for (const { index, power_w, expected_energy_wh } of answer.slots) {
        const minutes = prices[index]?.duration_min ?? 0;
        assert.ok(power_w === 0 || (power_w >= task.min_power_w && power_w <= task.max_power_w));
        assert.ok(power_w === 0 || index <= task.deadline_slot_index);
        assert.equal(expected_energy_wh, Math.floor((power_w * minutes) / 60));
        total += expected_energy_wh;
      }
      assert.equal(answer.total_energy_wh, total);
      const need = Math.ceil((Math.max(0, task.target_soc - task.current_soc) * task.capacity_wh) / 100);
      assert.equal(answer.target_reachable, total >= need);
      assert.ok(total <= Math.max(need, ((100 - task.current_soc) * task.capacity_wh) / 100));
    });
  });

  it('any plan is the same when a constant is added to all prices', () => {
    holds((made) => {
      const prices = made.prices.map(({ price, ...own }) => ({ ...own, price: Number(price) + 1_234 }));
      assert.deepEqual(energies({ ...made, prices }), energies(made));
    });
  });

  it('any plan costs the same when the slots are put in another order', () => {
    holds((made) => {
      const task = { ...made.task, deadline_slot_index: made.prices.length };
      const turned = { prices: made.prices.toReversed(), task };
      assert.ok(near(costOf(turned), costOf({ prices: made.prices, task })));
    });
  });

  it('any plan is the same when a dearer slot of the same length is added', () => {
    holds((made) => {
      const task = { ...made.task, deadline_slot_index: 100 };
      const before = plan({ prices: made.prices, task });
      const dearer = { duration_min: 15, price: 301 };
      const after = plan({ prices: [...made.prices, dearer], task });
      fc.pre(before.target_reachable && before.total_energy_wh === after.total_energy_wh);
      assert.deepEqual(after.slots.slice(0, -1), relabelled(before.slots, after.slots));
    }, evenRequest);
  });

  it('any plan never costs more when the maximum is raised', () => {
    holds((made) => {
      const task = { ...made.task, max_power_w: made.task.max_power_w + 500 };
      const [before, after] = [plan(made), plan({ ...made, task })];
      fc.pre(before.target_reachable && before.total_energy_wh === after.total_energy_wh);
      assert.ok(Number(after.total_cost) <= Number(before.total_cost) + 1e-9);
    });
  });

  it('any plan never costs more when hours are cut into quarters of the same price', () => {
    holds((made) => {
      const task = {
        ...made.task,
        min_power_w: made.task.min_power_w - (made.task.min_power_w % 4),
        max_power_w: made.task.max_power_w + 4 - (made.task.max_power_w % 4),
        deadline_slot_index: 1_000,
      };
      const hours = made.prices.map(({ price }) => ({ duration_min: 60, price }));
      const quarters = made.prices.flatMap(({ price }) => new Array(4).fill({ duration_min: 15, price }));
      const [before, after] = [plan({ prices: hours, task }), plan({ prices: quarters, task })];
      fc.pre(before.target_reachable && before.total_energy_wh === after.total_energy_wh);
      assert.ok(Number(after.total_cost) <= Number(before.total_cost) + 1e-9);
    });
  });

  it('any plan equals the result of the dynamic programme', () => {
    holds((made) => {
      const checked = checkRequest(made);
      assert.deepEqual(energies(made), programmed(checked));
    });
  });
});

/** The original slots, with the reasons of a list that has one slot more. */
function relabelled(before: readonly object[], after: readonly { readonly reason?: string }[]): object[] {
  return before.map((own, index) => {
    const { reason } = after[index] ?? {};
    return reason === undefined ? own : { ...own, reason };
  });
}

/** The same problem given to the dynamic programme whatever its durations; usable slots by (price, index). */
function programmed({ minutes, prices, task }: CheckedRequest): number[] {
  const need = Math.max(0, Math.ceil(((task.target_soc - task.current_soc) * task.capacity_wh) / 100));
  const room = Math.floor(((100 - task.current_soc) * task.capacity_wh) / 100);
  const lengths = [...new Set(minutes)];
  const domains = lengths.map((length) => wattDomain(length, task.min_power_w, task.max_power_w));
  const order = [...prices.values.keys()]
    .filter((index) => index <= task.deadline_slot_index)
    .sort((a, b) => Number(prices.values[a]) - Number(prices.values[b]) || a - b);
  const most = order.reduce(
    (sum, index) => sum + Math.floor((task.max_power_w * (minutes[index] ?? 0)) / 60),
    0,
  );
  const energy = new Array<number>(minutes.length).fill(0);
  if (need === 0) return energy;
  const market = {
    count: order.length,
    domains,
    domainOf: Int32Array.from(order, (index) => lengths.indexOf(minutes[index] ?? 0)),
    prices: order.map((index) => Number(prices.values[index])),
    arithmetic: NUMBERS,
  };
  const steps = planManyDurations(market, {
    need: Math.min(need, most),
    room: Math.max(room, Math.min(need, most)),
  });
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done !== true) continue;
    for (const [rank, size] of step.value.sizes.entries()) energy[order[rank] ?? 0] = size;
    return energy;
  }
}
