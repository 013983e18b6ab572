import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { BudgetRule } from '../../adapter/budget.ts';
import { MINUTE_MS } from '../../core/durations.ts';
import { secondsUntil, startOf, type Tally, turn, usedNow } from './window.ts';

const RULE: BudgetRule = {
  name: 'calls',
  of: 'link',
  amount: 100,
  seconds: 60,
  unit: 'calls',
  costs: { read: 1 },
  reserve: 0,
  source: 'a test',
};
const T0 = 1_700_000_000_000 - (1_700_000_000_000 % MINUTE_MS);
const tally = (some: Partial<Tally> = {}): Tally => ({ start: T0, used: 0, before: 0, unstored: 0, ...some });

describe('a window', () => {
  it('begins at a multiple of its length', () => {
    assert.equal(startOf(RULE, T0 + 59_999), T0);
    assert.equal(startOf(RULE, T0 + 60_000), T0 + 60_000);
  });

  it('becomes the one before when the next begins, and is forgotten after that', () => {
    const one = tally({ used: 7, before: 3 });
    turn(one, RULE, T0 + 59_999);
    assert.deepEqual([one.used, one.before], [7, 3]);
    turn(one, RULE, T0 + MINUTE_MS);
    assert.deepEqual([one.start, one.used, one.before], [T0 + MINUTE_MS, 0, 7]);
    turn(one, RULE, T0 + 3 * MINUTE_MS);
    assert.deepEqual([one.used, one.before], [0, 0]);
  });

  it('counts the one before by the share of it that the last minute still holds', () => {
    const one = tally({ used: 10, before: 40 });
    assert.equal(usedNow(one, RULE, T0), 50);
    assert.equal(usedNow(one, RULE, T0 + 30_000), 30);
    assert.equal(usedNow(one, RULE, T0 + MINUTE_MS), 10);
  });

  it('has room for a call after the time that it tells, and not much earlier', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 100 }),
        fc.integer({ min: 0, max: 100 }),
        fc.integer({ min: 0, max: 59 }),
        fc.integer({ min: 1, max: 20 }),
        (used, before, second, cost) => {
          const one = tally({ used, before });
          const now = T0 + second * 1_000;
          if (usedNow(one, RULE, now) + cost <= RULE.amount) return;
          const seconds = secondsUntil(one, RULE, { cost, most: RULE.amount, now });
          const fits = (at: number) => {
            const later = { ...one };
            turn(later, RULE, at);
            return usedNow(later, RULE, at) + cost <= RULE.amount + 1e-9;
          };
          assert.ok(seconds >= 1 && seconds <= 120, `${seconds} s`);
          assert.ok(fits(now + seconds * 1_000), `no room after ${seconds} s`);
          if (seconds > 2) assert.ok(!fits(now + (seconds - 2) * 1_000), `room 2 s before ${seconds} s`);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
