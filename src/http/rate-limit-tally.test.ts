import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { DAY_MS, MINUTE_MS } from '../core/durations.ts';
import { accountPlan, makePlan } from './rate-limit-plan.ts';
import { longestWait, MemoryTallies, newTally, rateLimitField, take } from './rate-limit-tally.ts';

const START = Date.UTC(2026, 10, 21, 9, 0, 0);

const policies = fc.record({
  perMinute: fc.integer({ min: 1, max: 200 }),
  perHour: fc.integer({ min: 1, max: 400 }),
  perDay: fc.integer({ min: 1, max: 600 }),
  burst: fc.integer({ min: 1, max: 60 }),
  autoThrottle: fc.boolean(),
  throttledUntil: fc.constant(null),
});

/** Parses `RateLimit` according to RFC 9651: a list of strings with whole-number parameters. */
function readField(field: string): { name: string; r: number; t: number }[] {
  return field.split(', ').map((item) => {
    const match = /^"([a-z-]+)";r=(\d{1,15});t=(\d{1,15})$/.exec(item);
    assert.ok(match !== null, `not a structured field: ${item}`);
    return { name: match[1] ?? '', r: Number(match[2]), t: Number(match[3]) };
  });
}

describe('the limits of an account', () => {
  it('the limits of an account never refuse a client that follows the response headers', () => {
    let waits = 0;
    fc.assert(
      fc.property(
        policies,
        fc.array(fc.integer({ min: 0, max: 3_000 }), { maxLength: 300, size: 'max' }),
        (policy, pauses) => {
          const plan = accountPlan(policy, 0);
          const tally = newTally();
          let now = START;
          for (const pause of pauses) {
            now += pause;
            assert.equal(take(tally, plan, now, 1), true);
            for (const { r, t } of readField(rateLimitField(tally, plan, now))) {
              if (r > 0) continue;
              now += t * 1000;
              waits += 1;
            }
          }
        },
      ),
    );
    assert.ok(waits > 100, `only ${waits} limits were ever reached`);
  });

  it('the limits of an account let no more calls through than each window and the bucket allow', () => {
    fc.assert(
      fc.property(
        policies,
        fc.array(fc.integer({ min: 0, max: 5_000 }), { minLength: 1, maxLength: 400, size: 'max' }),
        (policy, pauses) => {
          const plan = accountPlan(policy, 0);
          const tally = newTally();
          const passed: number[] = [];
          const counts = new Map<string, number>();
          let now = START;
          for (const pause of pauses) {
            now += pause;
            if (!take(tally, plan, now, 1)) continue;
            passed.push(now);
            plan.windows.forEach(({ calls }, index) => {
              const window = `${index} ${tally.endsAt[index]}`;
              const count = (counts.get(window) ?? 0) + 1;
              counts.set(window, count);
              assert.ok(count <= calls, `${count} calls in a window of ${calls}`);
            });
            // In any period: a full bucket, and what was regained since.
            const { calls = 0, intervalMs = 1 } = plan.bucket ?? {};
            for (const start of passed.slice(-100)) {
              const within = passed.filter((at) => at >= start).length;
              assert.ok(within <= calls + (now - start) / intervalMs + 1e-6);
            }
          }
        },
      ),
      { numRuns: 30 },
    );
  });

  it('the limits of an account admit a caller exactly after the announced wait', () => {
    fc.assert(
      fc.property(policies, (policy) => {
        const plan = accountPlan(policy, 0);
        const tally = newTally();
        let now = START;
        for (let call = 0; call < 500; call += 1) {
          if (take(tally, plan, now, 1)) continue;
          now += longestWait(tally, plan, now).seconds * 1000;
          assert.equal(take(tally, plan, now, 1), true);
        }
      }),
    );
  });

  it('the limits of an account use nothing for a refused call, and count those of callers that do not wait', () => {
    const plan = makePlan([{ name: 'hour', calls: 2, lengthMs: 3_600_000 }]);
    const tally = newTally();
    const calls = (count: number, at: number) =>
      Array.from({ length: count }, () => take(tally, plan, at, 1));
    assert.deepEqual(calls(7, START), [true, true, false, false, false, false, false]);
    assert.deepEqual([tally.counts[0], tally.refused], [2, 0], 'several callers may not have heard of it');
    calls(1, START);
    assert.deepEqual([tally.refused, tally.newlyRefused], [6, 6]);
    calls(1, START + 1_000);
    assert.deepEqual([tally.refused, tally.newlyRefused], [7, 1]);
    calls(1, START + MINUTE_MS);
    assert.equal(tally.refused, 1, 'those of a minute');
    calls(2, START + 3_600_000);
    assert.equal(tally.newlyRefused, 0);
  });

  const FREE = {
    perMinute: 60,
    perHour: 1_000,
    perDay: 10_000,
    burst: 10,
    autoThrottle: true,
    throttledUntil: null,
  };

  it('the limits of an account keep the remaining calls when the clock is set back', () => {
    for (const back of [2_001, MINUTE_MS, 3_600_000, 30 * DAY_MS]) {
      const plan = accountPlan({ ...FREE, perMinute: 600, burst: 500 }, 0);
      const tally = newTally();
      for (let call = 0; call < 400; call += 1) assert.equal(take(tally, plan, START, 1), true);
      const before = rateLimitField(tally, plan, START).split(', "day"')[0];
      let now = START - back;
      assert.equal(take(tally, plan, now, 0), true);
      assert.equal(rateLimitField(tally, plan, now).split(', "day"')[0], before, `back ${back}`);
      const passed = Array.from({ length: 200 }, () => take(tally, plan, now, 1)).filter(Boolean).length;
      assert.equal(passed, 100, 'as many as remained');
      now += 1_000;
      assert.equal(take(tally, plan, now, 1), true, 'and they are regained');
    }
  });

  it('the limits of an account neither empty nor fill a small bucket when the clock is set back', () => {
    const plan = accountPlan({ ...FREE, burst: 2 }, 0);
    const tally = newTally();
    assert.deepEqual(
      [START, START - 3_600_000, START - 3_600_000].map((now) => take(tally, plan, now, 1)),
      [true, true, false],
    );
  });

  it('the limits of an account give nothing away when the clocks of instances differ by a second', () => {
    const plan = accountPlan({ ...FREE, burst: 3 }, 0);
    const tally = newTally();
    const passed = Array.from({ length: 40 }, (_, call) =>
      take(tally, plan, START - (call % 2) * 1_000, 1),
    ).filter(Boolean).length;
    assert.equal(passed, 3);
  });

  it('the limits of an account are reported in the fields of the draft', () => {
    const plan = accountPlan(
      { perMinute: 60, perHour: 1_000, perDay: 10_000, burst: 10, autoThrottle: true, throttledUntil: null },
      0,
    );
    const tally = newTally();
    take(tally, plan, START, 1);
    assert.equal(
      plan.policyField,
      '"burst";q=10;w=10, "minute";q=60;w=60, "hour";q=1000;w=3600, "day";q=10000;w=86400',
    );
    assert.equal(
      rateLimitField(tally, plan, START),
      '"burst";r=9;t=1, "minute";r=59;t=60, "hour";r=999;t=3600, "day";r=9999;t=54000',
    );
  });

  it('the limits of an account are halved, but never to zero', () => {
    const policy = {
      perMinute: 60,
      perHour: 1,
      perDay: 3,
      burst: 40,
      autoThrottle: true,
      throttledUntil: null,
    };
    assert.match(
      accountPlan(policy, 1).policyField,
      /"burst";q=20;.*"minute";q=30;.*"hour";q=1;.*"day";q=1;/,
    );
    assert.match(accountPlan(policy, 2).policyField, /"burst";q=10;.*"minute";q=15;/);
    assert.match(accountPlan({ ...policy, burst: 1 }, 2).policyField, /"burst";q=1;/);
  });
});

describe('tallies in memory', () => {
  it('tallies in memory have what was regained before the clock was set back', () => {
    const burst = makePlan([{ name: 'minute', calls: 60, lengthMs: MINUTE_MS }], {
      ...{ name: 'burst', calls: 10, intervalMs: 1_000 },
    });
    for (const back of [2_001, 11_000, 3_600_000, 30 * DAY_MS]) {
      const tallies = new MemoryTallies(10);
      const passed = (now: number, steady: number) =>
        Array.from({ length: 15 }, () => tallies.take('me', burst, { now, steady, cost: 1 })).filter(
          ({ isWithin }) => isWithin,
        ).length;
      assert.equal(passed(START, 7), 10);
      assert.equal(passed(START + 5_000 - back, 5_007), 5, `back ${back}: five seconds have passed`);
      assert.equal(passed(START + 15_000 - back, 15_007), 10);
      // Set right again: no more than a forward step has ever given.
      assert.ok(passed(START + 15_000, 15_007) <= 10);
    }
  });

  it('tallies in memory end a window when its time has passed, also where the clock was set back meanwhile', () => {
    const plan = makePlan([{ name: 'minute', calls: 1, lengthMs: MINUTE_MS }]);
    const tallies = new MemoryTallies(10);
    const isWithin = (now: number, steady: number) =>
      tallies.take('me', plan, { now, steady, cost: 1 }).isWithin;
    const back = 3_600_000;
    assert.equal(isWithin(START, 0), true);
    assert.equal(isWithin(START + 59_000 - back, 59_000), false);
    assert.equal(isWithin(START + 60_000 - back, 60_000), true);
  });

  const plan = makePlan([{ name: 'minute', calls: 1, lengthMs: MINUTE_MS }]);

  it('tallies in memory remove inactive callers, and the oldest when there are too many', () => {
    const tallies = new MemoryTallies(100);
    for (let caller = 0; caller < 1_000; caller += 1) {
      tallies.take(`flood ${caller}`, plan, { now: START, steady: 0, cost: 1 });
      assert.ok(tallies.size <= 100);
    }
    const later = START + 2 * MINUTE_MS;
    for (let caller = 0; caller < 60; caller += 1)
      tallies.take(`late ${caller}`, plan, { now: later, steady: 2 * MINUTE_MS, cost: 1 });
    assert.equal(tallies.size, 60);
  });
});
