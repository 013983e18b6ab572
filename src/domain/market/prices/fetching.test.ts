import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { makePlace, type Place } from '../../../../test/kit/databases.ts';
import { HttpFailure } from '../../../adapter/http.ts';
import { turnedClock } from '../../../core/clock.ts';
import { HOUR_MS, MINUTE_MS } from '../../../core/durations.ts';
import { dayBounds } from '../../../core/swedish-days.ts';
import type { Database } from '../../../db/database.ts';
import type { PriceDay } from '../../../sources/contract/market.ts';
import { addDays, momentOf } from './calendar.ts';
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
  rateSource,
  reportedDay,
  withDatabase,
} from './test-prices.ts';

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

  it('a source with implausible prices is accepted when another source reports the same', () =>
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

  it('a source with implausible prices that no other source confirms is never accepted', () =>
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

  it('a source that sends Retry-After is not asked before then, also after a restart', () =>
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

  it('a source is asked only for areas that it covers and that are still missing', () =>
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
    it(`a source that reports only euros is not converted at a rate of ${wrong.sekPerEur} of ${wrong.day}`, () =>
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
    it(`a source that reports only euros ${title}`, () =>
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

  it('a source that reports only euros is converted at the newest stored rate, and is unusable without one', () =>
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

  it('what is stored is not replaced by an implausible response at a later check', async () => {
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
