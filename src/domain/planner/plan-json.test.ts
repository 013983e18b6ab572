import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type PlanRequest, plan } from './index.ts';
import { planJson } from './plan-json.ts';

const price = fc.oneof(
  fc.integer({ min: -50, max: 300 }),
  fc
    .double({ noNaN: true, noDefaultInfinity: true, min: -1e6, max: 1e6 })
    .filter((it) => Math.abs(it) > 1e-9),
  fc.integer({ min: -99_999, max: 99_999 }).map((tenths) => (tenths / 100_000).toFixed(5)),
);
const prices = fc.array(
  fc.record(
    {
      duration_min: fc.constantFrom(7, 15, 60, 90),
      price,
      start: fc.oneof(
        fc.constantFrom('2026-11-21T09:00:00Z', '2026-11-21T09:00:00.000+01:00', '"}', 'tomorrow'),
        fc.string(),
      ),
    },
    { requiredKeys: ['duration_min', 'price'] },
  ),
  { minLength: 1, maxLength: 20 },
);
const profile = fc.constantFrom(
  undefined,
  { kind: 'charger', voltage_v: 230, phases: 1 },
  { kind: 'battery' },
  { kind: 'vehicle' },
  { kind: 'light' },
);
const request: fc.Arbitrary<PlanRequest> = fc
  .record({ prices, profile, target: fc.integer({ min: 0, max: 100 }), deadline: fc.nat(25) })
  .map((made) => ({
    prices: made.prices,
    task: {
      current_soc: 10,
      target_soc: made.target,
      capacity_wh: 20_000,
      max_power_w: 7_400,
      min_power_w: 1_400,
      deadline_slot_index: made.deadline,
    },
    ...(made.profile === undefined ? {} : { device_profile: made.profile }),
  }));

describe('the JSON of a plan', () => {
  it('is byte for byte the output of JSON.stringify, and ASCII', () => {
    let commanded = 0;
    let started = 0;
    fc.assert(
      fc.property(request, (made) => {
        const answer = plan(made);
        const text = planJson(answer);
        assert.equal(text, JSON.stringify(answer));
        assert.match(text, /^[ -~]*$/);
        commanded += answer.commands === undefined ? 0 : 1;
        started += answer.slots.some(({ start }) => start !== undefined) ? 1 : 0;
      }),
      { numRuns: 500, seed: 20_261 },
    );
    assert.ok(commanded > 50 && started > 50);
  });
});
