import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { turnedClock } from './clock.ts';
import { silentLog } from './log.ts';
import { startRetention } from './retention.ts';

it('retention removes old rows in small batches with pauses, checks every hour, and continues after a fault', async () => {
  const clock = turnedClock(0);
  const left = [500, 500, 20, new Error('the database is unreachable'), 0, 0];
  const asked: [at: number, before: number, limit: number][] = [];
  const removeBefore = async (moment: number, limit: number): Promise<number> => {
    asked.push([clock.now(), moment, limit]);
    const next = left.shift() ?? 0;
    if (typeof next !== 'number') throw next;
    return Math.min(next, limit);
  };
  const retention = startRetention({
    ...{ store: { removeBefore }, what: 'readings', rowsAtOnce: 500 },
    ...{ clock, log: silentLog, days: 30 },
  });
  const hour = 3_600_000;
  for (const ms of [100, 100, 100, hour, hour, hour]) {
    clock.turn(ms);
    await setImmediate();
  }
  const times = [100, 200, 300, 300 + hour, 300 + 2 * hour, 300 + 3 * hour];
  assert.deepEqual(
    asked,
    times.map((at) => [at, at - 30 * 24 * hour, 500]),
  );
  await retention.close();
  clock.turn(hour);
  await setImmediate();
  assert.equal(asked.length, 6);
});
