import assert from 'node:assert/strict';
import { afterEach, beforeEach, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { type CoreWorld, makeCoreWorld } from '../../../../test/kit/core-world.ts';
import { onEachEngine } from '../../../../test/kit/databases.ts';
import { until } from '../../../../test/kit/until.ts';
import { type TestVendor, testVendor } from '../../../../test/kit/vendor-for-tests.ts';
import type { DeviceState } from '../../../adapter/device.ts';
import { rfc3339 } from '../../../core/clock.ts';
import { HOUR_MS, MINUTE_MS } from '../../../core/durations.ts';
import { AppError } from '../../../core/errors.ts';

const UNREACHABLE = new AppError('vendor.unreachable', 'connection refused');
/** What is asked for is stored after 20 ms, what is read in the background after 100 ms. */
const STORED_MS = 200;

onEachEngine('an unreachable device', (engine) => {
  let vendor: TestVendor;
  let world: CoreWorld;
  let account: number;

  beforeEach(async () => {
    vendor = testVendor({ pollSeconds: 10 });
    vendor.devices = ['light-1', 'light-2', 'light-3'];
    vendor.reading = { online: true, on: true, watt: 60 };
    world = await makeCoreWorld(engine, [vendor.adapter]);
    account = await world.newAccount();
    await world.link(account, 'testvendor');
  });
  afterEach(() => world.remove());

  const readAll = () => Promise.all(vendor.devices.map((id) => world.read(account, id)));
  const fail = async (id: string, error: unknown) => {
    vendor.onRead = async () => {
      throw error;
    };
    await assert.rejects(world.read(account, id), error as Error);
    await settled();
  };
  /** What has happened is stored. */
  const settled = async () => {
    world.clock.turn(STORED_MS);
    await world.devices.flush();
  };
  const listed = async () =>
    new Map(
      (await world.list(account)).map(({ id, ...device }) => [
        id,
        device as { state?: DeviceState; observed_at?: string },
      ]),
    );
  const onlines = async () => [...(await listed()).values()].map(({ state }) => state?.online);
  /** What follows for the other devices of the link is not waited for by the caller of a read. */
  const becomes = (expected: readonly boolean[]) =>
    until(`the devices are online: ${expected}`, async () => {
      await settled();
      return isDeepStrictEqual(await onlines(), expected);
    });
  const happened = (...types: string[]) =>
    world.database.queries
      .selectFrom('events')
      .selectAll()
      .where('type', 'in', types)
      .where('account_id', '=', account)
      .orderBy('id')
      .execute();
  const reachability = async () =>
    (await happened('device.unreachable', 'device.reachable', 'link.unreachable', 'link.reachable')).map(
      ({ type, device_id: id }) => (id === null ? type : `${type} ${id}`),
    );

  it('an unreachable device keeps its last values with their time, and is offline until it is read again', async () => {
    await readAll();
    const readAt = world.clock.now();
    world.clock.turn(HOUR_MS);
    await fail('light-1', UNREACHABLE);
    const lostAt = world.clock.now();
    const { state, observed_at } = (await listed()).get('light-1') ?? assert.fail();
    assert.deepEqual(state, { online: false, power_on: true, power_w: 60 });
    assert.equal(observed_at, rfc3339(readAt));
    // Nothing fresh is known: who asks for it asks the vendor.
    await assert.rejects(world.read(account, 'light-1'), UNREACHABLE);
    vendor.onRead = async () => {};
    const { state: back } = await world.read(account, 'light-1');
    assert.equal((back as DeviceState).online, true);
    await settled();
    assert.deepEqual((await onlines()).at(0), true);
    assert.deepEqual(
      (await reachability()).filter((what) => what.endsWith('light-1')),
      ['device.unreachable light-1', 'device.reachable light-1'],
    );
    const [event] = await happened('device.unreachable');
    assert.equal(event?.occurred_at, lostAt);
  });

  it('an unreachable device was last known at its last good read, and lost later', async () => {
    await readAll();
    await settled();
    world.clock.turn(10 * MINUTE_MS);
    await readAll();
    const readAt = world.clock.now();
    world.clock.turn(12 * MINUTE_MS);
    await fail('light-1', UNREACHABLE);
    const [event] = await happened('device.unreachable');
    const { confirmed_at, fetched_at } = JSON.parse(event?.data_json ?? assert.fail());
    assert.deepEqual([confirmed_at, fetched_at], [readAt, readAt]);
    assert.ok((event?.occurred_at ?? 0) >= readAt + 12 * MINUTE_MS);
  });

  it('an unreachable device takes the others of its link with it when the next call fails as well', async () => {
    await readAll();
    world.clock.turn(MINUTE_MS);
    await fail('light-1', UNREACHABLE);
    assert.deepEqual(await onlines(), [false, true, true]);
    await fail('light-1', new AppError('vendor.timeout', 'no response'));
    await becomes([false, false, false]);
    vendor.onRead = async () => {};
    await world.read(account, 'light-2');
    await settled();
    assert.deepEqual(await onlines(), [false, true, false], 'nothing new is known of the others');
    await until('the link is reachable again', async () => (await reachability()).includes('link.reachable'));
    assert.deepEqual((await reachability()).toSorted(), [
      ...['device.reachable light-2', 'device.unreachable light-1', 'device.unreachable light-2'],
      ...['device.unreachable light-3', 'link.reachable', 'link.unreachable'],
    ]);
  });

  it('an unreachable device is one of a link that must be linked again, too', async () => {
    await readAll();
    world.clock.turn(MINUTE_MS);
    await fail('light-1', new AppError('vendor.login_expired', 'sign in again'));
    await becomes([false, false, false]);
  });

  it('an unreachable device is not one that the vendor refuses, limits or describes in another way', async () => {
    await readAll();
    for (const code of ['vendor.refused', 'vendor.rate_limited', 'vendor.answer_invalid'] as const) {
      world.clock.turn(MINUTE_MS);
      await fail('light-1', new AppError(code, 'no'));
    }
    assert.deepEqual(await onlines(), [true, true, true]);
    assert.deepEqual(await reachability(), []);
  });

  it('an unreachable device is offline after a command that could not be sent', async () => {
    await readAll();
    vendor.onCommand = async () => {
      throw UNREACHABLE;
    };
    await assert.rejects(world.send(account, 'light-1', { type: 'turn_off' }), UNREACHABLE);
    await settled();
    assert.deepEqual(await onlines(), [false, true, true]);
  });

  it('an unreachable device is online when its vendor reports anything of it', async () => {
    await readAll();
    world.clock.turn(MINUTE_MS);
    await fail('light-1', UNREACHABLE);
    const [link] = await world.links.list(account);
    const of = { account, link: link?.id ?? assert.fail(), vendor: 'testvendor' };
    const report = { state: { power_w: 61 }, at: world.clock.now() };
    assert.equal(await world.devices.report(of, 'light-1', report), 'taken');
    await settled();
    const { state } = (await listed()).get('light-1') ?? assert.fail();
    assert.deepEqual(state, { online: true, power_on: true, power_w: 61 });
  });
});
