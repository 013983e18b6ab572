import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Compile } from 'typebox/compile';
import { COMMANDS } from '../../adapter/commands.ts';
import { type PlanRequest, plan } from './index.ts';

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
  it('controlled by current is in whole amperes, at least 6', () => {
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

  it('controlled by current uses the minimum power rounded up to an ampere', () => {
    const made = planFor(
      { kind: 'set_current', voltage_v: 230, phases: 1 },
      { max_power_w: 3_700, min_power_w: 1_700, target_soc: 30 },
    );
    assert.deepEqual(
      made.slots.map(({ power_w }) => power_w),
      [0, 2_070, 0, 0],
    );
  });

  it('that stops by itself when full may exceed its room in the last ampere', () => {
    const made = planFor({ kind: 'charger', voltage_v: 230, phases: 3 }, { target_soc: 100 });
    assert.equal(made.target_reachable, true);
    assert.ok(made.total_energy_wh >= 16_000 && made.total_energy_wh < 16_000 + 690);
  });

  it('that is a battery is in watts', () => {
    const made = planFor({ kind: 'battery' });
    assert.equal(made.total_energy_wh, 12_000);
    assert.deepEqual(
      made.commands?.map(({ command }) => command),
      made.slots.map(({ power_w }) => ({ type: 'set_battery_power', power_w })),
    );
  });

  it('that is switched is at full power or off', () => {
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

  it('has one command per slot, which devices accept unchanged', () => {
    const checks = new Map(Object.entries(COMMANDS).map(([type, schema]) => [type, Compile(schema)]));
    for (const kind of ['charger', 'battery', 'vehicle', 'light', 'set_temperature']) {
      const { commands } = planFor({ kind, voltage_v: 230, phases: 3 });
      assert.equal(commands?.length, PRICES.length);
      for (const { command } of commands) assert.ok(checks.get(command.type)?.Check(command));
    }
  });

  it('has no commands without a profile', () => {
    assert.equal('commands' in planFor(undefined), false);
  });
});
