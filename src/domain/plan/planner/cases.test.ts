import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type PlanRequest, plan } from './index.ts';
import { planJson } from './plan.ts';
import { energies, hours, request, type Slots } from './test-requests.ts';

describe('reference cases', () => {
  const CASES: readonly (readonly [string, Slots, readonly [number, number], number, number[], string])[] = [
    [
      'A, a remainder below the minimum',
      [
        [60, 1],
        [60, 2],
        [60, 9],
      ],
      [4, 10],
      12,
      [8, 4, 0],
      '0.016',
    ],
    [
      'B, two slots held at the minimum',
      [
        [60, 1],
        [60, 2],
        [60, 3],
      ],
      [8, 10],
      25,
      [9, 8, 8],
      '0.049',
    ],
    [
      'C, a short dear slot',
      [
        [60, 1],
        [60, 10],
        [15, 11],
      ],
      [8, 12],
      14,
      [12, 0, 2],
      '0.034',
    ],
    [
      'D, on or off',
      [
        [15, 1],
        [60, 2],
      ],
      [40, 40],
      40,
      [0, 40],
      '0.08',
    ],
    [
      'E, in the gap',
      [
        [60, 1],
        [60, 2],
      ],
      [8, 10],
      13,
      [8, 8],
      '0.024',
    ],
    [
      'F, quarters',
      [
        [15, 50],
        [15, 60],
        [15, 200],
      ],
      [4140, 11040],
      5600,
      [2760, 1805, 1035],
      '453.3',
    ],
  ];
  for (const [name, slots, [min_power_w, max_power_w], need, wanted, cost] of CASES) {
    it(name, () => {
      const made = plan(request(slots, need, { min_power_w, max_power_w }));
      assert.deepEqual(energies(made), wanted);
      assert.equal(made.total_cost, cost);
      assert.equal(
        made.total_energy_wh,
        wanted.reduce((sum, wh) => sum + wh, 0),
      );
      assert.equal(made.target_reachable, true);
      assert.equal(made.optimality, 'proven');
    });
  }
});

describe('the need', () => {
  // Three hours of 4 to 10 W: sums 0, 4–10, 8–20, 12–30.
  const TOTALS = [
    [0, 0],
    [1, 4],
    [3, 4],
    [4, 4],
    [7, 7],
    [10, 10],
    [11, 11],
    [15, 15],
    [29, 29],
    [30, 30],
    [31, 30],
  ] as const;
  for (const [need, total] of TOTALS) {
    it(`the need of ${need} Wh gets ${total}`, () => {
      const made = plan(
        request(
          hours(3, (slot) => slot),
          need,
          { min_power_w: 4 },
        ),
      );
      assert.equal(made.total_energy_wh, total);
      assert.equal(made.target_reachable, total >= need);
    });
  }

  it('the need in a gap is exceeded only as far as the battery has room', () => {
    // 13 Wh lies between 10 and 16; a battery of 15 Wh cannot take 16.
    const slots = hours(2, (slot) => slot + 1);
    const task = { min_power_w: 8, current_soc: 0, target_soc: 85, capacity_wh: 15 };
    const made = plan(request(slots, 13, task));
    assert.deepEqual(energies(made), [10, 0]);
    assert.equal(made.target_reachable, false);
    assert.equal(made.binding, 'min_power');
    assert.deepEqual(
      energies(plan(request(slots, 13, { ...task, target_soc: 80, capacity_wh: 16 }))),
      [8, 8],
    );
  });

  it('the need is rounded up, in whole numbers', () => {
    const made = plan(
      request(
        hours(3, () => 1),
        0,
        { target_soc: 7, capacity_wh: 101 },
      ),
    );
    assert.equal(made.total_energy_wh, 8);
    const exact = plan(
      request(
        hours(3, () => 1),
        0,
        { target_soc: 7, capacity_wh: 100 },
      ),
    );
    assert.equal(exact.total_energy_wh, 7);
  });

  it('the need is zero when the target is met', () => {
    const made = plan(
      request(
        hours(3, () => -1),
        9,
        { current_soc: 80, target_soc: 50 },
      ),
    );
    assert.deepEqual(energies(made), [0, 0, 0]);
    assert.equal(made.total_cost, '0');
    assert.equal(made.target_reachable, true);
    assert.equal(made.binding, 'target');
  });
});

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
const anyRequest: fc.Arbitrary<PlanRequest> = fc
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
  it('the JSON of a plan is byte for byte the output of JSON.stringify, and ASCII', () => {
    let commanded = 0;
    let started = 0;
    fc.assert(
      fc.property(anyRequest, (made) => {
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
