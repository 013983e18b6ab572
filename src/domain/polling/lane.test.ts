import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { testVendor } from '../../../test/kit/vendor-for-tests.ts';
import { turnedClock } from '../../core/clock.ts';
import { silentLog } from '../../core/log.ts';
import { createLane } from './lane.ts';
import type { Turn } from './store.ts';

const turnAt = (id: number, claimedUntil: number): Turn => ({
  ...{ id, account: 1, link: `l${id}`, device: '', vendor: 'testvendor', plannedAt: id, claimedUntil },
  ...{ intervalSeconds: 60, failures: 0, hintedAt: null, activeUntil: null },
});

/** A lane with so many turns to claim, and what it has begun; `end` ends the oldest of those. */
function laneWith(turns: number) {
  const clock = turnedClock();
  const begun: number[] = [];
  const running: (() => void)[] = [];
  let left = Array.from({ length: turns }, (_, id) => turnAt(id, clock.now() + 180_000));
  const lane = createLane({
    adapter: testVendor({ pollSeconds: 10 }).adapter,
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
      return new Promise((resolve) => running.push(() => resolve(true)));
    },
    giveBack: () => {},
  });
  lane.plan({ turns, perSecond: turns }, 1);
  const end = async () => {
    running.shift()?.();
    await new Promise(setImmediate);
  };
  return { lane, clock, begun, end, running };
}

describe('the lane of a vendor', () => {
  it('begins what it has claimed together in parts, so that nobody else is held up', async () => {
    const { lane, clock, begun } = laneWith(32);
    // What it may claim fills up with time.
    clock.turn(1_000);
    await lane.tick(2_000);
    assert.equal(begun.length, 2);
    clock.turn(25);
    assert.equal(begun.length, 4);
    clock.turn(8 * 25);
    assert.equal(begun.length, 20);
    assert.deepEqual(
      begun,
      begun.toSorted((a, b) => a - b),
    );
  });

  it('takes a place as soon as it is free, where the parts have waited for one', async () => {
    const { lane, clock, begun, end } = laneWith(64);
    clock.turn(1_000);
    await lane.tick(2_000);
    clock.turn(16 * 25);
    assert.equal(begun.length, 24, 'all places are taken');
    await end();
    assert.equal(begun.length, 25);
  });

  it('is settled when all it has claimed is done, and does not wait for the next part then', async () => {
    const { lane, clock, begun, end, running } = laneWith(20);
    clock.turn(1_000);
    await lane.tick(2_000);
    assert.equal(begun.length, 2);
    const settled = lane.settled();
    assert.equal(begun.length, 20);
    while (running.length > 0) await end();
    await settled;
  });

  it('looks again when it was called during a claim or a survey, whatever those have found', async () => {
    const due: Turn[] = [];
    let claims = 0;
    let during = () => {};
    const clock = turnedClock();
    const lane = createLane({
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
      await lane.tick(2_000);
    };
    await tick();
    assert.equal(claims, 0, 'there is nothing to do');
    lane.called();
    lane.plan({ turns: 0, perSecond: 0 }, 1);
    during = () => lane.called();
    await tick();
    during = () => {};
    lane.plan({ turns: 0, perSecond: 0 }, 1);
    await tick();
    assert.equal(claims, 2);
    lane.plan({ turns: 0, perSecond: 0 }, 1);
    clock.turn(60_000);
    await tick();
    assert.equal(claims, 2, 'nobody called since');
  });
});
