import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Compile } from 'typebox/compile';
import { CAPABILITIES } from '../../adapter/capabilities.ts';
import { capabilitiesOfKind } from '../../adapter/derive.ts';
import { DEVICE_TYPES } from '../../adapter/device.ts';
import type { JsonObject } from '../../core/json.ts';
import { sandbox } from './index.ts';
import { world } from './test-world.ts';

describe('sandbox', () => {
  it('has a device of every type, and together they have every capability', () => {
    assert.deepEqual(Object.keys(sandbox.kinds), [...DEVICE_TYPES]);
    const offered = new Set(Object.values(sandbox.kinds).flatMap(capabilitiesOfKind));
    assert.deepEqual([...offered].sort(), [...CAPABILITIES].sort());
  });

  it('has a device for both axes of load balancing', async () => {
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

  it('gives the same ids for the same user_ref and seed, and others otherwise', async () => {
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

  it('has only the requested devices, with the same ids', async () => {
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

  it('refuses credentials that do not match the schema', async () => {
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

  it('stores nothing when linking or reading', async () => {
    const here = world();
    for (const type of DEVICE_TYPES) {
      const device = await here.device(type);
      const first = await here.state(device);
      assert.deepEqual(await here.state(device), first);
    }
    assert.equal(here.writes(), 0);
  });
});
