import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, it } from 'node:test';
import { makePlace, onEachEngine, type Place } from '../../../../test/kit/databases.ts';
import { esettForTests, startEsett } from '../../../../test/kit/esett.ts';
import { until } from '../../../../test/kit/until.ts';
import { HttpFailure } from '../../../adapter/http.ts';
import { turnedClock } from '../../../core/clock.ts';
import { DAY_MS, HOUR_MS, QUARTER_MS } from '../../../core/durations.ts';
import { AppError } from '../../../core/errors.ts';
import { createLog } from '../../../core/log.ts';
import type { Database } from '../../../db/database.ts';
import { PRICE_AREAS, type ProducedInterval } from '../../../sources/contract/market.ts';
import {
  type Opened,
  open,
  rowsOf,
  type ScriptedSource,
  scriptedSource,
  slotsOf,
} from './test-production.ts';

/** 2026-11-21 09:00 UTC. */
const NOW = turnedClock().now();
/** The Swedish day before. */
const YESTERDAY = { from: Date.parse('2026-11-19T23:00:00Z'), until: Date.parse('2026-11-20T23:00:00Z') };

const unavailable = (pattern: RegExp) => (error: unknown) =>
  error instanceof AppError && error.code === 'production.unavailable' && pattern.test(error.message);

onEachEngine('production', (engine) => {
  let place: Place;
  let database: Database;
  let source: ScriptedSource;
  let opened: Opened[] = [];
  beforeEach(async () => {
    place = await makePlace(engine);
    database = await place.open();
    source = scriptedSource();
  });
  afterEach(async () => {
    for (const { production } of opened) await production.close();
    opened = [];
    await database.close();
    await place.remove();
  });

  const begin = async (options: Parameters<typeof open>[1] = {}): Promise<Opened> => {
    const one = await open(database, { source, ...options });
    opened.push(one);
    return one;
  };
  /** Starts, and waits until the source has responded. */
  const fetched = async (options: Parameters<typeof open>[1] = {}): Promise<Opened> => {
    const one = await begin(options);
    const asked = source.asked;
    one.production.start();
    await settled(one, asked + 1);
    return one;
  };
  const settled = (one: Opened, asked: number) =>
    until('the source has answered', () => {
      const next = one.production.health().next_attempt_at;
      return source.asked >= asked && next !== null && next > one.clock.now();
    });
  const again = async (one: Opened): Promise<void> => {
    const asked = source.asked;
    turnToNext(one);
    await settled(one, asked + 1);
  };
  const totals = async (one: Opened, range: { from: number; until: number }) =>
    (await rowsOf(one.production.history({ area: 'SE3', ...range, resolution: 'slot' }))).map(
      ({ total }) => total,
    );

  it('production is unavailable before anything was fetched, and reports the attempts', async () => {
    source.answer = () => {
      throw new HttpFailure('unreachable', 'esett cannot be reached');
    };
    const { production } = await begin();
    assert.throws(() => production.current(), unavailable(/eSett was not asked yet/));
    production.start();
    await until('it was tried', () => (production.health().next_attempt_at ?? 0) > NOW);
    assert.throws(
      () => production.current(),
      unavailable(
        /no production is stored: eSett was asked at 2026-11-21T09:00:00Z: esett cannot be reached; the next attempt is at 2026-11-21T09:01:00Z/,
      ),
    );
  });

  it('production is unavailable when fetching is disabled', async () => {
    const { production } = await open(database);
    production.start();
    assert.throws(() => production.current(), unavailable(/ELNAV_FETCH is off/));
  });

  it('production returns the newest slot of each area in MW', async () => {
    source.answer = (query) =>
      slotsOf(query, (area) => (area === 'SE2' ? { total: 1_234.567, hydro: 1_000.04, other: -3.33 } : {}));
    const { production } = await fetched();
    const current = production.current();
    assert.deepEqual(
      current.map(({ area }) => area),
      [...PRICE_AREAS],
    );
    const start = NOW - QUARTER_MS;
    assert.deepEqual(current[1], {
      area: 'SE2',
      start,
      end: NOW,
      total: 4_938.3,
      hydro: 4_000.2,
      nuclear: null,
      wind: 687.5,
      solar: 0,
      thermal: 687.5,
      other: -13.3,
      source: 'esett',
    });
    assert.equal(production.health().status, 'ok');
    assert.match(production.health().sentence, /read as MWh, by SE3 on 2026-11-/);
  });

  it('production skips the newest slots while they are zeros', async () => {
    const zero = { total: 0, hydro: 0, nuclear: 0, wind: 0, solar: 0, thermal: 0, other: 0 };
    source.answer = (query) => slotsOf(query, (_, start) => (start >= NOW - 26 * HOUR_MS ? zero : {}));
    const { production } = await fetched();
    assert.ok(production.current().every(({ end, total }) => end === NOW - 26 * HOUR_MS && total > 0));
  });

  for (const [what, spoiled] of [
    ['fewer rows', (slots: ProducedInterval[]) => slots.slice(0, 5)],
    ['none', () => []],
    ['zeros', (slots: ProducedInterval[]) => slots.map((slot) => ({ ...slot, total: 0, hydro: 0 }))],
    ['totals that are null', (slots: ProducedInterval[]) => slots.map((slot) => ({ ...slot, total: null }))],
    ["another day's rows", (slots: ProducedInterval[]) => moved(slots, -40 * DAY_MS)],
    ['rows of the days to come', (slots: ProducedInterval[]) => moved(slots, 10 * DAY_MS)],
    ['rows off the grid', (slots: ProducedInterval[]) => moved(slots, 7 * 60_000)],
    ['negative water', (slots: ProducedInterval[]) => slots.map((slot) => ({ ...slot, hydro: -1 }))],
    [
      'more than Sweden can produce',
      (slots: ProducedInterval[]) => slots.map((slot) => ({ ...slot, total: 7_501 })),
    ],
  ] as const) {
    it(`production keeps the stored figures when the source returns ${what}`, async () => {
      const one = await fetched();
      const before = await totals(one, YESTERDAY);
      assert.equal(before.length, 96);
      const current = one.production.current();
      source.answer = (query) => spoiled(slotsOf(query, () => ({ total: 1_900 })).slice(0, 96 * 4));
      await again(one);
      assert.deepEqual((await totals(one, YESTERDAY)).length, 96);
      assert.deepEqual(await totals(one, YESTERDAY), before);
      assert.deepEqual(one.production.current(), current);
    });
  }

  it('production reports the number of implausible slots', async () => {
    source.answer = (query) => slotsOf(query, (area) => (area === 'SE1' ? { hydro: -1 } : {}));
    const { production, metrics } = await fetched();
    const { status, sentence } = production.health();
    assert.equal(status, 'degraded');
    assert.match(sentence, /no recent production of SE1; 808 slots of the last response are implausible/);
    assert.match(sentence, /808 refused \(negative\)/);
    assert.match(
      await metrics.registry.metrics(),
      /elnav_production_slots_total\{outcome="implausible"\} 808/,
    );
    assert.deepEqual(
      production.current().map(({ area }) => area),
      ['SE2', 'SE3', 'SE4'],
    );
  });

  it('production stores a revision, and keeps a kind that it leaves out', async () => {
    const one = await fetched();
    source.answer = (query) =>
      slotsOf(query, (_, start) =>
        start < YESTERDAY.from ? {} : { total: 2_100, hydro: null, nuclear: 600 },
      );
    await again(one);
    const [row] = await rowsOf(one.production.history({ area: 'SE3', ...YESTERDAY, resolution: 'slot' }));
    assert.equal(row?.total, 8_400);
    assert.equal(row?.hydro, 4_000);
    assert.equal(row?.nuclear, 2_400);
    assert.equal((await totals(one, YESTERDAY)).length, 96);
  });

  it('production is fetched every hour while yesterday is missing, and then every morning', async () => {
    const clock = turnedClock(Date.parse('2026-11-21T03:00:00Z'));
    source.answer = ({ from, until: end }) => slotsOf({ from, until: Math.min(end, YESTERDAY.from) });
    const one = await fetched({ clock });
    assert.equal(one.production.health().next_attempt_at, Date.parse('2026-11-21T04:00:00Z'));
    source.answer = ({ from, until: end }) => slotsOf({ from, until: Math.min(end, YESTERDAY.until) });
    await again(one);
    assert.equal(source.asked, 4, 'a week and a day each time');
    assert.equal(one.production.health().next_attempt_at, Date.parse('2026-11-21T08:00:00Z'));
  });

  it('production logs an outage of its source as a sentence and a code, without a stack trace', async () => {
    source.answer = () => {
      throw new HttpFailure('unreachable', 'eSett cannot be reached (ENOTFOUND)');
    };
    const lines: string[] = [];
    await fetched({ log: createLog('warn', { write: (line: string) => lines.push(line) }) });
    const { time: _, ...line } = JSON.parse(lines[0] ?? '{}');
    assert.deepEqual(line, {
      level: 'warn',
      source: 'esett',
      outcome: 'unreachable',
      msg: 'fetching production failed: eSett cannot be reached (ENOTFOUND); next attempt at 2026-11-21T09:01:00.000Z',
    });
    assert.equal(lines.length, 1);
  });

  it('production is read in batches, and yields to other tasks between them', async () => {
    const { production } = await fetched();
    let turns = 0;
    const turn = () => {
      turns += 1;
      next = setImmediate(turn);
    };
    let next = setImmediate(turn);
    const observed: number[] = [];
    const range = { from: NOW - 7 * DAY_MS, until: NOW };
    for await (const rows of production.history({ area: 'SE3', ...range, resolution: 'slot' })) {
      assert.ok(rows.length <= 200);
      observed.push(turns);
    }
    clearImmediate(next);
    // The slot that was open last follows what was read last, in the same turn.
    const read = observed.slice(0, -1);
    assert.ok(read.length > 2, `only ${read.length} batches`);
    assert.equal(new Set(read).size, read.length, 'each batch came in a turn of its own');
  });

  it('production waits longer after each failure, and until a Retry-After has passed', async () => {
    source.answer = () => {
      throw new HttpFailure('server_error', 'esett answered 503');
    };
    const one = await fetched();
    const { clock, production } = one;
    const waits: number[] = [];
    for (let failure = 1; failure <= 8; failure += 1) {
      waits.push(Math.round(((production.health().next_attempt_at ?? 0) - clock.now()) / 60_000));
      await again(one);
    }
    assert.deepEqual(waits, [1, 2, 4, 8, 16, 32, 60, 60]);
    source.answer = () => {
      throw new HttpFailure('rate_limited', 'esett limits our calls', { retryAfterSeconds: 7_200 });
    };
    await again(one);
    assert.equal((production.health().next_attempt_at ?? 0) - clock.now(), 2 * HOUR_MS);
  });

  it('production asks at the earliest an hour after the last request when it is restarted', async () => {
    const first = await fetched();
    await first.production.close();
    const asked = source.asked;
    const second = await begin();
    second.production.start();
    await until('it has checked', () => second.production.health().next_attempt_at !== null);
    assert.equal(source.asked, asked);
    assert.equal(second.production.current().length, 4);
  });

  it('production catches up after days of downtime', async () => {
    const first = await fetched();
    await first.production.close();
    const later = await fetched({ clock: turnedClock(NOW + 30 * DAY_MS) });
    await until('it caught up', async () => {
      const range = { from: NOW, until: NOW + 30 * DAY_MS };
      return (await totals(later, range)).length === 30 * 96;
    });
  });

  it('production reads MW where the figures are MW', async () => {
    source.answer = (query) => slotsOf(query, (area) => (area === 'SE3' ? { total: 9_000 } : {}));
    const { production } = await fetched();
    assert.equal(production.health().unit, 'MW');
    assert.equal(production.current()[2]?.total, 9_000);
  });

  for (const [what, total, pattern] of [
    ['fit neither', 4_000, /SE3 on \S+ has a mean of 4000, which fits neither/],
    ['are too small for either', 900, /mean of 900/],
    ['are too large for either', 20_000, /mean of 20000/],
  ] as const) {
    it(`production returns nothing while the figures ${what}`, async () => {
      source.answer = (query) => slotsOf(query, (area) => (area === 'SE3' ? { total } : {}));
      const { production } = await fetched();
      assert.equal(production.health().status, 'degraded');
      assert.throws(() => production.current(), unavailable(pattern));
      assert.throws(
        () => production.history({ area: 'SE1', ...YESTERDAY, resolution: 'day' }),
        unavailable(pattern),
      );
    });
  }

  it('production returns nothing when days contradict each other', async () => {
    source.answer = (query) =>
      slotsOf(query, (area, start) => (area === 'SE3' && start >= YESTERDAY.from ? { total: 7_000 } : {}));
    const { production } = await fetched();
    assert.throws(() => production.current(), unavailable(/looks like MWh, on 2026-11-20 like MW/));
  });

  it('production infers the unit from whole days, not rows', async () => {
    // Half a day in the other unit's size: the mean of the day lies between, and the other days decide.
    source.answer = (query) =>
      slotsOf(query, (area, start) => (area === 'SE3' && start > NOW - 3 * HOUR_MS ? { total: 7_000 } : {}));
    const { production } = await fetched();
    assert.equal(production.health().unit, 'MWh');
  });

  it('production uses the configured unit', async () => {
    source.answer = (query) => slotsOf(query, (area) => (area === 'SE3' ? { total: 4_000 } : {}));
    const { production } = await fetched({ unit: 'MW' });
    assert.equal(production.current()[2]?.total, 4_000);
    assert.match(production.health().sentence, /by ELNAV_PRODUCTION_UNIT/);
  });

  it('production notifies every instance when one stores production', async () => {
    const reader = await begin();
    assert.throws(() => reader.production.current());
    const other = engine === 'sqlite' ? database : await place.open();
    const writer = await open(other, { source });
    writer.production.start();
    await until('the reader has refreshed', () => reader.production.health().unit === 'MWh');
    assert.equal(reader.production.current().length, 4);
    await until('it has finished', () => writer.production.health().next_attempt_at !== null);
    await writer.production.close();
    if (other !== database) await other.close();
  });

  it('production is fetched by one instance when several start together', async () => {
    const many = await Promise.all([1, 2, 3, 4].map(() => begin()));
    for (const { production } of many) production.start();
    await until('all have checked', () =>
      many.every(({ production }) => production.health().next_attempt_at !== null),
    );
    await until('all know', () => many.every(({ production }) => production.health().unit === 'MWh'));
    assert.equal(source.asked, engine === 'sqlite' ? source.asked : 2, 'a week and a day, once');
  });
});

/** Advances to the next attempt, which comes at most a second late without jitter. */
function turnToNext({ production, clock }: Opened): void {
  clock.turn((production.health().next_attempt_at ?? 0) - clock.now() + 1_000);
}

function moved(slots: readonly ProducedInterval[], ms: number): ProducedInterval[] {
  return slots.map((slot) => ({ ...slot, start: slot.start + ms, end: slot.end + ms }));
}

onEachEngine("production from eSett's simulator", (engine) => {
  it("production from eSett's simulator is fetched and revised, and survives every fault", async () => {
    const clock = turnedClock();
    const served = await startEsett({ clock });
    const place = await makePlace(engine);
    const database = await place.open();
    const one = await open(database, { clock, source: esettForTests, http: served.http });
    one.production.start();
    await until('it was fetched', () => one.production.health().unit === 'MWh');
    await until('it has finished', () => (one.production.health().next_attempt_at ?? 0) > clock.now());
    const range = { area: 'SE3', ...YESTERDAY, resolution: 'slot' } as const;
    const dayBefore = { ...range, from: YESTERDAY.from - DAY_MS, until: YESTERDAY.from };
    const early = await rowsOf(one.production.history(dayBefore));
    assert.equal(early.length, 96);
    assert.ok(one.production.current().every(({ end }) => end <= NOW - 26 * HOUR_MS));

    const calls = () => served.simulator.calls().length;
    const nextCall = async () => {
      const called = calls();
      turnToNext(one);
      await until('it is asked again', () => calls() > called);
      await until('it is done', () => (one.production.health().next_attempt_at ?? 0) > clock.now());
    };
    for (const fault of [
      'down',
      'page',
      'zeros',
      'null_totals',
      'other_day',
      'too_much',
      'no_data',
    ] as const) {
      served.simulator.fault(fault);
      await nextCall();
      assert.deepEqual(await rowsOf(one.production.history(dayBefore)), early, fault);
    }
    served.simulator.fault(null);
    clock.turn(5 * DAY_MS);
    await until('the week was asked for', () => (one.production.health().next_attempt_at ?? 0) > clock.now());
    const late = await rowsOf(one.production.history(dayBefore));
    assert.equal(late.length, 96);
    assert.ok(
      late.every(({ total }, index) => total > (early[index]?.total ?? 0)),
      'revised upwards',
    );
    assert.equal((await rowsOf(one.production.history(range))).length, 96);
    await one.production.close();
    await database.close();
    await place.remove();
    await served.close();
  });
});

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

  it('history of production has 100 slots and 25 hours, less the missing ones, on the day on which summer time ends', async () => {
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

  it('history of production is the mean of the slots that have a figure', async () => {
    const hours = await read('hour');
    const eight = hours.find(({ start }) => start === Date.parse('2026-10-25T08:00:00Z'));
    assert.equal(eight?.solar, 20);
    assert.equal(eight?.hydro, 320);
  });

  it('history of production extends a range to whole hours and days', async () => {
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

  it('history of production is empty where nothing is stored', async () => {
    for (const resolution of ['slot', 'hour', 'day'] as const) {
      assert.deepEqual(await read(resolution, { from: 0, until: DAY_MS }), []);
    }
  });
});
