import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { kindOf } from '../../adapter/derive.ts';
import { DEVICE_TYPES } from '../../adapter/device.ts';
import type { JsonObject } from '../../core/json.ts';
import { ConditionsSchema } from './conditions.ts';
import { sandbox } from './index.ts';
import { world } from './test-world.ts';

describe('faults', () => {
  const CODES = {
    refuse: 'vendor.refused',
    rate_limited: 'vendor.rate_limited',
    garbage: 'vendor.answer_invalid',
  };

  it('apply to reads and commands, and end with null', async () => {
    const here = world();
    const light = await here.device('light');
    for (const [fail, code] of Object.entries(CODES)) {
      await here.conditions(light, { fail });
      await assert.rejects(here.state(light), { name: 'AppError', code });
      await assert.rejects(here.send(light, { type: 'turn_off' }), { name: 'AppError', code });
    }
    await here.conditions(light, { fail: null });
    assert.equal((await here.state(light)).power_on, true);
  });

  it('include the time to retry', async () => {
    const here = world();
    const light = await here.device('light');
    await here.conditions(light, { fail: 'rate_limited' });
    await assert.rejects(here.state(light), { retryAfterSeconds: 30 });
  });

  it('never respond until the platform gives up', async () => {
    const here = world();
    const light = await here.device('light');
    await here.conditions(light, { fail: 'timeout' });
    const patience = new AbortController();
    const read = kindOf(sandbox, 'light').read(here.session(patience.signal), light);
    let settled = false;
    const watched = read.finally(() => {
      settled = true;
    });
    here.pass(86_400);
    await new Promise(setImmediate);
    assert.equal(settled, false);
    patience.abort();
    await assert.rejects(watched, { name: 'AppError', code: 'vendor.timeout' });
    await assert.rejects(kindOf(sandbox, 'light').read(here.session(AbortSignal.abort()), light), {
      code: 'vendor.timeout',
    });
  });
});

describe('a device that is offline', () => {
  it('reads as offline, without values, and refuses commands', async () => {
    const here = world();
    for (const type of DEVICE_TYPES) {
      const device = await here.device(type);
      await here.conditions(device, { online: false });
      const { online, ...rest } = await here.state(device);
      assert.equal(online, false);
      assert.ok(Object.values(rest).every((value) => value === null));
    }
    const light = await here.device('light');
    await assert.rejects(here.send(light, { type: 'turn_off' }), { code: 'device.offline' });
    await here.conditions(light, { online: true });
    assert.equal((await here.state(light)).power_on, true);
  });
});

describe('conditions', () => {
  it('are refused when the device cannot have them', async () => {
    const here = world();
    const refused = async (type: (typeof DEVICE_TYPES)[number], conditions: JsonObject, message: RegExp) =>
      assert.rejects(here.conditions(await here.device(type), conditions), {
        code: 'request.invalid',
        message,
      });
    await refused('light', { battery_soc: 50 }, /battery_soc cannot be set on a light: it has no battery/);
    await refused('battery', { plugged_in: true }, /plugged_in cannot be set on a battery/);
    await refused('light', { colour: 'red' }, /only the conditions/);
    await refused('light', { time_scale: 0 }, /only the conditions/);
    await refused('vehicle', { battery_soc: 101 }, /only the conditions/);
    assert.equal(here.writes(), 0);
  });

  it('speed up time: an hour at 60 takes a minute', async () => {
    const [slow, fast] = [world(), world()];
    for (const type of DEVICE_TYPES) await fast.conditions(await fast.device(type), { time_scale: 60 });
    slow.pass(3_600);
    fast.pass(60);
    for (const type of DEVICE_TYPES) {
      const device = await slow.device(type);
      assert.deepEqual(await fast.state(device), await slow.state(device));
    }
  });

  it('keep time within the calendar', async () => {
    const here = world();
    for (const type of DEVICE_TYPES) await here.conditions(await here.device(type), { time_scale: 3_600 });
    here.pass(100 * 366 * 86_400);
    for (const type of DEVICE_TYPES) assert.equal((await here.state(await here.device(type))).online, true);
  });

  it('change the time scale from now on, not for the past', async () => {
    const here = world();
    const vehicle = await here.device('vehicle');
    await here.conditions(vehicle, { battery_soc: 20 });
    here.pass(3_600);
    const before = await here.state(vehicle);
    await here.conditions(vehicle, { time_scale: 3_600 });
    assert.deepEqual(await here.state(vehicle), before);
    await here.conditions(vehicle, { time_scale: 1 });
    assert.deepEqual(await here.state(vehicle), before);
  });

  it("stay the same when the platform's clock is set back", async () => {
    const here = world();
    const battery = await here.device('battery');
    await here.send(battery, { type: 'set_battery_power', power_w: 5_000 });
    const before = await here.state(battery);
    here.pass(-3_600);
    assert.deepEqual(await here.state(battery), before);
  });

  it('survive a stored device of another format, which starts over', async () => {
    const here = world();
    const vehicle = await here.device('vehicle');
    const first = await here.state(vehicle);
    await here.conditions(vehicle, { battery_soc: 1 });
    const [name] = here.documents.keys();
    assert.equal(name, `device/${vehicle.id}`);
    here.documents.set(name, { real_ms: 'yesterday' });
    assert.deepEqual(await here.state(vehicle), first);
  });
});

describe('the schema of conditions', () => {
  it('names for each condition the types that it can be set on', async () => {
    const here = world();
    const some: JsonObject = {
      ...{ online: true, plugged_in: true, battery_soc: 50, remote_start_allowed: true },
      ...{ fail: null, time_scale: 1 },
    };
    for (const [field, schema] of Object.entries(ConditionsSchema.properties)) {
      const types = (schema as { 'x-device-types'?: readonly string[] })['x-device-types'] ?? DEVICE_TYPES;
      const taken: string[] = [];
      for (const type of DEVICE_TYPES) {
        const device = await here.device(type);
        await here.conditions(device, { [field]: some[field] ?? null }).then(
          () => taken.push(type),
          () => {},
        );
      }
      const named = DEVICE_TYPES.filter((type) => types.includes(type));
      assert.deepEqual(taken, named, field);
    }
  });
});
