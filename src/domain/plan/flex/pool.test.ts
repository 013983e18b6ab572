import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { turnedClock } from '../../../core/clock.ts';
import { answer } from './answer.ts';
import { createFlexPool, type FlexPool, type Task } from './pool.ts';

const clock = turnedClock();
const ACCOUNT = 7;

function bodyOf(members: number): Uint8Array<ArrayBuffer> {
  const fleet = Array.from({ length: members }, (_, index) => ({
    id: `gerät "${index}"`,
    baseline_w: index,
    min_w: 0,
    max_w: 11_000,
    priority: index % 7,
  }));
  const request = { direction: 'up', amount_w: members * 2_000 };
  return new TextEncoder().encode(JSON.stringify({ fleet, request }));
}

/** The body in blocks of this size, as a body of unknown length arrives. */
function taskOf(body: Uint8Array, size: number): Task {
  const count = Math.ceil(body.length / size);
  const blocks = Array.from({ length: count }, (_, index) => {
    const block = new Uint8Array(size);
    block.set(body.subarray(index * size, (index + 1) * size));
    return block.buffer;
  });
  return { question: 'dispatch', blocks, length: body.length };
}

const whole = (body: Uint8Array<ArrayBuffer>) => taskOf(body, body.length);
const pools: FlexPool[] = [];

function poolOf(threads: number, mostOfAccount = 32): FlexPool {
  const pool = createFlexPool({ threads, waiting: { most: 32, mostOfAccount }, clock });
  pools.push(pool);
  return pool;
}

describe('a pool of threads', () => {
  after(() => Promise.all(pools.map((pool) => pool.close())));

  it('a pool of threads returns the same bytes as without threads, however the body arrived', async () => {
    const pool = poolOf(2);
    for (const members of [0, 1, 15_000]) {
      const body = bodyOf(members);
      const tasks = [whole(body), taskOf(body, 64 * 1024), taskOf(body, 999)];
      const inline = Buffer.concat(answer('dispatch', body.slice()));
      for (const answered of await Promise.all(tasks.map((task) => pool.run(ACCOUNT, task)))) {
        assert.ok(Buffer.concat(answered).equals(inline));
      }
    }
  });

  it('a pool of threads passes on the error for an invalid body, and continues', async () => {
    const pool = poolOf(1);
    const broken = pool.run(ACCOUNT, whole(new TextEncoder().encode('{"fleet":7}')));
    const next = pool.run(ACCOUNT, whole(bodyOf(1)));
    await assert.rejects(broken, {
      name: 'AppError',
      code: 'request.invalid',
      message: 'body.fleet must be a list, not 7',
    });
    assert.equal((await next).length, 1);
  });

  it('a pool of threads survives a thread that fails', async () => {
    const pool = poolOf(1);
    const broken = pool.run(ACCOUNT, { question: 'dispatch', blocks: [], length: -1 });
    const next = pool.run(ACCOUNT, whole(bodyOf(1)));
    await assert.rejects(broken, RangeError);
    assert.equal((await next).length, 1);
  });

  it('a pool of threads refuses a body when the queue is full', async () => {
    const pool = poolOf(1, 1);
    const tasks = Array.from({ length: 3 }, () => pool.run(ACCOUNT, whole(bodyOf(100))));
    const settled = await Promise.allSettled(tasks);
    assert.deepEqual(
      settled.map(({ status }) => status),
      ['fulfilled', 'fulfilled', 'rejected'],
    );
    await assert.rejects(Promise.all(tasks), { code: 'limit.busy', retryAfterSeconds: 2 });
  });

  it('a pool of threads schedules accounts in turn', async () => {
    const pool = poolOf(1);
    const done: string[] = [];
    const ask = (account: number, name: string) =>
      pool.run(account, whole(bodyOf(100))).then(() => done.push(name));
    await Promise.all([ask(1, 'a1'), ask(1, 'a2'), ask(1, 'a3'), ask(2, 'b1'), ask(3, 'c1')]);
    assert.deepEqual(done, ['a1', 'a2', 'b1', 'c1', 'a3']);
  });

  it('a pool of threads starts a new thread after a long idle time', async () => {
    const pool = poolOf(1);
    await pool.run(ACCOUNT, whole(bodyOf(1)));
    clock.turn(60_000);
    assert.equal((await pool.run(ACCOUNT, whole(bodyOf(1)))).length, 1);
  });

  it('a pool of threads ends at once when it is closed while a thread is busy', async () => {
    const pool = poolOf(1);
    const tasks = [pool.run(ACCOUNT, whole(bodyOf(300_000))), pool.run(ACCOUNT, whole(bodyOf(1)))];
    const settled = Promise.allSettled(tasks);
    const begun = performance.now();
    await pool.close();
    assert.ok(performance.now() - begun < 2_000);
    for (const one of await settled) {
      assert.equal(one.status, 'rejected');
      assert.equal(one.reason.code, 'server.stopping');
    }
    await assert.rejects(pool.run(ACCOUNT, whole(bodyOf(1))), { code: 'server.stopping' });
  });
});
