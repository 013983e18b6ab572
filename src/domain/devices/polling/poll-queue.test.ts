import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { testVendor } from '../../../../test/kit/vendor-for-tests.ts';
import type { Adapter } from '../../../adapter/adapter.ts';
import { turnedClock } from '../../../core/clock.ts';
import { silentLog } from '../../../core/log.ts';
import { createPollQueue } from './poll-queue.ts';
import type { Poll } from './store.ts';

const TICK = { everyMs: 500, restMs: 2_000 };
/** Between two of the 16 parts of a claim that found less than was wanted: three quarters of the rest that follows. */
const PART_MS = 94;

const turnAt = (id: number, claimedUntil: number): Poll => ({
  ...{ id, account: 1, link: `l${id}`, device: '', vendor: 'testvendor', plannedAt: id, claimedUntil },
  ...{ intervalSeconds: 60, failures: 0, hintedAt: null, activeUntil: null },
});

/** A queue with so many polls to claim, and what it has begun; `end` ends the oldest of those. */
function queueWith(polls: number, more: Pick<Adapter, 'isLocal'> = {}) {
  const clock = turnedClock();
  const begun: number[] = [];
  const running: ((isReached: boolean) => void)[] = [];
  let left = Array.from({ length: polls }, (_, id) => turnAt(id, clock.now() + 180_000));
  const queue = createPollQueue({
    adapter: { ...testVendor({ pollSeconds: 10 }).adapter, ...more },
    clock,
    log: silentLog,
    claim: async (_vendor, most) => {
      const claimed = left.slice(0, most);
      left = left.slice(most);
      return claimed;
    },
    isClaimed: () => true,
    take: ({ id }) => {
      begun.push(id);
      return new Promise((resolve) => running.push(resolve));
    },
    giveBack: () => {},
  });
  queue.plan({ polls, perSecond: polls }, 1);
  const end = async (isReached = true) => {
    running.shift()?.(isReached);
    await new Promise(setImmediate);
  };
  return { queue, clock, begun, end, running };
}

describe('the queue of a vendor', () => {
  it('the queue of a vendor begins what it has claimed together in parts, so that other work is not held up', async () => {
    const { queue, clock, begun } = queueWith(32);
    // What it may claim fills up with time.
    clock.turn(1_000);
    await queue.tick(TICK);
    assert.equal(begun.length, 2);
    clock.turn(PART_MS);
    assert.equal(begun.length, 4);
    clock.turn(8 * PART_MS);
    assert.equal(begun.length, 20);
    assert.deepEqual(
      begun,
      begun.toSorted((a, b) => a - b),
    );
  });

  it('the queue of a vendor has begun all before its next claim: sooner where more is due than it claimed', async () => {
    const { queue, clock, begun, end, running } = queueWith(200);
    clock.turn(1_000);
    await queue.tick(TICK);
    for (let part = 0; part < 15; part += 1) {
      clock.turn(24);
      while (running.length > 0) await end();
    }
    assert.equal(begun.length, 120);
  });

  it('the queue of a vendor takes a place as soon as it is free, where the parts have waited for one', async () => {
    const { queue, clock, begun, end } = queueWith(64);
    clock.turn(1_000);
    await queue.tick(TICK);
    clock.turn(16 * PART_MS);
    assert.equal(begun.length, 24, 'all places are taken');
    await end();
    assert.equal(begun.length, 25);
  });

  it('the queue of a vendor waits for a vendor that answers nobody, and goes on where each link has a device of its own', async () => {
    for (const [more, count] of [
      [{}, 24 + 4],
      [{ isLocal: true } as const, 100 + 10],
    ] as const) {
      const { queue, clock, begun, end } = queueWith(128, more);
      clock.turn(1_000);
      await queue.tick(TICK);
      clock.turn(16 * PART_MS);
      for (let failed = 0; failed < 10; failed += 1) await end(false);
      await queue.tick(TICK);
      assert.equal(begun.length, count, JSON.stringify(more));
    }
  });

  it('the queue of a vendor is settled when all it has claimed is done, and does not wait for the next part then', async () => {
    const { queue, clock, begun, end, running } = queueWith(20);
    clock.turn(1_000);
    await queue.tick(TICK);
    assert.equal(begun.length, 2);
    const settled = queue.settled();
    assert.equal(begun.length, 20);
    while (running.length > 0) await end();
    await settled;
  });

  it('the queue of a vendor looks again when it was called during a claim or a survey, whatever those have found', async () => {
    const due: Poll[] = [];
    let claims = 0;
    let during = () => {};
    const clock = turnedClock();
    const queue = createPollQueue({
      adapter: testVendor().adapter,
      clock,
      log: silentLog,
      claim: async () => {
        claims += 1;
        const claimed = due.splice(0);
        during();
        return claimed;
      },
      isClaimed: () => true,
      take: async () => true,
      giveBack: () => {},
    });
    const tick = async () => {
      clock.turn(100);
      await queue.tick(TICK);
    };
    await tick();
    assert.equal(claims, 0, 'there is nothing to do');
    queue.called();
    queue.plan({ polls: 0, perSecond: 0 }, 1);
    during = () => queue.called();
    await tick();
    during = () => {};
    queue.plan({ polls: 0, perSecond: 0 }, 1);
    await tick();
    assert.equal(claims, 2);
    queue.plan({ polls: 0, perSecond: 0 }, 1);
    clock.turn(60_000);
    await tick();
    assert.equal(claims, 2, 'nobody called since');
  });
});
