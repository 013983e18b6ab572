import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import { type PlanRequest, plan } from '../../src/domain/plan/planner/index.ts';
import { costOfPlan, type Decide, loadDecide } from './highs.ts';
import { realisticInstance, seeded } from './instances.ts';

/** `npm run bench:planner` does the same with a thousand. */
const INSTANCES = 60;

describe('the planner and HiGHS', () => {
  let decide: Decide;
  before(async () => {
    decide = await loadDecide();
  });

  it('the planner and HiGHS agree on the cost of realistic instances', () => {
    const random = seeded(2026);
    let decided = 0;
    for (let count = 0; count < INSTANCES; count += 1) {
      const request = realisticInstance(random);
      const made = plan(request);
      assert.equal(made.optimality, 'proven');
      const verdict = decide(request, made.total_energy_wh);
      assert.notEqual(verdict.status, 'infeasible');
      decided += Number(verdict.status === 'optimal');
      assert.equal(verdict.cost ?? costOfPlan(made), costOfPlan(made), JSON.stringify(request));
    }
    assert.ok(decided > INSTANCES / 2, `HiGHS decided only ${decided}`);
  });

  for (const slots of [92, 96, 100]) {
    it(`the planner and HiGHS agree on the cost of a day of ${slots} quarters`, () => {
      const file = `docs/examples/plan-${slots}-quarters.json`;
      const { prices, task } = JSON.parse(readFileSync(file, 'utf8')) as PlanRequest;
      const made = plan({ prices, task });
      assert.equal(made.slots.length, slots);
      assert.equal(made.total_energy_wh, 30_000);
      const verdict = decide({ prices, task }, made.total_energy_wh);
      assert.equal(verdict.status, 'optimal');
      assert.equal(verdict.cost, costOfPlan(made));
    });
  }
});
