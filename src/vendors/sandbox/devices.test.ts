import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Command } from '../../adapter/commands.ts';
import type { DeviceType } from '../../adapter/device.ts';
import { world } from './test-world.ts';

const NIGHT = Date.UTC(2026, 10, 21, 1);

async function one(type: DeviceType, start?: number) {
  const here = world(start === undefined ? {} : { start });
  const device = await here.device(type);
  return {
    ...here,
    state: () => here.state(device),
    capacity: () => here.capacity(device),
    send: (command: Command) => here.send(device, command),
    conditions: (conditions: Parameters<typeof here.conditions>[1]) => here.conditions(device, conditions),
  };
}

describe('vehicle', () => {
  it('vehicle arrives plugged in, charges to 80 % and stops', async () => {
    const car = await one('vehicle');
    const first = await car.state();
    assert.deepEqual([first.connected, first.charging, first.power_w], [true, true, 11_040]);
    car.pass(12 * 3_600);
    const last = await car.state();
    assert.deepEqual([last.battery_soc, last.charging, last.power_w], [80, false, 0]);
    assert.equal(last.operation_state, 'complete');
  });

  it('vehicle draws 230 V on three phases: 6 A is 4,140 W, 0 A pauses and a start resumes', async () => {
    const car = await one('vehicle');
    await car.send({ type: 'set_current', current_a: 6 });
    assert.equal((await car.state()).power_w, 4_140);
    await car.send({ type: 'set_current', current_a: 0 });
    assert.equal((await car.state()).operation_state, 'paused');
    await car.send({ type: 'start_charge' });
    assert.equal((await car.state()).power_w, 11_040);
  });

  it('vehicle never reads as at its limit while it still charges', async () => {
    const car = await one('vehicle');
    await car.conditions({ battery_soc: 79 });
    car.pass(180);
    const { battery_soc, charging } = await car.state();
    assert.deepEqual([battery_soc, charging], [79, true]);
  });

  it('vehicle charges by default when it is plugged in again, and never while unplugged', async () => {
    const car = await one('vehicle');
    await car.send({ type: 'stop_charge' });
    await car.conditions({ plugged_in: false });
    const { connected, charging } = await car.state();
    assert.deepEqual([connected, charging], [false, false]);
    await assert.rejects(car.send({ type: 'start_charge' }), {
      code: 'vendor.refused',
      message: /plugged in/,
    });
    await car.conditions({ plugged_in: true });
    assert.equal((await car.state()).charging, true);
  });

  it('vehicle refuses a current between 0 and the minimum', async () => {
    const car = await one('vehicle');
    const expected = { code: 'command.out_of_range', message: /from 6 to 16; got 3/ };
    await assert.rejects(car.send({ type: 'set_current', current_a: 3 }), expected);
    await assert.rejects(car.send({ type: 'set_charge_limit', percent: 101 }), {
      code: 'command.out_of_range',
    });
  });
});

describe('charger', () => {
  it('charger meters the energy of its car', async () => {
    const charger = await one('charger', NIGHT);
    await charger.conditions({ battery_soc: 20 });
    const before = await charger.state();
    charger.pass(3_600);
    const after = await charger.state();
    assert.equal(after.power_w, 11_040);
    assert.ok(Math.abs((after.energy_wh ?? 0) - (before.energy_wh ?? 0) - 11_040) <= 1);
  });

  it('charger leaves the house its load in the evening', async () => {
    const charger = await one('charger', Date.UTC(2026, 10, 21, 18));
    await charger.conditions({ battery_soc: 20 });
    const { power_w, charging } = await charger.state();
    assert.equal(charging, true);
    assert.ok((power_w ?? 0) < 16 * 690);
    assert.equal((await charger.capacity())?.current_a, 0);
  });

  it('charger is limited by load balancing, by current only', async () => {
    const charger = await one('charger', NIGHT);
    await charger.conditions({ battery_soc: 20 });
    await charger.send({ type: 'set_limit', max_a: 9 });
    assert.equal((await charger.state()).power_w, 9 * 690);
    await assert.rejects(charger.send({ type: 'set_limit', max_w: 4_000 }), {
      code: 'command.axis_unsupported',
      message: /limits by current only; set max_a/,
    });
    await assert.rejects(charger.send({ type: 'set_limit', max_a: 17 }), { code: 'command.out_of_range' });
  });
});

describe('a limit with an end', () => {
  it('a limit with an end applies for its time, and then the following limit does', async () => {
    const charger = await one('charger', NIGHT);
    await charger.conditions({ battery_soc: 20 });
    await charger.send({ type: 'set_current', current_a: 8, for_seconds: 600, then_current_a: 12 });
    charger.pass(599);
    assert.equal((await charger.state()).power_w, 8 * 690);
    charger.pass(1);
    assert.equal((await charger.state()).power_w, 12 * 690);
  });

  it('a limit with an end is followed by the maximum when the command gives no other', async () => {
    const car = await one('vehicle', NIGHT);
    await car.conditions({ plugged_in: true, battery_soc: 20 });
    await car.send({ type: 'set_current', current_a: 0, for_seconds: 60 });
    assert.equal((await car.state()).charging, false);
    car.pass(60);
    assert.equal((await car.state()).power_w, 16 * 690);
  });

  it('a limit with an end is replaced by the next limit, and by the start that ends a pause', async () => {
    const charger = await one('charger', NIGHT);
    await charger.conditions({ battery_soc: 20 });
    await charger.send({ type: 'set_current', current_a: 8, for_seconds: 600 });
    await charger.send({ type: 'set_current', current_a: 10 });
    charger.pass(601);
    assert.equal((await charger.state()).power_w, 10 * 690);
    await charger.send({ type: 'set_current', current_a: 0, for_seconds: 600, then_current_a: 7 });
    await charger.send({ type: 'start_charge' });
    charger.pass(601);
    assert.equal((await charger.state()).power_w, 16 * 690);
  });
});

describe('heat pump and thermostat', () => {
  it('heat pump and thermostat hold the target, and cool when switched off', async () => {
    const pump = await one('heat_pump');
    pump.pass(2 * 86_400);
    const holding = await pump.state();
    assert.equal(holding.temperature_milli_c, 21_000);
    assert.ok((holding.power_w ?? 0) > 300 && (holding.power_w ?? 0) < 2_000);
    await pump.send({ type: 'turn_off' });
    pump.pass(86_400);
    const off = await pump.state();
    assert.ok((off.temperature_milli_c ?? 0) < 18_000);
    assert.deepEqual([off.power_w, off.energy_wh, off.power_on], [0, 0, false]);
  });

  it('heat pump and thermostat report whether they heat, and the target', async () => {
    for (const type of ['heat_pump', 'thermostat'] as const) {
      const heater = await one(type);
      await heater.send({ type: 'set_temperature', target_milli_c: 24_500 });
      assert.equal((await heater.state()).operation_state, 'heating, target 24.5 °C');
      await heater.send({ type: 'set_temperature', target_milli_c: 5_000 });
      assert.equal((await heater.state()).operation_state, 'idle, target 5 °C');
    }
  });

  it('heat pump and thermostat refuse a target outside 5 to 35 °C with the range', async () => {
    for (const type of ['heat_pump', 'thermostat'] as const) {
      const heater = await one(type);
      for (const target_milli_c of [4_999, 35_001])
        await assert.rejects(heater.send({ type: 'set_temperature', target_milli_c }), {
          code: 'command.out_of_range',
          message: /from 5000 to 35000 \(5 to 35 °C\)/,
        });
    }
  });

  it('heat pump and thermostat count the energy of the Stockholm day', async () => {
    const pump = await one('heat_pump', Date.UTC(2026, 10, 20, 23));
    pump.pass(23 * 3_600);
    const evening = await pump.state();
    assert.ok((evening.energy_wh ?? 0) > 10_000);
    pump.pass(2 * 3_600);
    assert.ok(((await pump.state()).energy_wh ?? 0) < 3_000);
  });
});

describe('solar inverter', () => {
  it('solar inverter produces by day and not by night', async () => {
    const noon = await one('solar_inverter', Date.UTC(2026, 5, 21, 11));
    const { production_w, energy_wh } = await noon.state();
    assert.ok((production_w ?? 0) > 900 && (energy_wh ?? 0) > 3_000);
    noon.pass(600);
    const made = ((await noon.state()).energy_wh ?? 0) - (energy_wh ?? 0);
    assert.ok(Math.abs(made - (production_w ?? 0) / 6) < 0.01 * made + 1);
    noon.pass(12 * 3_600);
    assert.equal((await noon.state()).production_w, 0);
  });
});

describe('battery', () => {
  it('battery loses a tenth in a round trip, and stops when full and when empty', async () => {
    const battery = await one('battery');
    await battery.conditions({ battery_soc: 0 });
    await battery.send({ type: 'set_battery_power', power_w: 2_000 });
    battery.pass(3_600);
    assert.equal((await battery.state()).battery_soc, 19);
    battery.pass(86_400);
    const full = await battery.state();
    assert.deepEqual([full.battery_soc, full.power_w, full.charging], [100, 0, false]);
    await battery.send({ type: 'set_battery_power', power_w: -1_900 });
    battery.pass(3_600);
    const { battery_soc, power_w } = await battery.state();
    assert.deepEqual([battery_soc, power_w], [80, -1_900]);
    battery.pass(86_400);
    const empty = await battery.state();
    assert.deepEqual([empty.battery_soc, empty.power_w], [0, 0]);
    await assert.rejects(battery.send({ type: 'set_battery_power', power_w: 5_001 }), {
      code: 'command.out_of_range',
    });
  });
});

describe('appliance', () => {
  it('appliance runs its programme after a delay and ends by itself', async () => {
    const washer = await one('smart_home_appliance');
    await washer.send({ type: 'delayed_start', delay_seconds: 600 });
    assert.equal((await washer.state()).operation_state, 'delayed');
    washer.pass(700);
    const running = await washer.state();
    assert.deepEqual([running.operation_state, running.remaining_seconds], ['running', 5_300]);
    assert.equal(running.power_w, 2_000);
    await assert.rejects(washer.send({ type: 'start_program' }), { code: 'vendor.refused' });
    washer.pass(5_300);
    const finished = await washer.state();
    assert.deepEqual([finished.operation_state, finished.remaining_seconds], ['finished', 0]);
  });

  it('appliance stops when switched off, and starts nothing while off', async () => {
    const washer = await one('smart_home_appliance');
    await washer.send({ type: 'start_program' });
    await washer.send({ type: 'turn_off' });
    await assert.rejects(washer.send({ type: 'start_program' }), { code: 'vendor.refused' });
    await washer.send({ type: 'turn_on' });
    assert.equal((await washer.state()).operation_state, 'ready');
    for (const delay_seconds of [0, 86_401])
      await assert.rejects(washer.send({ type: 'delayed_start', delay_seconds }), {
        code: 'command.out_of_range',
      });
  });
});

describe('light', () => {
  it('light draws power by its brightness, and reports dim and colour', async () => {
    const light = await one('light');
    assert.equal((await light.state()).power_w, 12);
    await light.send({ type: 'set_light', dim: 40, color: [255, 0, 10] });
    const dimmed = await light.state();
    assert.deepEqual([dimmed.power_w, dimmed.operation_state], [5, 'dim 40, color 255,0,10']);
    await light.send({ type: 'set_light', dim: 0 });
    assert.equal((await light.state()).power_on, false);
    await light.send({ type: 'turn_on' });
    assert.equal((await light.state()).power_w, 5);
    for (const wrong of [{ dim: 101 }, { color: [0, 0, 256] }, {}])
      await assert.rejects(light.send({ type: 'set_light', ...wrong }), { code: 'command.out_of_range' });
  });
});

describe('elevator and industrial', () => {
  it('elevator and industrial meter what they draw, and nothing while off', async () => {
    for (const type of ['elevator', 'industrial'] as const) {
      const building = await one(type);
      const before = (await building.state()).energy_wh ?? 0;
      building.pass(86_400);
      const after = (await building.state()).energy_wh ?? 0;
      assert.ok(after > before + 3_000);
      await building.send({ type: 'turn_off' });
      building.pass(86_400);
      const off = await building.state();
      assert.deepEqual([off.power_on, off.power_w, off.energy_wh], [false, 0, after]);
    }
  });

  it('elevator and industrial reports that a lift is moving', async () => {
    const lift = await one('elevator', Date.UTC(2026, 10, 20, 7));
    const states = new Set<unknown>();
    for (let second = 0; second < 360; second += 5) {
      lift.pass(5);
      states.add((await lift.state()).operation_state);
    }
    assert.deepEqual([...states].sort(), ['moving down', 'moving up', 'waiting']);
  });

  it('elevator and industrial limits the plant by power only', async () => {
    const plant = await one('industrial', Date.UTC(2026, 10, 20, 12));
    await plant.send({ type: 'set_limit', max_w: 100_000 });
    const capped = await plant.state();
    assert.deepEqual([capped.power_w, capped.operation_state], [100_000, 'running, limited']);
    assert.deepEqual(await plant.capacity(), { current_a: null, power_w: 0 });
    await assert.rejects(plant.send({ type: 'set_limit', max_a: 10 }), {
      code: 'command.axis_unsupported',
      message: /limits by power only; set max_w/,
    });
    await assert.rejects(plant.send({ type: 'set_limit', max_w: 49_999 }), { code: 'command.out_of_range' });
  });
});
