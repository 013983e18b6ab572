import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Compile } from 'typebox/compile';
import { COMMANDS } from '../../../adapter/commands.ts';
import { type PlanRequest, plan } from './index.ts';
import { energies, hours, request, type Slots } from './test-requests.ts';

describe('prices', () => {
  it('prices that are equal fill slots in order', () => {
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

  it('prices below zero add no energy', () => {
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

  it('prices are echoed with their own digits', () => {
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

  it('prices of zero cost "0", and never "-0"', () => {
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

  it('prices are summed exactly beyond 2^53', () => {
    const slots = hours(3, (slot) => `${slot + 1}.123456789012345678901234567`);
    const made = plan(request(slots, 15, {}));
    // 10 × 1.123… + 5 × 2.123…, a thousandth of it.
    assert.equal(made.total_cost, '0.021851851835185185183518518505');
  });

  it('prices with twelve decimals in 35,040 quarters add up to the last digit', () => {
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
  it('slots of odd lengths at the start are used unchanged', () => {
    for (const minutes of [1, 7, 14]) {
      const slots: Slots = [[minutes, 1], ...hours(3, (slot) => slot + 2)];
      const made = plan(request(slots, 7_000, { min_power_w: 4_140, max_power_w: 11_040 }));
      assert.equal(made.total_energy_wh, 7_000);
      assert.equal(made.slots[0]?.expected_energy_wh, Math.floor((11_040 * minutes) / 60));
    }
  });

  it('slots after the deadline stay off, and make the deadline the reason', () => {
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

  it('slots have their price rank as reason', () => {
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

  it('slots have watts between the limits that give their energy', () => {
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

const TASK = {
  current_soc: 20,
  target_soc: 80,
  capacity_wh: 20_000,
  max_power_w: 11_040,
  min_power_w: 1_400,
  deadline_slot_index: 9,
};
const PRICES = [5, 1, 4, 2].map((price) => ({ duration_min: 60, price }));

const planFor = (device_profile: PlanRequest['device_profile'], task: Partial<typeof TASK> = {}) =>
  plan({ prices: PRICES, task: { ...TASK, ...task }, device_profile });

describe('the plan of a device', () => {
  it('the plan of a device controlled by current is in whole amperes, at least 6', () => {
    // 12,000 Wh are 17.4 ampere-hours of 3 × 230 V: 18, of which the cheapest hour takes 12, since the next needs 6.
    const made = planFor({ kind: 'charger', voltage_v: 230, phases: 3 });
    assert.deepEqual(made.commands, [
      { slot_index: 0, command: { type: 'set_current', current_a: 0 } },
      { slot_index: 1, command: { type: 'set_current', current_a: 12 } },
      { slot_index: 2, command: { type: 'set_current', current_a: 0 } },
      { slot_index: 3, command: { type: 'set_current', current_a: 6 } },
    ]);
    assert.deepEqual(
      made.slots.map(({ power_w }) => power_w),
      [0, 8_280, 0, 4_140],
    );
    assert.equal(made.total_energy_wh, 12_420);
    assert.equal(made.target_reachable, true);
  });

  it('the plan of a device controlled by current uses the minimum power rounded up to an ampere', () => {
    const made = planFor(
      { kind: 'set_current', voltage_v: 230, phases: 1 },
      { max_power_w: 3_700, min_power_w: 1_700, target_soc: 30 },
    );
    assert.deepEqual(
      made.slots.map(({ power_w }) => power_w),
      [0, 2_070, 0, 0],
    );
  });

  it('the plan of a device that stops by itself when full may exceed its room in the last ampere', () => {
    const made = planFor({ kind: 'charger', voltage_v: 230, phases: 3 }, { target_soc: 100 });
    assert.equal(made.target_reachable, true);
    assert.ok(made.total_energy_wh >= 16_000 && made.total_energy_wh < 16_000 + 690);
  });

  it('the plan of a device that is a battery is in watts', () => {
    const made = planFor({ kind: 'battery' });
    assert.equal(made.total_energy_wh, 12_000);
    assert.deepEqual(
      made.commands?.map(({ command }) => command),
      made.slots.map(({ power_w }) => ({ type: 'set_battery_power', power_w })),
    );
  });

  it('the plan of a device that is switched is at full power or off', () => {
    for (const [kind, on, off] of [
      ['vehicle', 'start_charge', 'stop_charge'],
      ['charge_control', 'start_charge', 'stop_charge'],
      ['heat_pump', 'turn_on', 'turn_off'],
      ['on_off', 'turn_on', 'turn_off'],
    ] as const) {
      const made = planFor({ kind });
      assert.deepEqual(
        made.slots.map(({ power_w }) => power_w),
        [0, 11_040, 0, 11_040],
      );
      assert.deepEqual(
        made.commands?.map(({ command }) => command.type),
        [off, on, off, on],
      );
    }
  });

  it('the plan of a device has one command per slot, which devices accept unchanged', () => {
    const checks = new Map(Object.entries(COMMANDS).map(([type, schema]) => [type, Compile(schema)]));
    for (const kind of ['charger', 'battery', 'vehicle', 'light', 'set_temperature']) {
      const { commands } = planFor({ kind, voltage_v: 230, phases: 3 });
      assert.equal(commands?.length, PRICES.length);
      for (const { command } of commands) assert.ok(checks.get(command.type)?.Check(command));
    }
  });

  it('the plan of a device has no commands without a profile', () => {
    assert.equal('commands' in planFor(undefined), false);
  });
});
