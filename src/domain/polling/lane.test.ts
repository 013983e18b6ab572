import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { testVendor } from '../../../test/kit/vendor-for-tests.ts';
import type { Adapter } from '../../adapter/adapter.ts';
import { turnedClock } from '../../core/clock.ts';
import { silentLog } from '../../core/log.ts';
import { createLane } from './lane.ts';
import type { Turn } from './store.ts';

const TICK = { everyMs: 500, restMs: 2_000 };
/** Between two of the 16 parts of a claim that found less than was wanted: three quarters of the rest that follows. */
const PART_MS = 94;

const turnAt = (id: number, claimedUntil: number): Turn => ({
  ...{ id, account: 1, link: `l${id}`, device: '', vendor: 'testvendor', plannedAt: id, claimedUntil },
  ...{ intervalSeconds: 60, failures: 0, hintedAt: null, activeUntil: null },
});

/** A lane with so many turns to claim, and what it has begun; `end` ends the oldest of those. */
function laneWith(turns: number, more: Pick<Adapter, 'isLocal'> = {}) {
  const clock = turnedClock();
  const begun: number[] = [];
  const running: ((isReached: boolean) => void)[] = [];
  let left = Array.from({ length: turns }, (_, id) => turnAt(id, clock.now() + 180_000));
  const lane = createLane({
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
  lane.plan({ turns, perSecond: turns }, 1);
  const end = async (isReached = true) => {
    running.shift()?.(isReached);
    await new Promise(setImmediate);
  };
  return { lane, clock, begun, end, running };
}

describe('the lane of a vendor', () => {
  it('begins what it has claimed together in parts, so that nobody else is held up', async () => {
    const { lane, clock, begun } = laneWith(32);
    // What it may claim fills up with time.
    clock.turn(1_000);
    await lane.tick(TICK);
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

  it('has begun all before its next claim: sooner where more is due than it claimed', async () => {
    const { lane, clock, begun, end, running } = laneWith(200);
    clock.turn(1_000);
    await lane.tick(TICK);
    for (let part = 0; part < 15; part += 1) {
      clock.turn(24);
      while (running.length > 0) await end();
    }
    assert.equal(begun.length, 120);
  });

  it('takes a place as soon as it is free, where the parts have waited for one', async () => {
    const { lane, clock, begun, end } = laneWith(64);
    clock.turn(1_000);
    await lane.tick(TICK);
    clock.turn(16 * PART_MS);
    assert.equal(begun.length, 24, 'all places are taken');
    await end();
    assert.equal(begun.length, 25);
  });

  it('waits for a vendor that answers nobody, and goes on where each link has a device of its own', async () => {
    for (const [more, count] of [
      [{}, 24 + 4],
      [{ isLocal: true } as const, 100 + 10],
    ] as const) {
      const { lane, clock, begun, end } = laneWith(128, more);
      clock.turn(1_000);
      await lane.tick(TICK);
      clock.turn(16 * PART_MS);
      for (let failed = 0; failed < 10; failed += 1) await end(false);
      await lane.tick(TICK);
      assert.equal(begun.length, count, JSON.stringify(more));
    }
  });

  it('is settled when all it has claimed is done, and does not wait for the next part then', async () => {
    const { lane, clock, begun, end, running } = laneWith(20);
    clock.turn(1_000);
    await lane.tick(TICK);
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
      await lane.tick(TICK);
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
