import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { socketPair } from '../../../test/kit/simulated-stream.ts';
import { asRecord } from '../../adapter/kit/signalr.ts';
import type { Json } from '../../core/json.ts';
import { ID, IDS } from './charger.ts';
import { easee } from './index.ts';
import { charger, type EaseeWorld, makeWorld, type OpenStream, openStream, stateIn } from './test-world.ts';

const seenIn = (raw: unknown) => [
  stateIn(raw),
  charger.limits?.(raw),
  charger.availableCapacity?.(raw),
  charger.observedAt?.(raw),
];

async function opened(ids: readonly string[]): Promise<{ world: EaseeWorld; open: OpenStream }> {
  const world = await makeWorld();
  const open = openStream(
    world,
    ids.map((id) => world.ref(id)),
  );
  await open.settle();
  return { world, open };
}

describe('the stream', () => {
  it('replays the state, and reports what a read would', async () => {
    const { world, open } = await opened(['EH000001', 'EC000004', 'EC000005']);
    assert.equal(open.isOpen, true);
    for (const id of ['EH000001', 'EC000004', 'EC000005']) {
      const last = open.observed.findLast((one) => one.id === id);
      assert.ok(last !== undefined, `${id} was not reported`);
      assert.deepEqual(seenIn(last.raw), seenIn(await charger.read(world.session(), world.ref(id))));
    }
    open.abort();
    await open.run;
  });

  it('reports each change, and what chargers say to commands', async () => {
    const { world, open } = await opened(['EH000001']);
    const ref = world.ref('EH000001');
    const last = () => stateIn(open.observed.at(-1)?.raw);
    world.easee.arrange(ref, 'charging');
    await open.settle();
    assert.equal(last().power_w, 11_040);
    world.easee.charger('EH000001').order({ type: 'pause' }, 638780684814890970n);
    world.clock.turn(600);
    await open.settle();
    const response = open.signalled.get('response:EH000001') as { ticks: number; wasAccepted: boolean };
    // The last digits are lost, as they are in the response to the command.
    assert.deepEqual([response.ticks, response.wasAccepted], [Number('638780684814890970'), true]);
    assert.equal(last().charging, true, 'accepted is not done');
    world.clock.turn(600);
    await open.settle();
    assert.equal(last().charging, false);
    world.easee.charger('EH000001').setOnline(false);
    await open.settle();
    assert.equal(last().online, false);
    open.abort();
    await open.run;
  });

  it('reports a charger once more when it has fallen silent', async () => {
    const { world, open } = await opened(['EH000001']);
    world.easee.arrange(world.ref('EH000001'), 'charging');
    await open.settle();
    world.easee.charger('EH000001').fallSilent();
    const before = open.observed.length;
    const states = () => open.observed.slice(before).map(({ raw }) => stateIn(raw));
    world.clock.turn(20 * 60_000);
    await open.settle();
    assert.deepEqual(states(), []);
    world.clock.turn(15_000);
    await open.settle();
    assert.deepEqual(
      states().map(({ power_w, charging, online }) => [power_w, charging, online]),
      [[null, null, true]],
    );
    world.clock.turn(60 * 60_000);
    await open.settle();
    assert.equal(states().length, 1, 'and not again');
    open.abort();
    await open.run;
  });

  it('reports nothing of chargers that were not asked for, or that the account does not have', async () => {
    const { world, open } = await opened(['EH000001', 'XX999999']);
    world.easee.arrange(world.ref('EC000004'), 'charging');
    world.clock.turn(10_000);
    await open.settle();
    assert.deepEqual([...new Set(open.observed.map(({ id }) => id))], ['EH000001']);
    assert.equal(open.isOpen, true);
    open.abort();
    await open.run;
  });

  it('serves 500 chargers, and reads none of them', async () => {
    const world = await makeWorld();
    const large = await world.cloud.as('large');
    const { devices } = await easee.link(large.session());
    const owned = { ...world, ...large, easee: world.easee, clock: world.clock } as EaseeWorld;
    const open = openStream(
      owned,
      devices.map(({ id }) => world.ref(id)),
    );
    await open.settle();
    assert.equal(new Set(open.observed.map(({ id }) => id)).size, 500);
    assert.deepEqual(
      owned.asked.filter((call) => call.startsWith('GET /state')),
      [],
    );
    open.abort();
    await open.run;
  });

  it('ends with the server, and can be opened anew', async () => {
    const { world, open } = await opened(['EH000001']);
    world.clock.turn(60_000);
    await open.settle();
    world.easee.closeStreams();
    await open.run;
    const again = openStream(world, [world.ref('EH000001')]);
    await again.settle();
    assert.equal(again.isOpen, true);
    again.abort();
    await again.run;
  });

  it('does not open without a sign-in, with the address blocked, or with another response', async () => {
    for (const [fault, code] of [
      ['login_lost', 'vendor.login_expired'],
      ['forbidden', 'vendor.rate_limited'],
      ['rate_limited', 'vendor.rate_limited'],
      ['html', 'vendor.answer_invalid'],
      ['server_error', 'vendor.unreachable'],
    ] as const) {
      const world = await makeWorld();
      world.easee.fault(fault);
      const open = openStream(world, [world.ref('EH000001')]);
      await assert.rejects(open.run, { code });
      assert.equal(open.isOpen, false);
    }
  });
});

/** The stream with a server that says what the test wants. */
async function scripted() {
  const world = await makeWorld();
  const [client, server] = socketPair();
  const open = openStream(world, [world.ref('EH000001')], async () => client);
  await open.settle();
  const invoke = (target: string, ...args: Json[]) =>
    server.send(asRecord({ type: 1, target, arguments: args }));
  const update = (id: number, value: Json, mid = 'EH000001', target = 'ProductUpdate') =>
    invoke(target, { mid, dataType: 3, id, timestamp: '2026-11-21T10:00:00Z', value });
  server.send('{}\u001e');
  await open.settle();
  const reads = () => world.asked.filter((call) => call.startsWith('GET')).length;
  return { world, server, open, invoke, update, reads };
}

describe('a stream that is not as expected', () => {
  it('reads what the replay left out, once, and reports then', async () => {
    const { world, open, update, reads } = await scripted();
    update(109, '3');
    update(120, '4.2');
    await open.settle();
    assert.equal(open.observed.length, 0, 'half of it is not reported');
    world.clock.turn(10_000);
    await open.settle();
    assert.equal(reads(), 1);
    const state = stateIn(open.observed.at(-1)?.raw);
    assert.deepEqual([state.power_w, state.charging], [4_200, true]);
    const before = open.observed.length;
    update(120, '4.2');
    await open.settle();
    assert.equal(open.observed.length, before, 'what was reported already is not reported again');
    world.clock.turn(3_600_000);
    await open.settle();
    assert.equal(reads(), 1);
    open.abort();
    await open.run;
  });

  it('does not wait for a temperature, which not every model may report', async () => {
    const { world, open, update, reads } = await scripted();
    for (const id of IDS.filter((one) => one !== ID.temperature)) update(id, '1');
    await open.settle();
    assert.equal(open.observed.length > 0, true);
    world.clock.turn(10_000);
    await open.settle();
    assert.equal(reads(), 0);
    open.abort();
    await open.run;
  });

  it('reads again later when reads are limited, and not after its end', async () => {
    const { world, open, reads } = await scripted();
    world.easee.fault('rate_limited');
    world.clock.turn(10_000);
    await open.settle();
    assert.deepEqual([open.observed.length, reads()], [0, 1]);
    world.easee.fault(null);
    world.clock.turn(300_000);
    await open.settle();
    assert.equal(open.observed.length, 1);
    open.abort();
    await open.run;
    const ended = await scripted();
    ended.server.close();
    await ended.open.run;
    ended.world.clock.turn(10_000);
    await ended.open.settle();
    assert.equal(ended.reads(), 0);
  });

  it('goes on after what it does not know', async () => {
    const { world, server, open, update } = await scripted();
    world.clock.turn(10_000);
    await open.settle();
    for (const odd of [
      '{"type":1,"target":"SomethingNew","arguments":[1]}',
      '{"type":1,"target":"ProductUpdate","arguments":[null,5,{"mid":7},{"mid":"__proto__"}]}',
      '{"type":1,"target":"CommandResponse","arguments":[{"ticks":"x"}]}',
      '{"type":3,"invocationId":"0","error":"no"}',
      '{"type":77}',
      '"text"',
    ])
      server.send(`${odd}\u001e`);
    update(120, '1.5', 'OTHER');
    const before = open.observed.length;
    await open.settle();
    assert.equal(open.observed.length, before);
    update(120, '1.5', 'EH000001', 'ChargerUpdate');
    await open.settle();
    assert.equal(stateIn(open.observed.at(-1)?.raw).power_w, 1_500);
    assert.equal(open.signalled.size, 0);
    open.abort();
    await open.run;
  });
});
