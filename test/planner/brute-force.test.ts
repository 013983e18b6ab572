import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { plan } from '../../src/domain/plan/planner/index.ts';
import { bruteForce } from './brute-force.ts';
import { seeded, tinyInstance } from './instances.ts';

/** Set PLANNER_INSTANCES=60000 for a thorough run. */
const INSTANCES = Number(process.env.PLANNER_INSTANCES ?? 6_000);
const SEEDS = [1, 2, 3, 5, 8, 13];

describe('the planner and a search through every plan', () => {
  for (const seed of SEEDS) {
    it(`the planner and a search through every plan choose the same plan, seed ${seed}`, () => {
      const random = seeded(seed);
      for (let count = 0; count < INSTANCES / SEEDS.length; count += 1) {
        const request = tinyInstance(random);
        const made = plan(request);
        const best = bruteForce(request);
        const whole = Math.round(Number(made.total_cost) * 1_000);
        const planned = { energy: made.total_energy_wh, cost: whole, energies: energiesOf(made.slots) };
        const wanted = { energy: best.energy, cost: best.cost + 0, energies: [...best.energies] };
        assert.deepEqual(planned, wanted, JSON.stringify(request));
        assert.equal(made.optimality, 'proven');
      }
    });
  }
});

function energiesOf(slots: readonly { readonly expected_energy_wh: number }[]): number[] {
  return slots.map(({ expected_energy_wh }) => expected_energy_wh);
}
