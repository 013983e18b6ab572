import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as settle } from 'node:timers/promises';
import { turnedClock } from './clock.ts';
import { HOUR_MS } from './durations.ts';
import { createLoop, type LoopOptions } from './loop.ts';

/** A loop whose runs end when they are told to. */
function loopOf(options: Partial<LoopOptions> = {}) {
  const clock = turnedClock();
  const runs: PromiseWithResolvers<number | undefined>[] = [];
  const atWork = { now: 0, most: 0 };
  const told: string[] = [];
  const loop = createLoop({
    clock,
    async run() {
      const end = Promise.withResolvers<number | undefined>();
      runs.push(end);
      atWork.now += 1;
      atWork.most = Math.max(atWork.most, atWork.now);
      return end.promise.finally(() => {
        atWork.now -= 1;
      });
    },
    failed: (error) => told.push(String(error)),
    ...options,
  });
  return {
    loop,
    clock,
    runs,
    atWork,
    told,
    async end(waitMs?: number) {
      runs.at(-1)?.resolve(waitMs);
      await settle();
    },
    async fail(reason: string) {
      runs.at(-1)?.reject(new Error(reason));
      await settle();
    },
    async turn(ms: number) {
      clock.turn(ms);
      await settle();
    },
  };
}

describe('a loop', () => {
  it('a loop stands still until it is woken, then runs at its interval, counted from the end of a run', async () => {
    const { loop, runs, end, turn } = loopOf({ everyMs: 100 });
    await turn(1_000);
    assert.equal(runs.length, 0);
    loop.wake();
    assert.equal(runs.length, 1);
    await turn(1_000);
    assert.equal(runs.length, 1, 'the run is still under way');
    await end();
    await turn(99);
    assert.equal(runs.length, 1);
    await turn(1);
    assert.equal(runs.length, 2);
  });

  it('a loop begins later where it is asked to, and never later than it was asked first', async () => {
    const { loop, runs, turn } = loopOf();
    loop.wake(50);
    loop.wake(200);
    await turn(49);
    assert.equal(runs.length, 0);
    await turn(1);
    assert.equal(runs.length, 1);
    loop.wake(200);
    loop.wake(50);
    await turn(50);
    assert.equal(runs.length, 1, 'the run is still under way');
  });

  it('a loop waits as long as a run answers, and for being woken where there is no interval', async () => {
    const { loop, runs, end, turn } = loopOf();
    loop.wake();
    await end(10);
    await turn(9);
    assert.equal(runs.length, 1);
    await turn(1);
    assert.equal(runs.length, 2);
    await end();
    await turn(1_000_000);
    assert.equal(runs.length, 2);
    loop.wake();
    assert.equal(runs.length, 3);
  });

  it('a loop runs once more after a run during which it was woken, however often, and never twice at once', async () => {
    const { loop, runs, atWork, end, turn } = loopOf({ everyMs: 100 });
    loop.wake();
    for (let times = 0; times < 5; times += 1) loop.wake();
    assert.equal(runs.length, 1);
    await end();
    assert.equal(runs.length, 2, 'it does not wait for the interval');
    loop.wake(10);
    await turn(10);
    assert.equal(runs.length, 2);
    await end();
    assert.equal(runs.length, 3);
    await end();
    assert.equal(runs.length, 3);
    assert.equal(atWork.most, 1);
  });

  it('a loop has one interval, however often it is woken between', async () => {
    const { loop, runs, end, turn } = loopOf({ everyMs: 100 });
    for (let times = 0; times < 5; times += 1) {
      loop.wake();
      await end();
    }
    assert.equal(runs.length, 5);
    await turn(100);
    assert.equal(runs.length, 6);
    await turn(100);
    assert.equal(runs.length, 6);
  });

  it('a loop goes on after a run that failed, and logs the same reason once an hour', async () => {
    const { loop, runs, told, end, fail, turn } = loopOf({ everyMs: 100 });
    loop.wake();
    for (const reason of ['away', 'away', 'full', 'away']) {
      await fail(reason);
      await turn(100);
    }
    assert.equal(runs.length, 5);
    assert.deepEqual(told, ['Error: away', 'Error: full', 'Error: away']);
    await end();
    await turn(100);
    await fail('away');
    assert.equal(told.length, 4, 'it has gone well between');
    await turn(HOUR_MS);
    await fail('away');
    assert.equal(told.length, 5, 'a failure that stays is not silent for ever');
    await turn(100);
    await fail('away');
    assert.equal(told.length, 5);
  });

  it('a loop goes on after a run that failed before it had begun to wait', async () => {
    const told: unknown[] = [];
    const clock = turnedClock();
    const loop = createLoop({
      clock,
      run: () => {
        throw new RangeError('at once');
      },
      everyMs: 100,
      failed: (error) => told.push(error),
    });
    loop.wake();
    await loop.settled();
    assert.match(String(told[0]), /at once/);
  });

  it('a loop waits longer with each failure in a row where it is asked to', async () => {
    const { loop, runs, end, fail, turn } = loopOf({ retryMs: (failures) => 10 ** failures });
    loop.wake();
    await fail('away');
    await turn(9);
    assert.equal(runs.length, 1);
    await turn(1);
    assert.equal(runs.length, 2);
    await fail('away');
    await turn(99);
    assert.equal(runs.length, 2);
    await turn(1);
    assert.equal(runs.length, 3);
    await end();
    await turn(10_000);
    assert.equal(runs.length, 3, 'what went well is not repeated');
    loop.wake();
    await fail('away');
    await turn(10);
    assert.equal(runs.length, 5, 'failures are counted again');
  });

  it('a loop settles when nothing is under way and nothing follows at once', async () => {
    const { loop, runs, end } = loopOf({ everyMs: 100 });
    await loop.settled();
    loop.wake();
    loop.wake();
    let isSettled = false;
    const settled = loop.settled().then(() => {
      isSettled = true;
    });
    await end();
    assert.equal(runs.length, 2);
    assert.equal(isSettled, false);
    await end();
    await settled;
  });

  it('a loop reports the outcome of a run to those who wait for it, and only to them', async () => {
    const { loop, runs, told, end, fail } = loopOf();
    const first = loop.run();
    const [second, third] = [loop.run(), loop.run()];
    assert.equal(runs.length, 1);
    await end();
    await first;
    assert.equal(runs.length, 2, 'what was handed in during the first run may not be in it');
    const failures = Promise.all([assert.rejects(second, /full/), assert.rejects(third, /full/)]);
    await fail('full');
    await failures;
    assert.equal(runs.length, 2);
    assert.deepEqual(told, []);
  });

  it('a loop runs for those who wait instead of when it was planned', async () => {
    const { loop, runs, end, turn } = loopOf();
    loop.wake(50);
    const done = loop.run();
    await end();
    await done;
    await turn(50);
    assert.equal(runs.length, 1);
  });

  it('a loop gathers callers who can wait, and runs once for them', async () => {
    const { loop, runs, end, turn } = loopOf();
    const first = loop.run(50);
    await turn(30);
    const second = loop.run(50);
    await turn(19);
    assert.equal(runs.length, 0);
    await turn(1);
    assert.equal(runs.length, 1);
    const third = loop.run(50);
    await end();
    await Promise.all([first, second]);
    await turn(49);
    assert.equal(runs.length, 1);
    await turn(1);
    await end();
    await third;
    assert.equal(runs.length, 2);
  });

  it('a loop closes when the run under way has ended, and starts nothing after it', async () => {
    const { loop, runs, end, turn } = loopOf({ everyMs: 100 });
    loop.wake();
    loop.wake();
    let isClosed = false;
    const closed = loop.close().then(() => {
      isClosed = true;
    });
    await turn(1_000);
    assert.equal(isClosed, false);
    await end(1);
    await closed;
    loop.wake();
    loop.wake(10);
    await turn(1_000);
    assert.equal(runs.length, 1);
    await assert.rejects(loop.run(), /closed/);
  });

  it('a loop does not run what was planned when it was closed', async () => {
    const { loop, runs, turn } = loopOf();
    loop.wake(50);
    await loop.close();
    await turn(50);
    assert.equal(runs.length, 0);
  });

  it('a loop does not close before what was asked for is done', async () => {
    const { loop, runs, end } = loopOf();
    loop.wake();
    const asked = loop.run();
    const closed = loop.close();
    await end();
    assert.equal(runs.length, 2);
    await end();
    await Promise.all([asked, closed]);
  });

  it('a loop does at once what a caller waits for when it is closed', async () => {
    const { loop, runs, end } = loopOf();
    const asked = loop.run(50);
    const closed = loop.close();
    assert.equal(runs.length, 1);
    await end();
    await Promise.all([asked, closed]);
  });

  it('a loop finishes with a run for what was gathered, and once', async () => {
    const { loop, runs, end, fail } = loopOf();
    loop.wake();
    const finished = loop.finish();
    await end();
    assert.equal(runs.length, 2);
    await Promise.all([assert.rejects(finished, /away/), fail('away')]);
    await loop.finish();
    assert.equal(runs.length, 2);
  });

  it('a loop tells who looks that it is closed, so that a long run can end', async () => {
    const { loop } = loopOf();
    assert.equal(loop.isClosed, false);
    const closed = loop.close();
    assert.equal(loop.isClosed, true);
    await closed;
  });
});
