import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { makePlace, onEachEngine, type Place } from '../../../test/kit/databases.ts';
import { until } from '../../../test/kit/until.ts';
import { turnedClock } from '../../core/clock.ts';
import { DAY_MS, HOUR_MS } from '../../core/durations.ts';
import type { Database } from '../../db/database.ts';

import { type Opened, open, rowsOf, scriptedSource, slotsOf } from './test-production.ts';

/** 2026-11-21 09:00 UTC. */
const _NOW = turnedClock().now();
/** The Swedish day before. */
const _YESTERDAY = { from: Date.parse('2026-11-19T23:00:00Z'), until: Date.parse('2026-11-20T23:00:00Z') };

onEachEngine('history of production', (engine) => {
  let place: Place;
  let database: Database;
  let one: Opened;
  /** Summer time ended on 2026-10-25; the clock stands a few days later. */
  const clock = turnedClock(Date.parse('2026-10-28T09:00:00Z'));
  const autumn = { from: Date.parse('2026-10-24T22:00:00Z'), until: Date.parse('2026-10-25T23:00:00Z') };
  before(async () => {
    place = await makePlace(engine);
    database = await place.open();
    const source = scriptedSource();
    source.answer = (query) =>
      slotsOf(query, (_, start) => {
        // Hydro rises with the UTC hour of the day; one hour lacks two quarters, another has no solar figures.
        const hour = (start % DAY_MS) / HOUR_MS;
        const inHole = start >= autumn.from + 5.5 * HOUR_MS && start < autumn.from + 6 * HOUR_MS;
        return {
          hydro: Math.floor(hour) * 10,
          ...(inHole ? { total: 0 } : {}),
          ...(Math.floor(hour) === 8 && start % HOUR_MS > 0 ? { solar: null } : { solar: 5 }),
        };
      });
    one = await open(database, { clock, source });
    one.production.start();
    await until('it was fetched', () => (one.production.health().next_attempt_at ?? 0) > clock.now());
  });
  after(async () => {
    await one.production.close();
    await database.close();
    await place.remove();
  });
  const read = (resolution: 'slot' | 'hour' | 'day', range = autumn) =>
    rowsOf(one.production.history({ area: 'SE3', ...range, resolution }));

  it('has 100 slots and 25 hours, less the missing ones, on the day on which summer time ends', async () => {
    assert.equal((await read('slot')).length, 98);
    const hours = await read('hour');
    assert.equal(hours.length, 25);
    assert.deepEqual(
      hours.map(({ covered_min }) => covered_min).filter((minutes) => minutes !== 60),
      [30],
    );
    const [day, ...others] = await read('day');
    assert.deepEqual(others, []);
    assert.equal(day?.start, autumn.from);
    assert.equal(day?.end, autumn.until);
    assert.equal(day?.covered_min, 98 * 15);
    assert.equal(day?.total, 8_000);
  });

  it('is the mean of the slots that have a figure', async () => {
    const hours = await read('hour');
    const eight = hours.find(({ start }) => start === Date.parse('2026-10-25T08:00:00Z'));
    assert.equal(eight?.solar, 20);
    assert.equal(eight?.hydro, 320);
  });

  it('extends a range to whole hours and days', async () => {
    const noon = Date.parse('2026-10-25T12:07:00Z');
    const [hour, ...moreHours] = await read('hour', { from: noon, until: noon + 60_000 });
    assert.equal(hour?.start, Date.parse('2026-10-25T12:00:00Z'));
    assert.equal(hour?.covered_min, 60);
    assert.deepEqual(moreHours, []);
    const [day, ...moreDays] = await read('day', { from: noon, until: noon + 60_000 });
    assert.equal(day?.start, autumn.from);
    assert.deepEqual(moreDays, []);
    assert.deepEqual(await read('slot', { from: noon, until: noon + 60_000 }), []);
  });

  it('is empty where nothing is stored', async () => {
    for (const resolution of ['slot', 'hour', 'day'] as const) {
      assert.deepEqual(await read(resolution, { from: 0, until: DAY_MS }), []);
    }
  });
});
