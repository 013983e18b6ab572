import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Plan, type PlanRequest, plan } from './index.ts';

type Slots = readonly (readonly [minutes: number, price: string | number])[];
type Task = Partial<PlanRequest['task']>;

/** A battery of ten times the need, empty now. */
function request(slots: Slots, need: number, task: Task): PlanRequest {
  return {
    prices: slots.map(([duration_min, price]) => ({ duration_min, price })),
    task: {
      current_soc: 0,
      target_soc: need === 0 ? 0 : 10,
      capacity_wh: Math.max(1, 10 * need),
      max_power_w: 10,
      min_power_w: 0,
      deadline_slot_index: slots.length,
      ...task,
    },
  };
}

const energies = ({ slots }: Plan) => slots.map(({ expected_energy_wh }) => expected_energy_wh);
const hours = (count: number, price: (slot: number) => string | number): Slots =>
  Array.from({ length: count }, (_, slot) => [60, price(slot)] as const);

describe('the cases that must hold', () => {
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
    it(`of ${need} Wh gets ${total}`, () => {
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

  it('in a gap is passed only as far as the battery can take it', () => {
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

  it('is rounded up, in whole numbers', () => {
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

  it('is none where the target is met', () => {
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

describe('prices', () => {
  it('that are all equal fill slots in order', () => {
    assert.deepEqual(
      energies(
        plan(
          request(
            hours(4, () => 3),
            25,
            { min_power_w: 4 },
          ),
        ),
      ),
      [10, 10, 5, 0],
    );
  });

  it('below zero add no energy', () => {
    const made = plan(
      request(
        hours(4, (slot) => -slot),
        15,
        {},
      ),
    );
    assert.deepEqual(energies(made), [0, 0, 5, 10]);
    assert.equal(made.total_cost, '-0.04');
    assert.equal(made.binding, 'target');
  });

  it('are echoed with the digits they had', () => {
    const given = ['0.4200', '-0.00', '1e-7', 1e-7, 0.1, -0, 1e21, '12.5e3', '00.5', '-1.5E-2'];
    const echoed = [
      '0.4200',
      '-0.00',
      '0.0000001',
      '0.0000001',
      '0.1',
      '0',
      '1000000000000000000000',
      '12500',
      '00.5',
      '-0.015',
    ];
    const made = plan(
      request(
        hours(given.length, (slot) => given[slot] ?? 0),
        5,
        {},
      ),
    );
    assert.deepEqual(
      made.slots.map(({ price }) => price),
      echoed,
    );
  });

  it('of zero cost "0", and never "-0"', () => {
    assert.equal(
      plan(
        request(
          hours(2, () => '-0.00'),
          5,
          {},
        ),
      ).total_cost,
      '0',
    );
    assert.equal(
      plan(
        request(
          hours(2, () => '-0.001'),
          1,
          {},
        ),
      ).total_cost,
      '-0.000001',
    );
  });

  it('are summed exactly where they pass 2^53', () => {
    const slots = hours(3, (slot) => `${slot + 1}.123456789012345678901234567`);
    const made = plan(request(slots, 15, {}));
    // 10 × 1.123… + 5 × 2.123…, a thousandth of it.
    assert.equal(made.total_cost, '0.021851851835185185183518518505');
  });

  it('with twelve decimals in 35,040 quarters add up to the last digit', () => {
    const price = (slot: number) =>
      `0.${String((slot * 7_919_999_983) % 1_000_000_000_000).padStart(12, '0')}`;
    const slots = Array.from({ length: 35_040 }, (_, slot) => [15, price(slot)] as const);
    const made = plan(request(slots, 1_000_000, { min_power_w: 4_140, max_power_w: 11_040 }));
    const cost = made.slots.reduce(
      (sum, slot) => sum + BigInt(slot.price.slice(2)) * BigInt(slot.expected_energy_wh),
      0n,
    );
    const digits = cost.toString().padStart(16, '0');
    assert.equal(made.total_cost, `${digits.slice(0, -15)}.${digits.slice(-15)}`.replace(/0+$/, ''));
    assert.equal(made.total_energy_wh, 1_000_000);
  });
});

describe('slots', () => {
  it('of odd lengths at the start are used as they are', () => {
    for (const minutes of [1, 7, 14]) {
      const slots: Slots = [[minutes, 1], ...hours(3, (slot) => slot + 2)];
      const made = plan(request(slots, 7_000, { min_power_w: 4_140, max_power_w: 11_040 }));
      assert.equal(made.total_energy_wh, 7_000);
      assert.equal(made.slots[0]?.expected_energy_wh, Math.floor((11_040 * minutes) / 60));
    }
  });

  it('after the deadline stay off, and make it the reason', () => {
    const made = plan(
      request(
        hours(4, (slot) => 9 - slot),
        15,
        { deadline_slot_index: 1 },
      ),
    );
    assert.deepEqual(energies(made), [5, 10, 0, 0]);
    assert.equal(made.binding, 'deadline');
    assert.deepEqual(
      made.slots.map(({ reason }) => reason),
      ['needed by the deadline', 'needed by the deadline', undefined, undefined],
    );
  });

  it('say their price rank', () => {
    const made = plan(
      request(
        hours(3, (slot) => [5, 1, 3][slot] ?? 0),
        15,
        {},
      ),
    );
    assert.deepEqual(
      made.slots.map(({ reason }) => reason),
      [undefined, 'price rank 1 of 3', 'price rank 2 of 3'],
    );
    assert.equal(made.binding, 'price');
  });

  it('have watts between the limits that give their energy', () => {
    const made = plan(
      request(
        [
          [7, 1],
          [15, 2],
          [60, 3],
          [90, 4],
          [1_440, 5],
        ],
        9_000,
        { min_power_w: 1_001, max_power_w: 3_333 },
      ),
    );
    const minutes = [7, 15, 60, 90, 1_440];
    for (const { index, power_w, expected_energy_wh } of made.slots) {
      assert.equal(expected_energy_wh, Math.floor((power_w * (minutes[index] ?? 0)) / 60));
      assert.ok(power_w === 0 || (power_w >= 1_001 && power_w <= 3_333), String(power_w));
    }
    assert.equal(made.total_energy_wh, 9_000);
  });
});
