import assert from 'node:assert/strict';
import { afterEach, beforeEach, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { makePlace, onEachEngine, type Place } from '../../test/kit/databases.ts';
import { until } from '../../test/kit/until.ts';
import { type TurnedClock, turnedClock } from '../core/clock.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../core/durations.ts';
import { type Log, silentLog } from '../core/log.ts';
import type { Database } from './database.ts';
import { inBatches, startRetention } from './retention.ts';

const BEGAN = Date.UTC(2026, 10, 21, 9, 0, 0);

onEachEngine('retention', (engine) => {
  let place: Place;
  let database: Database;
  let clock: TurnedClock;
  let retention: ReturnType<typeof startRetention>;
  let logged: string[];
  let looks: number;
  let asked: [at: number, before: number, limit: number][];
  let answers: (number | Error)[];

  beforeEach(async () => {
    place = await makePlace(engine);
    clock = turnedClock(BEGAN);
    database = await place.open(clock);
    [logged, asked, answers, looks] = [[], [], [], 0];
  });
  afterEach(async () => {
    await retention.close();
    await database.close();
    await place.remove();
  });

  const log = {
    ...silentLog,
    info: (fields: { rows: number }, text: string) => logged.push(`${text}: ${fields.rows}`),
    warn: (_: object, text: string) => logged.push(text),
  } as unknown as Log;

  /** As a process whose clock shows `at`. */
  function start(at: number, of: Partial<Pick<Database, 'moments'>> = {}): void {
    clock = turnedClock(at);
    const moments = { ...database.moments, clock };
    const counted = {
      ...clock,
      after(ms: number, fire: () => void) {
        looks += 1;
        return clock.after(ms, fire);
      },
    };
    const removeBefore = async (moment: number, limit: number): Promise<number> => {
      asked.push([clock.now() - at, moment, limit]);
      const next = answers.shift() ?? 0;
      if (typeof next !== 'number') throw next;
      return next;
    };
    retention = startRetention({
      ...{ host: { database: { ...database, moments, ...of }, clock: counted, log } },
      ...{ what: 'readings', days: 30, removeSome: inBatches({ removeBefore }, 500) },
    });
  }

  /** Lets the run that is under way end: another one is planned then. */
  const looked = (times: number) => until('it has looked', () => looks === times);
  async function pass(...steps: readonly number[]): Promise<void> {
    for (const ms of steps) {
      await looked(looks);
      const before = looks;
      clock.turn(ms);
      await setImmediate();
      await until('it has looked', () => looks > before);
    }
  }

  it('retention removes old rows in small batches with pauses, checks every hour, continues after a fault, and logs how many', async () => {
    answers = [500, 500, 20, new Error('the database is unreachable'), 0, 7];
    start(BEGAN);
    await looked(1);
    assert.deepEqual(asked, []);
    await pass(10 * MINUTE_MS, 100, 100, HOUR_MS, HOUR_MS, HOUR_MS);
    const times = [0, 100, 200, 200 + HOUR_MS, 200 + 2 * HOUR_MS, 200 + 3 * HOUR_MS];
    const first = 10 * MINUTE_MS;
    assert.deepEqual(
      asked,
      times.map((ms) => [first + ms, BEGAN + first + ms - 30 * DAY_MS, 500]),
    );
    assert.deepEqual(logged, [
      'old rows were removed: 1020',
      'old readings could not be removed',
      'old rows were removed: 7',
    ]);
  });

  it('retention removes nothing in the first ten minutes of a start', async () => {
    start(BEGAN);
    await looked(1);
    clock.turn(10 * MINUTE_MS - 1);
    await setImmediate();
    assert.deepEqual(asked, []);
    await pass(1);
    assert.equal(asked.length, 1);
  });

  it('retention removes nothing by a clock that has jumped by years, however often the process starts anew, until it has run for a day', async () => {
    start(BEGAN);
    await looked(1);
    await retention.close();
    for (const begun of [400 * DAY_MS, 401 * DAY_MS, 402 * DAY_MS]) {
      looks = 0;
      start(BEGAN + begun);
      await looked(1);
      await pass(HOUR_MS, HOUR_MS, HOUR_MS, HOUR_MS, HOUR_MS, HOUR_MS, HOUR_MS);
      await retention.close();
    }
    assert.deepEqual(asked, []);
    assert.equal(logged.length, 24);
    assert.match(logged[0] ?? '', /^nothing old is removed: the clock is 400 days from when elnav ran last/);
    looks = 0;
    start(BEGAN + 403 * DAY_MS);
    await looked(1);
    await pass(10 * MINUTE_MS);
    assert.equal(asked.length, 1);
  });

  it('retention goes on at once when a wrong clock has been corrected', async () => {
    start(BEGAN);
    await looked(1);
    await retention.close();
    looks = 0;
    start(BEGAN + 400 * DAY_MS);
    await looked(1);
    await pass(HOUR_MS);
    await retention.close();
    looks = 0;
    start(BEGAN + DAY_MS);
    await looked(1);
    await pass(10 * MINUTE_MS);
    assert.equal(asked.length, 1);
  });

  it('retention removes nothing in a process whose clock is not the one of the database', async () => {
    const ahead = { ...database.moments, clock: turnedClock(BEGAN - 61_000) };
    start(BEGAN, { moments: ahead });
    await looked(1);
    await pass(HOUR_MS);
    assert.deepEqual(asked, []);
    assert.match(logged[0] ?? '', /the clocks of this process and of the database are 61 seconds apart/);
  });
});
