import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HttpFailure } from '../../../adapter/http.ts';
import { turnedClock } from '../../../core/clock.ts';
import { HOUR_MS, MINUTE_MS } from '../../../core/durations.ts';
import { AppError } from '../../../core/errors.ts';
import { dayBounds } from '../../../core/swedish-days.ts';
import { addDays, momentOf } from './calendar.ts';
import type { PriceEvent } from './index.ts';
import {
  type Answering,
  everyDay,
  fakeSource,
  pass,
  pricesOf,
  publishedFrom,
  reportedDay,
  withDatabase,
} from './test-prices.ts';

const gaps = (moments: readonly number[]) => moments.slice(1).map((at, index) => at - (moments[index] ?? 0));

describe('the schedule', () => {
  for (const [title, today, published] of [
    ['a usual day', '2026-11-21', '13:10'],
    ['the day before clocks go forward', '2026-03-28', '13:10'],
    ['the day on which clocks go forward', '2026-03-29', '13:10'],
    ['the day before clocks go back', '2026-10-24', '13:10'],
    ['the day on which clocks go back', '2026-10-25', '13:10'],
  ] as const) {
    it(`the schedule asks for tomorrow from 12:50 until it is there, and checks it twice, on ${title}`, () =>
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

  it('the schedule keeps asking while a day is late, and stores it when it is published', () =>
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

  it('the schedule backs off while today is missing, and reports the next attempt', () =>
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

  it('the schedule catches up after the process was suspended for hours', () =>
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

  it('the schedule asks for no stored day again after a restart', () =>
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

  it('the schedule asks no source where fetching is off or not allowed for the process', () =>
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

  it('the schedule replaces a corrected day, and publishes an event', () =>
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
