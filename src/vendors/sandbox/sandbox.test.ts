import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Compile } from 'typebox/compile';
import { capabilitiesOfKind, kindOf } from '../../adapter/adapters.ts';
import { DEVICE_TYPES } from '../../adapter/device.ts';
import { CAPABILITIES } from '../../adapter/fields.ts';
import type { JsonObject } from '../../core/json.ts';
import { ConditionsSchema } from './conditions.ts';
import { sandbox } from './index.ts';
import { world } from './test-world.ts';

describe('sandbox', () => {
  it('sandbox has a device of every type, and together they have every capability', () => {
    assert.deepEqual(Object.keys(sandbox.kinds), [...DEVICE_TYPES]);
    const offered = new Set(Object.values(sandbox.kinds).flatMap(capabilitiesOfKind));
    assert.deepEqual([...offered].sort(), [...CAPABILITIES].sort());
  });

  it('sandbox has a device for both axes of load balancing', async () => {
    const here = world();
    const charger = await here.capacity(await here.device('charger'));
    const plant = await here.capacity(await here.device('industrial'));
    assert.equal(typeof charger?.current_a, 'number');
    assert.equal(charger?.power_w, null);
    assert.equal(plant?.current_a, null);
    assert.equal(typeof plant?.power_w, 'number');
  });
});

describe('sandbox accounts', () => {
  const link = (userRef: string, credentials: JsonObject = {}) =>
    sandbox.link(world({ userRef, credentials }).session());

  it('sandbox accounts gives the same ids for the same user_ref and seed, and others otherwise', async () => {
    const [first, again, otherUser, otherSeed] = await Promise.all([
      link('anna', { seed: 's' }),
      link('anna', { seed: 's' }),
      link('bertil', { seed: 's' }),
      link('anna', { seed: 't' }),
    ]);
    assert.deepEqual(first, again);
    const all = [first, otherUser, otherSeed];
    assert.equal(new Set(all.map(({ vendorAccount }) => vendorAccount)).size, 3);
    assert.equal(new Set(all.flatMap(({ devices }) => devices.map(({ id }) => id))).size, 30);
    for (const { id, type, name } of first.devices) {
      assert.match(id, new RegExp(`^${type}-[a-z2-7]{10}$`));
      assert.match(name ?? '', /^Sandbox /);
    }
  });

  it('sandbox accounts has only the requested devices, with the same ids', async () => {
    const some = await link('anna', { device_types: ['light', 'charger'] });
    const all = await link('anna');
    assert.deepEqual(
      some.devices.map(({ type }) => type),
      ['charger', 'light'],
    );
    assert.equal(some.vendorAccount, all.vendorAccount);
    const ids = new Set(all.devices.map(({ id }) => id));
    assert.ok(some.devices.every(({ id }) => ids.has(id)));
  });

  it('sandbox accounts refuses credentials that do not match the schema', async () => {
    const check = Compile(sandbox.credentials);
    for (const wrong of [
      { device_types: [] },
      { device_types: [...DEVICE_TYPES, 'light'] },
      { device_types: ['toaster'] },
      { seed: '' },
      { seed: 'x'.repeat(65) },
      { password: 'x' },
    ]) {
      assert.equal(check.Check(wrong), false, JSON.stringify(wrong));
      await assert.rejects(link('anna', wrong), { code: 'link.credentials_invalid' });
    }
    assert.equal(check.Check({ seed: 'x'.repeat(64), device_types: [...DEVICE_TYPES] }), true);
    const twice = { device_types: ['light', 'light'] };
    assert.equal((await link('anna', twice)).devices.length, 1, 'a type that is listed twice is one device');
  });

  it('sandbox accounts stores nothing when linking or reading', async () => {
    const here = world();
    for (const type of DEVICE_TYPES) {
      const device = await here.device(type);
      const first = await here.state(device);
      assert.deepEqual(await here.state(device), first);
    }
    assert.equal(here.writes(), 0);
  });
});

describe('faults', () => {
  /** Of a read, and of a command: one that may have been carried out has not failed. */
  const CODES = {
    refuse: ['vendor.refused', 'vendor.refused'],
    rate_limited: ['vendor.rate_limited', 'vendor.rate_limited'],
    garbage: ['vendor.answer_invalid', 'command.outcome_unknown'],
  };

  it('faults apply to reads and commands, and end with null', async () => {
    const here = world();
    const light = await here.device('light');
    for (const [fail, [ofRead, ofCommand]] of Object.entries(CODES)) {
      await here.conditions(light, { fail });
      await assert.rejects(here.state(light), { name: 'AppError', code: ofRead });
      await assert.rejects(here.send(light, { type: 'turn_off' }), { name: 'AppError', code: ofCommand });
    }
    await here.conditions(light, { fail: null });
    assert.equal((await here.state(light)).power_on, true);
  });

  it('faults include the time to retry', async () => {
    const here = world();
    const light = await here.device('light');
    await here.conditions(light, { fail: 'rate_limited' });
    await assert.rejects(here.state(light), { retryAfterSeconds: 30 });
  });

  it('faults never respond until the platform gives up', async () => {
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
  it('a device that is offline reads as offline, without values, and refuses commands', async () => {
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
  it('conditions are refused when the device cannot have them', async () => {
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

  it('conditions speed up time: an hour at 60 takes a minute', async () => {
    const [slow, fast] = [world(), world()];
    for (const type of DEVICE_TYPES) await fast.conditions(await fast.device(type), { time_scale: 60 });
    slow.pass(3_600);
    fast.pass(60);
    for (const type of DEVICE_TYPES) {
      const device = await slow.device(type);
      assert.deepEqual(await fast.state(device), await slow.state(device));
    }
  });

  it('conditions keep time within the calendar', async () => {
    const here = world();
    for (const type of DEVICE_TYPES) await here.conditions(await here.device(type), { time_scale: 3_600 });
    here.pass(100 * 366 * 86_400);
    for (const type of DEVICE_TYPES) assert.equal((await here.state(await here.device(type))).online, true);
  });

  it('conditions change the time scale from now on, not for the past', async () => {
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

  it("conditions stay the same when the platform's clock is set back", async () => {
    const here = world();
    const battery = await here.device('battery');
    await here.send(battery, { type: 'set_battery_power', power_w: 5_000 });
    const before = await here.state(battery);
    here.pass(-3_600);
    assert.deepEqual(await here.state(battery), before);
  });

  it('conditions survive a stored device of another format, which starts over', async () => {
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
  it('the schema of conditions names for each condition the types that it can be set on', async () => {
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
