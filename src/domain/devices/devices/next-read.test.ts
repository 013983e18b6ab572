import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Adapter } from '../../../adapter/adapter.ts';
import { NEVER, nextReadOf, type ReadPlan } from './next-read.ts';

const NOW = Date.parse('2026-03-02T12:00:00Z');
const PACED = { pace: { active: 60, idle: 300, asleep: 900 }, pollSeconds: 30 };
const TURN = {
  dueAt: NOW + 120_000,
  isUnderWay: false,
  intervalSeconds: 300,
  hintedAt: null,
  activeUntil: null,
};
const planned = (poll: Partial<typeof TURN | ReadPlan['poll']> = {}): ReadPlan => ({
  isLinkLost: false,
  poll: { ...TURN, ...poll },
});
/** Seconds from now. */
const secondsOf = (plan: ReadPlan, fetchedSeconds: number, adapter = PACED as Partial<Adapter>): number => {
  const { next_read_at: at, next_read_missing: missing } = nextReadOf(plan, NOW + fetchedSeconds * 1_000, {
    pollSeconds: 30,
    ...adapter,
  });
  assert.equal(missing, null);
  return (Date.parse(String(at)) - NOW) / 1_000;
};
const missingOf = (plan: ReadPlan, adapter: Partial<Adapter>) => {
  const { next_read_at: at, next_read_missing: missing } = nextReadOf(plan, NOW, {
    pollSeconds: 30,
    ...adapter,
  });
  assert.equal(at, null);
  return missing;
};

describe('the next read of a device', () => {
  it('the next read of a device is when its poll is due', () => {
    assert.equal(secondsOf(planned(), -180), 120);
    assert.equal(secondsOf(planned({ dueAt: NOW - 5_000 }), -305), -5);
  });

  it('the next read of a device is an interval after somebody has read it, unless others are read with it or it was commanded', () => {
    assert.equal(secondsOf(planned(), -10), 290);
    assert.equal(secondsOf(planned(), -10, { ...PACED, sweep: async () => new Map() }), 120);
    assert.equal(secondsOf(planned({ activeUntil: NOW + 200_000 }), -10), 120);
    assert.equal(secondsOf(planned({ activeUntil: NOW + 100_000 }), -10), 290);
  });

  it('the next read of a device is an interval after a poll that is under way has read it', () => {
    const claimed = planned({ dueAt: NOW - 1_000, isUnderWay: true });
    assert.equal(secondsOf(claimed, -301), -1);
    assert.equal(secondsOf(claimed, 0), 300);
    assert.equal(secondsOf(claimed, 0, { ...PACED, sweep: async () => new Map() }), 300);
  });

  it('the next read of a device comes as soon as its vendor permits after a hint', () => {
    assert.equal(secondsOf(planned({ dueAt: NOW, hintedAt: NOW }), -10), 20);
    assert.equal(secondsOf(planned({ hintedAt: NOW - 20_000 }), -10), 290);
  });

  it('the next read of a device is not planned, for one of four reasons', () => {
    const never = planned({ dueAt: NEVER });
    const stream = {} as NonNullable<Adapter['stream']>;
    assert.equal(missingOf({ ...planned(), isLinkLost: true }, PACED), 'needs_relink');
    assert.equal(missingOf({ isLinkLost: false, poll: null }, PACED), 'not_planned_yet');
    assert.equal(missingOf(never, { stream }), 'reports_itself');
    assert.equal(missingOf({ isLinkLost: false, poll: null }, {}), 'on_request');
  });
});
