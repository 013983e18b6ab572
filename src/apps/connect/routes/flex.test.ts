import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { type Caller, makeWorld, type World } from '../../../../test/kit/world.ts';
import { type TurnedClock, turnedClock } from '../../../core/clock.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

interface FlexBody {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

/** A request whose body is sent bit by bit. */
interface Sending {
  readonly sent: ClientRequest;
  readonly told: Promise<FlexBody>;
}

interface FleetOptions {
  readonly members: number;
  /** Length of each id, characters. */
  readonly idLength?: number;
}

function bodyOf({ members, idLength = 12 }: FleetOptions): string {
  const one = (index: number) =>
    `{"id":"${String(index).padStart(idLength, 'x')}","baseline_w":5,"min_w":0,"max_w":10,"priority":${index % 5}}`;
  const fleet = Array.from({ length: members }, (_, index) => one(index));
  return `{"fleet":[${fleet}],"request":{"direction":"up","amount_w":7}}`;
}

describe('the fleet endpoints', () => {
  let world: World;
  let caller: Caller;
  let other: Caller;
  let clock: TurnedClock;
  before(async () => {
    clock = turnedClock();
    world = await makeWorld({ engine: 'sqlite', clock });
    caller = await world.newAccount();
    other = await world.newAccount();
  });
  after(() => world.close());

  function open(path: string, headers: Readonly<Record<string, string>>): Sending {
    const told = Promise.withResolvers<FlexBody>();
    const all = { 'x-api-key': caller.key, 'content-type': 'application/json', ...headers };
    const sent = httpRequest(`${world.connect}${path}`, { method: 'POST', headers: all }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('error', told.reject);
      response.on('end', () => {
        const { statusCode: status = 0, headers } = response;
        told.resolve({ status, headers, text: Buffer.concat(parts).toString() });
      });
    });
    sent.on('error', told.reject);
    sent.flushHeaders();
    return { sent, told: told.promise };
  }

  function post(path: string, body: string): Promise<FlexBody> {
    const { sent, told } = open(path, { 'content-length': String(Buffer.byteLength(body)) });
    sent.end(body);
    return told;
  }

  it('the fleet endpoints answer as the specification says', async () => {
    const fleet = [
      { id: 'heater', baseline_w: 2_000, min_w: 0, max_w: 3_000, priority: 2 },
      { id: 'car', baseline_w: 4_000, min_w: 1_380, max_w: 11_000, priority: 1 },
      { id: 'stale', baseline_w: 900, min_w: 0, max_w: 800, priority: 0 },
    ];
    const skipped = [{ device_id: 'stale', reason: 'baseline_w 900 is above max_w 800' }];
    const request = { direction: 'down', amount_w: 3_000 };
    const dispatched = await caller.call('POST', '/flex/dispatch', { fleet, request });
    assert.equal(dispatched.status, 200);
    assert.deepEqual(dispatched.body, {
      setpoints: [
        { device_id: 'car', target_w: 1_380, delta_w: -2_620 },
        { device_id: 'heater', target_w: 1_620, delta_w: -380 },
      ],
      delivered_w: 3_000,
      shortfall_w: 0,
      skipped,
    });
    const period = { index: 4, duration_min: 15 };
    const flexible = await caller.call('POST', '/flex/flexibility', { fleet, period });
    assert.deepEqual(flexible.body, {
      up_w: 8_000,
      down_w: 4_620,
      baseline_w: 6_900,
      period_index: 4,
      skipped,
    });
  });

  it('the fleet endpoints answer the same on a thread as at once, with and without a length', async () => {
    const small = bodyOf({ members: 3 });
    const padded = `${' '.repeat(300 * 1024)}${small}`;
    const at = await post('/flex/dispatch', small);
    assert.equal(at.status, 200);
    const thread = await post('/flex/dispatch', padded);
    assert.deepEqual([thread.status, thread.text], [200, at.text]);
    for (const body of [small, padded]) {
      const { sent, told } = open('/flex/dispatch', {});
      sent.write(body.slice(0, 70_000));
      sent.end(body.slice(70_000));
      assert.equal((await told).text, at.text);
    }
    const many = await post('/flex/dispatch', bodyOf({ members: 100_000, idLength: 60 }));
    assert.equal(many.status, 200);
    assert.equal(many.headers['content-length'], String(Buffer.byteLength(many.text)));
  });

  it('the fleet endpoints refuse a body on a thread with the same sentence', async () => {
    const broken = `${' '.repeat(300 * 1024)}{"fleet":[],"request":{"direction":"up"}}`;
    const { status, headers, text } = await post('/flex/dispatch', broken);
    assert.equal(status, 400);
    assert.equal(headers['elnav-error'], 'request.invalid');
    assert.equal(text, '{"error":"body.request is missing amount_w"}');
  });

  it('the fleet endpoints refuse a caller without a key before the body is sent', async () => {
    const { sent, told } = open('/flex/dispatch', { 'x-api-key': '', 'content-length': String(50 * MIB) });
    assert.equal((await told).status, 401);
    sent.destroy();
  });

  it('the fleet endpoints refuse more than 96 MiB, told before or found on the way', async () => {
    const { sent, told } = open('/flex/dispatch', { 'content-length': String(96 * MIB + 1) });
    const { status, text } = await told;
    assert.deepEqual([status, text], [413, '{"error":"the body is larger than 100663296 bytes"}']);
    sent.destroy();
    const endless = open('/flex/dispatch', {});
    const block = Buffer.alloc(MIB, 0x20);
    for (let written = 0; written < 97; written += 1) {
      await new Promise((resolve) => endless.sent.write(block, resolve));
    }
    assert.equal((await endless.told).status, 413);
    endless.sent.destroy();
  });

  it('the fleet endpoints take two large bodies at once, one of an account', async () => {
    const body = bodyOf({ members: 70_000 });
    const length = { 'content-length': String(Buffer.byteLength(body)) };
    const ofOther = { ...length, 'x-api-key': other.key };
    assert.ok(body.length > 4 * MIB);
    const first = open('/flex/dispatch', { 'x-api-key': other.key });
    // It has no length: that it is large shows when its first 4 MiB are there.
    await new Promise((resolve) => first.sent.write(body.slice(0, -10), resolve));
    await untilReads(world, caller);
    const again = open('/flex/dispatch', ofOther);
    again.sent.end(body);
    assert.equal((await post('/flex/dispatch', body)).status, 200);
    assert.equal((await post('/flex/dispatch', body)).status, 200);
    first.sent.end(body.slice(-10));
    assert.equal((await first.told).status, 200);
    assert.equal((await again.told).status, 200);
  });

  it('the fleet endpoints keep the place of a body that goes on coming; another waits for five seconds', async () => {
    const keys = [other.key, (await world.newAccount()).key];
    const held = keys.map((key) =>
      open('/flex/dispatch', { 'x-api-key': key, 'content-length': String(12 * MIB) }),
    );
    const write = (bytes: number) =>
      Promise.all(
        held.map(({ sent }) => new Promise((resolve) => sent.write(Buffer.alloc(bytes, 32), resolve))),
      );
    await write(80 * KIB);
    await untilReads(world, caller);
    const late = post('/flex/dispatch', bodyOf({ members: 70_000 }));
    await untilReads(world, caller);
    for (const ms of [1_900, 1_900, 1_200]) {
      await write(700 * KIB);
      await untilReads(world, caller);
      clock.turn(ms);
    }
    const { status, headers } = await late;
    assert.deepEqual([status, headers['retry-after'], headers['elnav-error']], [429, '5', 'limit.busy']);
    // A small one need not wait, and a client that hangs up gives its place back.
    assert.equal((await post('/flex/dispatch', bodyOf({ members: 2 }))).status, 200);
    for (const { sent, told } of held) {
      told.catch(() => {});
      sent.destroy();
    }
    assert.equal((await post('/flex/dispatch', bodyOf({ members: 70_000 }))).status, 200);
  });

  it('the fleet endpoints give no place to bodies that do not come, and take it from those that stop', async () => {
    const told = { 'content-length': String(16 * MIB) };
    // Two accounts: they could hold both places.
    const third = await world.newAccount();
    const silent = [
      open('/flex/dispatch', { ...told, 'x-api-key': other.key }),
      open('/optimize/plan', { ...told, 'x-api-key': third.key }),
    ];
    let given = 0;
    for (const { sent, told } of silent) {
      sent.write('{');
      void told.then(() => {
        given += 1;
      });
    }
    await untilReads(world, caller);
    // Nobody waits for them until they are given up.
    assert.equal((await post('/flex/dispatch', bodyOf({ members: 70_000 }))).status, 200);
    assert.equal(given, 0);
    clock.turn(2_000);
    const stops = open('/flex/dispatch', { ...told, 'x-api-key': other.key });
    stops.sent.write(Buffer.alloc(300 * KIB, 32));
    await untilReads(world, caller);
    clock.turn(2_000);
    const pace = (bytes: number) =>
      `{"error":"a large body must arrive at ${bytes} bytes per 2 seconds or faster"}`;
    for (const [{ sent, told }, bytes] of [
      ...silent.map((one) => [one, 64 * KIB] as const),
      [stops, 512 * KIB] as const,
    ]) {
      const { status, headers, text } = await told;
      assert.deepEqual([status, headers['elnav-error'], text], [408, 'request.timeout', pace(bytes)]);
      sent.destroy();
    }
  });

  it('the fleet endpoints give up on a body that does not arrive', async () => {
    const { sent, told } = open('/flex/dispatch', { 'content-length': String(3 * MIB) });
    sent.write('{');
    await untilReads(world, caller);
    clock.turn(30_000);
    const { status, headers } = await told;
    assert.deepEqual([status, headers['elnav-error']], [408, 'request.timeout']);
    sent.destroy();
  });

  it('the fleet endpoints give the place back of a client that hangs up or does not take its answer', async () => {
    const body = bodyOf({ members: 150_000, idLength: 60 }).replace('"amount_w":7', '"amount_w":9000000');
    const length = { 'content-length': String(Buffer.byteLength(body)) };
    const hangsUp = open('/flex/dispatch', length);
    hangsUp.told.catch(() => {});
    await new Promise<void>((resolve) => hangsUp.sent.end(body, resolve));
    hangsUp.sent.destroy();
    const headers = { 'x-api-key': caller.key, 'content-type': 'application/json', ...length };
    const stalled = httpRequest(`${world.connect}/flex/dispatch`, { method: 'POST', headers });
    stalled.end(body);
    const [answer] = (await once(stalled, 'response')) as [IncomingMessage];
    assert.equal(answer.statusCode, 200);
    clock.turn(60_000);
    answer.resume();
    await assert.rejects(once(answer, 'end'), { code: 'ECONNRESET' });
    const both = await Promise.all([post('/flex/dispatch', body), post('/flex/dispatch', body)]);
    assert.deepEqual(
      both.map(({ status }) => status),
      [200, 200],
    );
  });

  it('the fleet endpoints stop within five seconds while a thread works', async () => {
    const stopping = await makeWorld({ engine: 'sqlite' });
    const { key } = await stopping.newAccount();
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const body = bodyOf({ members: 1_000_000 });
    const working = fetch(`${stopping.connect}/flex/dispatch`, { method: 'POST', headers, body });
    const ended = working.then(
      ({ status }) => status,
      () => 'cut',
    );
    await untilReads(stopping, { ...caller, key });
    const begun = performance.now();
    await stopping.close();
    assert.ok(performance.now() - begun < 5_000, `${performance.now() - begun} ms`);
    assert.ok([200, 503, 'cut'].includes(await ended));
  });
});

/** What was sent before is in the service's hands when it has answered some requests that came after. */
async function untilReads(world: World, { key }: Caller): Promise<void> {
  for (let times = 0; times < 20; times += 1) {
    await (await fetch(`${world.connect}/healthz`, { headers: { 'x-api-key': key } })).arrayBuffer();
  }
}
