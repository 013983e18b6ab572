import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { socketPair } from '../../../test/kit/simulated-socket.ts';
import { openStream } from '../../../test/kit/vendor-stream.ts';
import { refOf } from '../../../test/kit/vendor-world.ts';
import { capabilitiesOfKind, kindOf, stateOf } from '../../adapter/adapters.ts';
import { asRecord } from '../../adapter/kit/signalr.ts';
import type { Json } from '../../core/json.ts';
import { easee } from './index.ts';
import { type EaseeWorld, makeWorld, refTo } from './test-world.ts';
import { ID, IDS } from './translate.ts';

const charger = kindOf(easee, 'charger');
const stateIn = (raw: unknown) => stateOf(charger, raw, capabilitiesOfKind(charger));

async function opened(ids: readonly string[]) {
  const world = await makeWorld();
  const open = openStream(easee, world, { devices: ids.map((id) => refTo(id)) });
  await open.settle();
  return { world, open };
}

describe('the stream', () => {
  it('the stream replays the state, and reports what a read would, of those alone that were asked for', async () => {
    const ids = ['EH000001', 'EC000004', 'EC000005'];
    const { world, open } = await opened([...ids, 'XX999999']);
    assert.equal(open.isOpen, true);
    const shownIn = (raw: unknown) => [
      stateIn(raw),
      charger.limits?.(raw),
      charger.availableCapacity?.(raw),
      charger.observedAt?.(raw),
    ];
    for (const id of ids) {
      const last = open.observed.findLast((one) => one.id === id);
      assert.ok(last !== undefined, `${id} was not reported`);
      assert.deepEqual(shownIn(last.raw), shownIn(await charger.read(world.session(), refTo(id))));
    }
    world.easee.arrange(refTo('EH000002'), 'charging');
    await open.settle();
    assert.deepEqual([...new Set(open.observed.map(({ id }) => id))].sort(), ids.toSorted());
    await open.close();
  });

  it('the stream reports each change, and what chargers say to commands', async () => {
    const { world, open } = await opened(['EH000001']);
    const own = world.easee.charger('EH000001');
    const last = () => stateIn(open.observed.at(-1)?.raw);
    const pass = async (ms: number) => {
      world.clock.turn(ms);
      await open.settle();
    };
    world.easee.arrange(refTo(), 'charging');
    await open.settle();
    assert.equal(last().power_w, 11_040);
    world.easee.order(own, { type: 'pause' }, 638780684814890970n);
    await pass(600);
    const response = open.signalled.get('response:EH000001') as { ticks: number; wasAccepted: boolean };
    // The last digits are lost, as they are in the response to the command.
    assert.deepEqual([response.ticks, response.wasAccepted], [Number('638780684814890970'), true]);
    assert.equal(last().charging, true, 'accepted is not done');
    await pass(600);
    assert.equal(last().charging, false);
    own.isOnline = false;
    await pass(15_000);
    assert.equal(last().online, false);
    await open.close();
  });

  it('the stream reports a charger once more when it has fallen silent', async () => {
    const { world, open } = await opened(['EH000001']);
    world.easee.arrange(refTo(), 'charging');
    await open.settle();
    world.easee.charger('EH000001').isSilent = true;
    const before = open.observed.length;
    world.clock.turn(21 * 60_000);
    await open.settle();
    assert.deepEqual(
      open.observed.slice(before).map(({ raw }) => [stateIn(raw).power_w, stateIn(raw).charging]),
      [[null, null]],
    );
    await open.close();
  });

  it('the stream serves 500 chargers, and reads none of them', async () => {
    const world = await makeWorld();
    const large = Object.assign({ vendor: world.vendor }, await world.cloud.as('large')) as EaseeWorld;
    const { devices } = await easee.link(large.session());
    const open = openStream(easee, large, { devices: devices.map(refOf) });
    await open.settle();
    assert.equal(new Set(open.observed.map(({ id }) => id)).size, 500);
    assert.deepEqual(
      large.asked.filter((call) => call.startsWith('GET /state')),
      [],
    );
    await open.close();
  });
});

/** The stream with a server that says what the test wants. */
async function scripted() {
  const world = await makeWorld();
  const [client, server] = socketPair();
  const open = openStream(easee, world, { devices: [refTo()], connect: async () => client });
  await open.settle();
  server.send('{}\u001e');
  await open.settle();
  const update = (id: number, value: Json, mid = 'EH000001', target = 'ProductUpdate') => {
    const payload = { mid, dataType: 3, id, timestamp: '2026-11-21T10:00:00Z', value };
    server.send(asRecord({ type: 1, target, arguments: [payload] }));
    return open.settle();
  };
  return { world, server, open, update };
}

describe('a stream that is not as expected', () => {
  it('a stream that is not as expected is whole without a temperature, which not every model may report', async () => {
    const { world, open, update } = await scripted();
    for (const id of IDS.filter((one) => one !== ID.temperature && one !== ID.opMode)) await update(id, '1');
    assert.equal(open.observed.length, 0, 'and not without the mode');
    await update(ID.opMode, '1');
    assert.ok(open.observed.length > 0);
    world.clock.turn(10_000);
    await open.settle();
    assert.deepEqual(
      world.asked.filter((call) => call.startsWith('GET')),
      [],
    );
    await open.close();
  });

  it('a stream that is not as expected goes on after what it does not know', async () => {
    const { world, server, open, update } = await scripted();
    world.clock.turn(10_000);
    await open.settle();
    const before = open.observed.length;
    for (const odd of [
      '{"type":1,"target":"SomethingNew","arguments":[1]}',
      '{"type":1,"target":"ProductUpdate","arguments":[null,5,{"mid":7},{"mid":"__proto__"}]}',
      '{"type":1,"target":"CommandResponse","arguments":[{"ticks":"x"}]}',
      '{"type":3,"invocationId":"0","error":"no"}',
      '{"type":77}',
      '"text"',
    ])
      server.send(`${odd}\u001e`);
    await update(120, '1.5', 'OTHER');
    assert.deepEqual([open.observed.length, open.signalled.size], [before, 0]);
    await update(120, '1.5', 'EH000001', 'ChargerUpdate');
    assert.equal(stateIn(open.observed.at(-1)?.raw).power_w, 1_500);
    await open.close();
  });
});
