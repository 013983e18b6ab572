import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openStream } from '../../../test/kit/vendor-stream.ts';
import { refOf } from '../../../test/kit/vendor-world.ts';
import { capabilitiesOfKind, kindOf, stateOf } from '../../adapter/adapters.ts';
import type { JsonObject } from '../../core/json.ts';
import { kone } from './index.ts';
import { building, event, type KoneWorld, makeWorld, refTo, scripted, settle } from './test-world.ts';

const elevator = kindOf(kone, 'elevator');
const stateIn = (raw: unknown) => stateOf(elevator, raw, capabilitiesOfKind(elevator));

async function opened() {
  const world = await makeWorld();
  const { devices } = await world.link();
  const open = openStream(kone, world, { devices: devices.map(refOf) });
  await open.settle();
  const pass = async (seconds: number) => {
    for (let at = 0; at < seconds; at += 5) {
      world.clock.turn(5_000);
      await open.settle();
    }
  };
  const last = (id: string) => stateIn(open.observed.findLast((one) => one.id === id)?.raw);
  return { world, open, pass, last };
}

const A = '9990000951-1-1';

describe('the stream', () => {
  it('the stream reports each lift first as a read would, and then what changes', async () => {
    const { world, open, pass, last } = await opened();
    assert.equal(open.isOpen, true);
    assert.deepEqual(open.observed.map(({ id }) => id).toSorted(), [A, '9990000951-1-2', '9990000951-2-1']);
    for (const { id, raw } of open.observed) {
      const [, group, lift] = id.split('-');
      assert.deepEqual(stateIn(raw), await world.state(refTo(lift, group)));
    }
    world.kone.change(A, { isAlarm: true });
    await open.settle();
    assert.equal(last(A).operation_state, 'ALARM');
    const count = open.observed.length;
    world.kone.change(A, { floor: 3 });
    await pass(60);
    assert.equal(open.observed.length, count, 'a floor is no change of the state');
    await open.close();
  });

  it('the stream reports a controller that does not answer, and what happened once it does', async () => {
    const { world, open, pass, last } = await opened();
    world.kone.group(A).isReachable = false;
    await pass(30);
    assert.equal(last(A).online, false);
    assert.equal(last('9990000951-2-1').online, true, 'another group');
    world.kone.change(A, { door: 'OPENED' });
    world.kone.group(A).isReachable = true;
    await pass(30);
    assert.deepEqual([last(A).online, last(A).door_open], [true, true]);
    await open.close();
  });

  it('the stream goes on after the subscription of five minutes, and ends by itself when the token does, after an hour', async () => {
    const { world, open, pass, last } = await opened();
    await pass(20 * 60);
    world.kone.change(A, { door: 'OPENED' });
    await open.settle();
    assert.equal(last(A).door_open, true);
    await pass(39 * 60);
    let hasEnded = false;
    void open.run.then(() => {
      hasEnded = true;
    });
    await pass(30);
    assert.equal(hasEnded, false);
    await pass(60);
    assert.equal(hasEnded, true);
  });

  it('the stream serves 500 lifts over one connection', async () => {
    const world = await makeWorld();
    const large = Object.assign({ vendor: world.vendor }, await world.cloud.as('large')) as KoneWorld;
    const { devices } = await kone.link(large.session());
    const before = large.asked.length;
    const open = openStream(kone, large, { devices: devices.map(refOf) });
    await open.settle();
    assert.equal(new Set(open.observed.map(({ id }) => id)).size, 500);
    assert.deepEqual(large.asked.slice(before), ['WS /stream-v2']);
    await open.close();
  });
});

describe('a stream that is answered by the test', () => {
  it('a stream that is answered by the test reports a controller that no longer answers, and asks again every 25 s', async () => {
    const world = await makeWorld();
    const whole = building([event('status', { lift_mode: 12 })]);
    let isSilent = false;
    const { client, sent } = scripted(world, (request) => (isSilent ? [] : whole(request)));
    const open = openStream(kone, world, { devices: [refTo()], connect: async () => client });
    await settle();
    assert.equal(open.isOpen, true);
    isSilent = true;
    for (const online of [true, true, false]) {
      assert.equal(stateIn(open.observed.at(-1)?.raw).online, online);
      world.clock.turn(25_000);
      await settle();
    }
    const pings = sent.filter(({ callType }) => callType === 'ping').length;
    assert.equal(pings, 4);
    await open.close();
  });

  it('a stream that is answered by the test is not open before every subscription is accepted', async () => {
    const world = await makeWorld();
    const answer = building([]);
    const { client } = scripted(world, (request) => (request.groupId === '2' ? [] : answer(request)));
    const open = openStream(kone, world, {
      devices: [refTo('1', '1'), refTo('1', '2')],
      connect: async () => client,
    });
    await settle();
    assert.equal(open.isOpen, false);
    world.clock.turn(20_000);
    await assert.rejects(open.run, { code: 'vendor.timeout' });
  });

  it('a stream that is answered by the test goes on without a group that is refused, and fails where that is every group', async () => {
    const world = await makeWorld();
    const answer = building([event('status', { lift_mode: 12 })]);
    const refused = ({ callType, requestId = null }: JsonObject) =>
      callType === 'monitor' ? [{ type: 'error', requestId, statusCode: 403 }] : [];
    const { client, sent } = scripted(world, (request) =>
      request.groupId === '2' ? refused(request) : answer(request),
    );
    const devices = [refTo('1', '1'), refTo('1', '2')];
    const open = openStream(kone, world, { devices, connect: async () => client });
    await settle();
    assert.equal(open.isOpen, true);
    world.clock.turn(25_000);
    await settle();
    assert.deepEqual([...new Set(open.observed.map(({ id }) => id))], [A]);
    assert.equal(sent.filter(({ groupId }) => groupId === '2').length, 2, 'it is not asked again');
    await open.close();
    const none = scripted(world, refused);
    const ended = openStream(kone, world, { devices, connect: async () => none.client });
    await settle();
    assert.equal(ended.isOpen, false);
    await assert.rejects(ended.run, { code: 'vendor.refused' });
  });
});
