import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { makePlace, type Place } from '../../../test/kit/databases.ts';
import { HttpFailure } from '../../adapter/http.ts';
import { turnedClock } from '../../core/clock.ts';
import { HOUR_MS, MINUTE_MS } from '../../core/durations.ts';
import { AppError } from '../../core/errors.ts';
import { dayBounds } from '../../core/swedish-days.ts';
import type { Database } from '../../db/database.ts';
import type { PriceDay } from '../../sources/contract/market.ts';
import { addDays, momentOf } from './calendar.ts';
import type { PriceEvent } from './index.ts';
import { createPriceStore } from './store.ts';
import {
  type Answering,
  dayPrices,
  everyDay,
  fakeSource,
  inEuros,
  nothing,
  pass,
  pricesOf,
  publishedFrom,
  rateSource,
  reportedDay,
} from './test-prices.ts';

/** A database of its own for each test. */
async function withDatabase(work: (database: Database) => Promise<void>): Promise<void> {
  const place = await makePlace('sqlite');
  const database = await place.open();
  try {
    await work(database);
  } finally {
    await database.close();
    await place.remove();
  }
}

const gaps = (moments: readonly number[]) => moments.slice(1).map((at, index) => at - (moments[index] ?? 0));

describe('the schedule', () => {
  for (const [title, today, published] of [
    ['a usual day', '2026-11-21', '13:10'],
    ['the day before clocks go forward', '2026-03-28', '13:10'],
    ['the day on which clocks go forward', '2026-03-29', '13:10'],
    ['the day before clocks go back', '2026-10-24', '13:10'],
    ['the day on which clocks go back', '2026-10-25', '13:10'],
  ] as const) {
    it(`asks for tomorrow from 12:50 until it is there, and checks it twice, on ${title}`, () =>
      withDatabase(async (database) => {
        const tomorrow = addDays(today, 1);
        const { start, end } = dayBounds(today);
        const clock = turnedClock(start + HOUR_MS);
        const source = fakeSource(clock, 'first', { answer: publishedFrom(clock, published) });
        const { prices } = await pricesOf(database, { clock, sources: [source] });
        prices.start();
        await pass(clock, end - clock.now() + 3 * HOUR_MS);

        const at = (day: string) => source.asked.filter((one) => one.day === day).map((one) => one.at);
        assert.equal(at(today).length, 1, 'today is asked for once');
        const waiting = at(tomorrow).filter((moment) => moment < momentOf(today, '13:14'));
        assert.ok((waiting[0] ?? 0) >= momentOf(today, '12:50'));
        assert.ok((waiting[0] ?? 0) <= momentOf(today, '12:52') + 15_000);
        assert.ok(waiting.length >= 6 && waiting.length <= 14, `${waiting.length} questions`);
        for (const gap of gaps(waiting))
          assert.ok(gap >= 1.5 * MINUTE_MS && gap <= 2.7 * MINUTE_MS, `${gap}`);
        const checks = at(tomorrow).filter((moment) => moment > momentOf(today, '13:14'));
        assert.equal(checks.length, 2);
        for (const [index, time] of ['15:30', '20:00'].entries())
          assert.ok(Math.abs((checks[index] ?? 0) - momentOf(today, time)) <= 8.5 * MINUTE_MS);
        assert.equal(prices.current().today, tomorrow);
        assert.equal(prices.health().status, 'ok');
        assert.match(prices.health().sentence, /^ok: SE1–SE4 until /);
        await prices.close();
      }));
  }

  it('keeps asking while a day is late, and stores it when it is published', () =>
    withDatabase(async (database) => {
      const clock = turnedClock(momentOf('2026-11-21', '12:00'));
      const source = fakeSource(clock, 'first', { answer: publishedFrom(clock, '17:10') });
      const { prices } = await pricesOf(database, { clock, sources: [source] });
      const events: PriceEvent[] = [];
      prices.watch((event) => event.kind !== 'slot' && events.push(event));
      prices.start();
      await pass(clock, 3.5 * HOUR_MS);
      assert.equal(prices.health().status, 'degraded');
      assert.match(prices.health().sentence, /tomorrow's prices are missing for SE1, SE2, SE3, SE4/);
      await pass(clock, 2.5 * HOUR_MS);
      const late = source.asked.map(({ at }) => at).filter((at) => at > momentOf('2026-11-21', '14:32'));
      for (const gap of gaps(late.filter((at) => at < momentOf('2026-11-21', '17:41'))))
        assert.ok(gap >= 15 * MINUTE_MS && gap <= 30.5 * MINUTE_MS, `${gap}`);
      assert.equal(prices.health().status, 'ok');
      assert.deepEqual(
        events.map((event) => event.kind),
        ['stored', 'stored'],
      );
      assert.equal(prices.spot(['SE3']).at(-1)?.end, dayBounds('2026-11-22').end);
      await prices.close();
    }));

  it('backs off while today is missing, and reports the next attempt', () =>
    withDatabase(async (database) => {
      const clock = turnedClock(momentOf('2026-11-21', '01:00'));
      const answer: Answering = () => new HttpFailure('unreachable', 'it cannot be reached');
      const source = fakeSource(clock, 'first', { answer });
      const { prices } = await pricesOf(database, { clock, sources: [source] });
      prices.start();
      await pass(clock, 3 * HOUR_MS);
      const waits = gaps(source.asked.map(({ at }) => at));
      assert.ok((waits[0] ?? 0) >= 24_000 && (waits[0] ?? 0) <= 51_000);
      assert.ok(Math.max(...waits) <= 18.5 * MINUTE_MS);
      assert.ok(waits.slice(6).every((wait) => wait >= 12 * MINUTE_MS));
      assert.throws(
        () => prices.spot(['SE3']),
        (error) =>
          error instanceof AppError &&
          /Source first: it cannot be reached; the next attempt is at 2026-11-21T0\d:/.test(error.message) &&
          (error.retryAfterSeconds ?? 0) > 0 &&
          (error.retryAfterSeconds ?? 0) <= 1_080,
      );
      source.answer = everyDay;
      await pass(clock, 20 * MINUTE_MS);
      assert.equal(prices.spot(['SE3'])[0]?.source, 'first');
      await prices.close();
    }));

  it('catches up after the process was suspended for hours', () =>
    withDatabase(async (database) => {
      const clock = turnedClock(momentOf('2026-11-21', '09:00'));
      const source = fakeSource(clock, 'first', { answer: publishedFrom(clock, '13:10') });
      const { prices } = await pricesOf(database, { clock, sources: [source] });
      prices.start();
      await pass(clock, MINUTE_MS);
      // A timer fires when the machine resumes, however late.
      clock.turn(30 * HOUR_MS);
      await pass(clock, MINUTE_MS);
      assert.equal(prices.current().today, '2026-11-22');
      assert.equal(prices.spot(['SE1'])[0]?.start, momentOf('2026-11-22', '15:00'));
      assert.equal(prices.spot(['SE1']).at(-1)?.end, dayBounds('2026-11-23').end);
      assert.ok(source.asked.length <= 4, `${source.asked.length} questions`);
      await prices.close();
    }));

  it('asks for no stored day again after a restart', () =>
    withDatabase(async (database) => {
      const clock = turnedClock(momentOf('2026-11-21', '16:00'));
      const source = fakeSource(clock, 'first');
      const first = await pricesOf(database, { clock, sources: [source] });
      first.prices.start();
      await pass(clock, MINUTE_MS);
      await first.prices.close();
      assert.deepEqual(
        source.asked.map(({ day }) => day),
        ['2026-11-21', '2026-11-22'],
      );
      const second = await pricesOf(database, { clock, sources: [source] });
      assert.equal(second.prices.spot(['SE1'])[0]?.source, 'first', 'before any request');
      second.prices.start();
      await pass(clock, HOUR_MS);
      assert.equal(source.asked.length, 2);
      await second.prices.close();
    }));

  it('asks no source where fetching is off or not allowed for the process', () =>
    withDatabase(async (database) => {
      for (const options of [{ isOn: false }, { mayFetch: false }]) {
        const clock = turnedClock(momentOf('2026-11-21', '12:00'));
        const source = fakeSource(clock, 'first');
        const { prices } = await pricesOf(database, { clock, sources: [source], ...options });
        prices.start();
        await pass(clock, 3 * HOUR_MS);
        assert.deepEqual(source.asked, []);
        await assert.rejects(prices.backfill.begin({ from: '2026-01-01', until: '2026-01-02' }), {
          code: 'backfill.off',
        });
        await prices.close();
      }
    }));

  it('replaces a corrected day, and publishes an event', () =>
    withDatabase(async (database) => {
      const clock = turnedClock(momentOf('2026-11-21', '14:00'));
      const source = fakeSource(clock, 'first');
      const { prices } = await pricesOf(database, { clock, sources: [source] });
      const events: PriceEvent[] = [];
      prices.start();
      await pass(clock, MINUTE_MS);
      prices.watch((event) => event.kind !== 'slot' && events.push(event));
      const version = prices.version();
      source.answer = ({ day, areas }) =>
        areas.map((area) =>
          area === 'SE4'
            ? reportedDay(area, day, { eur: (index) => 0.06 + index / 9_999 })
            : reportedDay(area, day),
        );
      await pass(clock, 2 * HOUR_MS);
      assert.deepEqual(events, [{ kind: 'corrected', days: [{ area: 'SE4', day: '2026-11-22' }] }]);
      assert.notEqual(prices.version(), version);
      assert.equal(prices.spot(['SE4']).at(-1)?.price_eur, '0.06950');
      await prices.close();
    }));
});

describe('a source', () => {
  const now = momentOf('2026-11-21', '11:00');
  const scale = (day: PriceDay, factor: number): PriceDay => ({
    ...day,
    slots: day.slots.map((slot) => ({
      ...slot,
      sek: (Number(slot.sek) * factor).toFixed(5),
      eur: (Number(slot.eur) * factor).toFixed(5),
    })),
  });
  const yesterdays: Answering = ({ day, areas }) =>
    areas.map((area) => {
      const before = reportedDay(area, addDays(day, -1)).slots;
      const reported = reportedDay(area, day);
      return {
        ...reported,
        slots: reported.slots.map((slot, index) => ({
          ...slot,
          sek: before[index]?.sek ?? '0',
          eur: before[index]?.eur ?? '0',
        })),
      };
    });
  const cheap: Answering = ({ day, areas }) =>
    areas.map((area) => reportedDay(area, day, { eur: (index) => 0.002 + index / 1e5 }));

  const cases: readonly (readonly [string, Answering, string])[] = [
    ['that cannot be reached', () => new HttpFailure('unreachable', 'no route'), 'unreachable'],
    [
      'that refuses (403)',
      () => new HttpFailure('refused', 'it answered 403', { status: 403 }),
      'http_refused',
    ],
    [
      'that is broken (503)',
      () => new HttpFailure('server_error', 'it answered 503', { status: 503 }),
      'server_error',
    ],
    ['that answers a page of HTML', () => new HttpFailure('answer_invalid', 'no JSON'), 'answer_invalid'],
    [
      'that has a fault of its own',
      () => {
        throw new TypeError('a fault');
      },
      'answer_invalid',
    ],
    ['that hangs', () => new Promise<never>(() => {}), 'timeout'],
    [
      'that has half a day',
      ({ day, areas }) =>
        areas.map((area) => ({
          ...reportedDay(area, day),
          slots: reportedDay(area, day).slots.slice(0, 48),
        })),
      'refused',
    ],
    ['that has the prices of the day before', yesterdays, 'refused'],
    [
      'that is a thousand times too high',
      ({ day, areas }) => areas.map((area) => scale(reportedDay(area, day), 1_000)),
      'refused',
    ],
    [
      'that is a thousand times too high on a cheap day',
      (query) => (cheap(query) as readonly PriceDay[]).map((day) => scale(day, 1_000)),
      'quarantined',
    ],
    ['that has not published', nothing, 'not_published'],
  ];
  for (const [title, answer, outcome] of cases) {
    it(`${title} is skipped, and the next one is asked`, () =>
      withDatabase(async (database) => {
        const clock = turnedClock(now);
        const store = createPriceStore(database);
        for (const area of ['SE1', 'SE2', 'SE3', 'SE4'] as const)
          await store.store(dayPrices(area, '2026-11-20', { source: 'second' }), 1);
        const first = fakeSource(clock, 'first', { answer });
        const second = fakeSource(clock, 'second');
        const { prices, metrics } = await pricesOf(database, { clock, sources: [first, second] });
        prices.start();
        await pass(clock, MINUTE_MS);
        assert.deepEqual(
          [...new Set(prices.spot(['SE1', 'SE2', 'SE3', 'SE4']).map(({ source }) => source))],
          ['second'],
        );
        assert.equal(prices.spot(['SE2'])[0]?.price, reportedDay('SE2', '2026-11-21').slots[44]?.sek);
        const health = prices.health().sources.find(({ source }) => source === 'first');
        assert.equal(health?.outcome, outcome);
        const counted = await metrics.registry.metrics();
        assert.match(
          counted,
          new RegExp(`elnav_source_requests_total{source="first",outcome="${outcome}"} 1`),
        );
        assert.match(counted, /elnav_source_requests_total{source="second",outcome="ok"} 1/);
        await prices.close();
      }));
  }

  it('with implausible prices is accepted when another source reports the same', () =>
    withDatabase(async (database) => {
      const clock = turnedClock(now);
      // Dearer than any day before, and true.
      const dear: Answering = ({ day, areas }) =>
        areas.map((area) => reportedDay(area, day, { eur: (index) => 2 + index / 1_000 }));
      const first = fakeSource(clock, 'first', { answer: dear });
      const second = fakeSource(clock, 'second', {
        answer: (query) => (dear(query) as PriceDay[]).map(inEuros),
      });
      const { prices } = await pricesOf(database, { clock, sources: [first, second], rateSource });
      prices.start();
      await pass(clock, MINUTE_MS);
      const [item] = prices.spot(['SE3']);
      assert.deepEqual([item?.source, item?.converted], ['first', false]);
      await prices.close();
    }));

  it('with implausible prices that no other source confirms is never accepted', () =>
    withDatabase(async (database) => {
      const clock = turnedClock(now);
      const dear: Answering = ({ day, areas }) =>
        areas.map((area) => reportedDay(area, day, { eur: (index) => 2 + index / 1_000 }));
      const { prices } = await pricesOf(database, {
        clock,
        sources: [fakeSource(clock, 'first', { answer: dear })],
      });
      prices.start();
      await pass(clock, HOUR_MS);
      assert.throws(() => prices.spot(['SE3']), /far above all stored prices/);
      await prices.close();
    }));

  it('that sends Retry-After is not asked before then, also after a restart', () =>
    withDatabase(async (database) => {
      const clock = turnedClock(now);
      const answer: Answering = () =>
        new HttpFailure('rate_limited', 'it answered 429', { status: 429, retryAfterSeconds: 1_200 });
      const source = fakeSource(clock, 'first', { answer });
      const first = await pricesOf(database, { clock, sources: [source] });
      first.prices.start();
      await pass(clock, 5 * MINUTE_MS);
      await first.prices.close();
      const second = await pricesOf(database, { clock, sources: [source] });
      second.prices.start();
      await pass(clock, 14 * MINUTE_MS);
      assert.equal(source.asked.length, 1);
      source.answer = everyDay;
      await pass(clock, 20 * MINUTE_MS);
      assert.equal(source.asked.length, 2);
      assert.equal(second.prices.spot(['SE1'])[0]?.source, 'first');
      await second.prices.close();
    }));

  it('is asked only for areas that it covers and that are still missing', () =>
    withDatabase(async (database) => {
      const clock = turnedClock(now);
      const first = fakeSource(clock, 'first', {
        areas: ['SE1', 'SE2', 'SE3'],
        answer: ({ day }) => [reportedDay('SE2', day), reportedDay('SE4', day)],
      });
      const without = fakeSource(clock, 'without');
      const second = fakeSource(clock, 'second', { areas: ['SE3', 'SE4'] });
      const third = fakeSource(clock, 'third');
      const { prices } = await pricesOf(database, {
        clock,
        sources: [first, without, second, third],
        without: ['without'],
      });
      prices.start();
      await pass(clock, MINUTE_MS);
      assert.deepEqual(first.asked[0]?.areas, ['SE1', 'SE2', 'SE3']);
      assert.deepEqual(without.asked, []);
      assert.deepEqual(second.asked[0]?.areas, ['SE3', 'SE4']);
      assert.deepEqual(third.asked[0]?.areas, ['SE1']);
      assert.equal(prices.current().source, 'third, first, second');
      await prices.close();
    }));

  for (const wrong of [
    { day: '2026-11-20', sekPerEur: '110.295' },
    { day: '2026-11-20', sekPerEur: '0' },
    { day: '2026-11-20', sekPerEur: 'NaN' },
    { day: 'yesterday', sekPerEur: '11.2' },
  ]) {
    it(`that reports only euros is not converted at a rate of ${wrong.sekPerEur} of ${wrong.day}`, () =>
      withDatabase(async (database) => {
        const clock = turnedClock(now);
        const answer: Answering = ({ day, areas }) => areas.map((area) => inEuros(reportedDay(area, day)));
        const { prices } = await pricesOf(database, {
          clock,
          sources: [fakeSource(clock, 'first', { answer })],
          rateSource: { ...rateSource, fetchRate: async () => wrong },
        });
        prices.start();
        await pass(clock, MINUTE_MS);
        assert.throws(() => prices.spot(['SE3']), /Rates: its rate cannot be right/);
        await prices.close();
      }));
  }

  for (const [title, rateDay, expected] of [
    ['is converted at a rate that another source stated for a nearby day', '2026-11-01', '11.00000'],
    ['is not converted at a rate from months ago', '2026-08-01', undefined],
  ] as const) {
    it(`that reports only euros ${title}`, () =>
      withDatabase(async (database) => {
        const clock = turnedClock(now);
        await createPriceStore(database).store(dayPrices('SE1', rateDay), 1);
        const answer: Answering = ({ day, areas }) => areas.map((area) => inEuros(reportedDay(area, day)));
        const { prices } = await pricesOf(database, {
          clock,
          sources: [fakeSource(clock, 'second', { answer })],
        });
        prices.start();
        await pass(clock, MINUTE_MS);
        const rate = prices.health().until.SE3 === null ? undefined : prices.spot(['SE3'])[0]?.exchange_rate;
        assert.equal(rate, expected);
        await prices.close();
      }));
  }

  it('that reports only euros is converted at the newest stored rate, and is unusable without one', () =>
    withDatabase(async (database) => {
      const clock = turnedClock(now);
      const answer: Answering = ({ day, areas }) => areas.map((area) => inEuros(reportedDay(area, day)));
      const source = fakeSource(clock, 'first', { answer });
      const lone = await pricesOf(database, { clock, sources: [source] });
      lone.prices.start();
      await pass(clock, MINUTE_MS);
      assert.throws(() => lone.prices.spot(['SE3']), /there is no exchange rate/);
      await lone.prices.close();
      const rated = await pricesOf(database, { clock, sources: [source], rateSource });
      rated.prices.start();
      await pass(clock, MINUTE_MS);
      const [item] = rated.prices.spot(['SE3']);
      assert.deepEqual([item?.converted, item?.exchange_rate], [true, '11.20000']);
      assert.ok(Math.abs(Number(item?.price) - Number(item?.price_eur) * 11.2) < 0.00001);
      await rated.prices.close();
    }));
});

describe('what is stored', () => {
  let place: Place;
  let database: Database;
  before(async () => {
    place = await makePlace('sqlite');
    database = await place.open();
  });
  after(async () => {
    await database.close();
    await place.remove();
  });

  it('is not replaced by an implausible response at a later check', async () => {
    const clock = turnedClock(momentOf('2026-11-21', '14:00'));
    const source = fakeSource(clock, 'first');
    const { prices } = await pricesOf(database, { clock, sources: [source] });
    prices.start();
    await pass(clock, MINUTE_MS);
    const stored = prices
      .spot(['SE1', 'SE2', 'SE3', 'SE4'])
      .filter(({ start }) => start >= dayBounds('2026-11-22').start);
    source.answer = ({ day, areas }) =>
      areas.map((area) => ({ ...reportedDay(area, day), slots: reportedDay(area, day).slots.slice(0, 40) }));
    await pass(clock, 9 * HOUR_MS);
    assert.ok(source.asked.length > 3, 'it was asked again');
    assert.deepEqual(
      prices.spot(['SE1', 'SE2', 'SE3', 'SE4']).filter(({ start }) => start >= dayBounds('2026-11-22').start),
      stored,
    );
    await prices.close();
  });
});
