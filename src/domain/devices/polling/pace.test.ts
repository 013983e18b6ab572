import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { activityOf, intervalOf, retrySeconds, spread } from './pace.ts';

const PACE = { active: 60, idle: 600, asleep: 1_800 };

describe('the pace of a device', () => {
  const calm = { bearable: 0, isStreaming: false };

  it('the pace of a device is by what it is like, by commands, limits and streams', () => {
    const adapter = { pace: PACE, pollSeconds: 10 };
    assert.equal(activityOf(null, false), 'idle');
    assert.equal(activityOf({ state: { online: true, charging: true } }, false), 'active');
    assert.equal(activityOf({ state: { online: false, charging: false } }, false), 'asleep');
    assert.equal(activityOf({ state: { online: false } }, true), 'active');
    const reported = { whole: 0, fields: {}, isUnreachable: true };
    assert.equal(activityOf({ state: { online: false }, reported }, false), 'idle', 'it may be back soon');
    assert.equal(intervalOf(adapter, { ...calm, activities: ['asleep'] }), 1_800);
    assert.equal(intervalOf(adapter, { ...calm, activities: ['asleep', 'active', 'idle'] }), 60);
    assert.equal(intervalOf(adapter, { ...calm, activities: ['active'], bearable: 900 }), 900);
    assert.equal(intervalOf(adapter, { ...calm, activities: ['active'], isStreaming: true }), 2_400);
    assert.equal(intervalOf({ pace: PACE, pollSeconds: 120 }, { ...calm, activities: ['active'] }), 120);
    assert.equal(intervalOf(adapter, { ...calm, activities: ['idle'], bearable: Infinity }), 86_400);
    assert.equal(intervalOf({ pollSeconds: 10 }, { ...calm, activities: ['idle'] }), 0);
  });

  it('the pace of a device is spread later, never sooner, and grows with failures', () => {
    assert.deepEqual([spread(100, 0), spread(100, 0.999)], [100_000, 114_985]);
    assert.deepEqual(
      [1, 2, 3, 50].map((failures) => retrySeconds(60, failures)),
      [60, 120, 240, 3_600],
    );
    assert.equal(retrySeconds(7_200, 3), 7_200);
    assert.equal(retrySeconds(5, 1), 30);
  });
});
