import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { capabilitiesOfKind, stateOf } from '../../adapter/derive.ts';
import { createRecords, invocation } from './hub.ts';
import { easee } from './index.ts';
import { cookiesIn } from './stream.ts';
import { type EaseeWorld, makeWorld, type OpenStream, openStream, socketPair } from './test-world.ts';

const { charger } = easee.kinds;
const stateIn = (raw: unknown) => stateOf(charger, raw, capabilitiesOfKind(charger));

const seenIn = (raw: unknown) => [
  stateIn(raw),
  charger.limits?.(raw),
  charger.availableCapacity?.(raw),
  charger.observedAt?.(raw),
];

describe('records of the hub', () => {
  const all = ['{"type":6}', '{}', '{"type":1,"target":"ProductUpdate","arguments":[{"value":"å\\u001e"}]}'];
  const text = all.map((record) => `${record}\u001e`).join('');

  it('are put together however the frames are cut', () => {
    for (let size = 1; size <= text.length; size += 1) {
      const records = createRecords();
      const seen = [];
      for (let start = 0; start < text.length; start += size)
        seen.push(...records(text.slice(start, start + size)));
      assert.deepEqual(
        seen.map(({ type, target }) => [type, target]),
        [
          [6, undefined],
          [undefined, undefined],
          [1, 'ProductUpdate'],
        ],
      );
    }
  });

  it('are bounded, and JSON', () => {
    const records = createRecords();
    assert.throws(() => {
      for (let frame = 0; frame < 20; frame += 1) records('x'.repeat(100_000));
    }, /too large/);
    assert.throws(
      () => createRecords()('canary\u001e'),
      (error: Error) => !error.message.includes('canary'),
    );
    const odd = createRecords()('[]\u001e5\u001e{"type":"x"}\u001e{"type":99}\u001e');
    assert.deepEqual(odd, [{}, {}, {}, { type: 99 }]);
  });
});

describe('cookies of the negotiation', () => {
  it('are sent back without their attributes', () => {
    const header =
      'AWSALB=a+/1==; Expires=Sat, 28 Nov 2026 09:00:00 GMT; Path=/, AWSALBCORS=b2; Expires=Sat, 28 Nov 2026 09:00:00 GMT; Path=/; SameSite=None; Secure';
    assert.equal(cookiesIn(header), 'AWSALB=a+/1==; AWSALBCORS=b2');
    assert.equal(cookiesIn(''), '');
    assert.equal(cookiesIn('a=1\r\nb: 2'), 'a=1');
  });
});

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
  it('replays the state, and tells what a read would', async () => {
    const { world, open } = await opened(['EH000001', 'EC000004', 'EC000005']);
    assert.equal(open.isOpen, true);
    assert.match(open.headers[0]?.cookie ?? '', /^AWSALB=\w{40}; AWSALBCORS=\w{40}$/);
    for (const id of ['EH000001', 'EC000004', 'EC000005']) {
      const last = open.observed.findLast((one) => one.id === id);
      assert.ok(last !== undefined, `${id} was not told of`);
      assert.deepEqual(seenIn(last.raw), seenIn(await charger.read(world.session(), world.ref(id))));
    }
    open.abort();
    await open.run;
  });

  it('tells each change, and what became of commands', async () => {
    const { world, open } = await opened(['EH000001']);
    const ref = world.ref('EH000001');
    world.easee.arrange(ref, 'charging');
    await open.settle();
    assert.equal(stateIn(open.observed.at(-1)?.raw).power_w, 11_040);
    world.easee.charger('EH000001').order({ type: 'pause' }, '638780684814890970');
    world.clock.turn(600);
    await open.settle();
    // The last digits are lost, as they are in the answer of the command.
    assert.deepEqual(open.told.get(`command:${Number('638780684814890970').toFixed(0)}`), {
      wasAccepted: true,
      resultCode: 0,
    });
    assert.equal(stateIn(open.observed.at(-1)?.raw).charging, true, 'accepted is not done');
    world.clock.turn(600);
    await open.settle();
    assert.equal(stateIn(open.observed.at(-1)?.raw).charging, false);
    world.easee.charger('EH000001').setOnline(false);
    await open.settle();
    assert.equal(stateIn(open.observed.at(-1)?.raw).online, false);
    open.abort();
    await open.run;
  });

  it('tells nothing of chargers that were not asked for, or that the account does not have', async () => {
    const { world, open } = await opened(['EH000001', 'XX999999']);
    world.easee.arrange(world.ref('EC000004'), 'charging');
    world.clock.turn(10_000);
    await open.settle();
    assert.deepEqual([...new Set(open.observed.map(({ id }) => id))], ['EH000001']);
    assert.equal(open.isOpen, true);
    open.abort();
    await open.run;
  });

  it('serves 500 chargers', async () => {
    const world = await makeWorld();
    const credentials = { username: 'fleet@easee.simulated', password: 'simulated-password' };
    const session = world.session();
    const { clock } = world;
    world.tokens = await easee.login.signIn({ clock, partner: undefined, http: session.http }, credentials);
    const { devices } = await easee.link({ ...session, credentials });
    const open = openStream(
      world,
      devices.map(({ id }) => world.ref(id)),
    );
    await open.settle();
    assert.equal(new Set(open.observed.map(({ id }) => id)).size, 500);
    assert.equal(
      world.asked.filter((call) => call.startsWith('GET /state')).length,
      0,
      'no charger was read',
    );
    open.abort();
    await open.run;
  });

  it('pings, and ends with the server, a lost connection or the platform', async () => {
    const { world, open } = await opened(['EH000001']);
    world.clock.turn(60_000);
    await open.settle();
    world.easee.closeStreams();
    await open.run;
    const again = openStream(world, [world.ref('EH000001')]);
    await again.settle();
    assert.equal(again.isOpen, true, 'it can be opened anew');
    again.abort();
    await again.run;
  });

  it('does not open without a sign-in, with the address blocked, or with another answer', async () => {
    for (const [fault, code] of [
      ['login_lost', 'vendor.login_expired'],
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
  const ref = world.ref('EH000001');
  const [client, server] = socketPair();
  const sent: string[] = [];
  // Counts what is sent after the end as well, which a closed socket may answer with an exception.
  const send = (text: string) => {
    sent.push(text);
  };
  const aborting = new AbortController();
  const observed: unknown[] = [];
  const session = {
    ...world.session(),
    clock: world.clock,
    signal: aborting.signal,
    connect: async () => ({ ...client, send }),
    observed: (_id: string, raw: unknown) => void observed.push(raw),
    tell: () => {},
  };
  const run = easee.stream.run(session, [ref], () => {});
  run.catch(() => {});
  const settle = async () => {
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  await settle();
  const update = (id: number, value: unknown, mid = 'EH000001') =>
    server.send(
      invocation('ProductUpdate', [
        { mid, dataType: 3, id, timestamp: '2026-11-21T10:00:00Z', value: value as string },
      ]),
    );
  return { world, server, sent, observed, run, settle, update, abort: () => aborting.abort() };
}

describe('a stream that is not as expected', () => {
  it('asks for what the replay left out, once, and tells then', async () => {
    const { world, server, observed, settle, update, sent, abort, run } = await scripted();
    server.send('{}\u001e');
    await settle();
    assert.deepEqual(sent, [
      '{"protocol":"json","version":1}\u001e',
      '{"type":1,"target":"SubscribeWithCurrentState","arguments":["EH000001",true],"invocationId":"0"}\u001e',
    ]);
    update(109, '3');
    update(120, '4.2');
    await settle();
    assert.deepEqual(observed, [], 'half of it is not told');
    world.clock.turn(10_000);
    await settle();
    assert.equal(world.asked.filter((call) => call.startsWith('GET')).length, 1);
    assert.deepEqual([stateIn(observed.at(-1)).power_w, stateIn(observed.at(-1)).charging], [4_200, true]);
    const before = observed.length;
    update(120, '4.2');
    await settle();
    assert.equal(observed.length, before, 'what was told already is not told again');
    abort();
    await run;
  });

  it('asks again later when reads are limited', async () => {
    const { world, server, observed, settle, abort, run } = await scripted();
    server.send('{}\u001e');
    await settle();
    world.easee.fault('rate_limited');
    world.clock.turn(10_000);
    await settle();
    assert.deepEqual(observed, []);
    world.easee.fault(null);
    world.clock.turn(42_000);
    await settle();
    assert.equal(observed.length, 1);
    abort();
    await run;
  });

  it('goes on after what it does not know', async () => {
    const { world, server, observed, settle, update, abort, run } = await scripted();
    server.send('{}\u001e');
    await settle();
    world.clock.turn(10_000);
    await settle();
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
    const before = observed.length;
    await settle();
    assert.equal(observed.length, before);
    server.send(
      invocation('ChargerUpdate', [
        { mid: 'EH000001', dataType: 3, id: 120, timestamp: '2026-11-21T10:00:00Z', value: '1.5' },
      ]),
    );
    await settle();
    assert.equal(stateIn(observed.at(-1)).power_w, 1_500);
    abort();
    await run;
  });

  it('pings every 15 s', async () => {
    const { world, server, sent, settle, abort, run } = await scripted();
    server.send('{}\u001e');
    await settle();
    world.clock.turn(45_000);
    assert.equal(sent.filter((text) => text === '{"type":6}\u001e').length, 3);
    abort();
    await run;
    world.clock.turn(45_000);
    assert.equal(sent.filter((text) => text === '{"type":6}\u001e').length, 3, 'and not after the end');
  });

  it('ends at a refusal, a close with a reason, and what is not JSON', async () => {
    for (const [frames, code] of [
      [['{"error":"no such protocol"}\u001e'], 'vendor.unreachable'],
      [['{}\u001e', '{"type":7,"error":"canary"}\u001e'], 'vendor.unreachable'],
      [['{}\u001e', '<html>\u001e'], 'vendor.answer_invalid'],
    ] as const) {
      const { server, run } = await scripted();
      for (const frame of frames) server.send(frame);
      await assert.rejects(run, (error: Error & { code?: string }) => {
        assert.ok(!error.message.includes('canary'));
        return error.code === code;
      });
    }
  });
});
