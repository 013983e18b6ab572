import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { HttpFailure, type HttpFailureKind } from '../../src/adapter/http.ts';
import { type TurnedClock, turnedClock } from '../../src/core/clock.ts';
import { silentLog } from '../../src/core/log.ts';
import { dayBounds } from '../../src/core/swedish-days.ts';
import { createHttp } from '../../src/outbound/index.ts';
import { serveSimulated } from '../../src/proof/simulation/serve.ts';
import {
  createSimulatedMarket,
  type ExchangeRateSource,
  type PriceArea,
  type PriceDay,
  type PriceFault,
  type PriceSource,
  type Simulate,
  type SimulatedDay,
  type SimulatedMarket,
  type SourceSession,
  sampleDay,
} from '../../src/sources/contract/market.ts';

import { until } from './until.ts';

/** A source, its simulator, and how it states prices in SEK. */
export interface Conformance {
  readonly source: PriceSource;
  readonly simulate: (market: SimulatedMarket) => Simulate;
  readonly token?: string;
  /** SEK/kWh as the source states it for EUR/MWh at a rate; null when it has only EUR. */
  readonly sekOf: (eurPerMwh: number, rate: number) => string | null;
}

interface Session extends SourceSession {
  readonly clock: TurnedClock;
  readonly asked: readonly string[];
}

const TIMEOUT_MS = 5_000;

/** A session whose client really calls a simulator on a port, with a clock that the test advances. */
export async function sessionWith(test: TestContext, simulate: Simulate, token?: string): Promise<Session> {
  const asked: string[] = [];
  const served = await serveSimulated({
    slug: 'simulated',
    load: async () => ({ handle: simulate }),
    onRequest: ({ path, query }) => asked.push(query.size === 0 ? path : `${path}?${query}`),
  });
  const clock = turnedClock();
  const http = createHttp({
    name: 'simulated',
    baseUrl: served.url,
    clock,
    random: (bytes) => Buffer.alloc(bytes),
    log: silentLog,
    attempts: 1,
    timeoutMs: TIMEOUT_MS,
  });
  test.after(async () => {
    await http.close();
    await served.close();
  });
  const { signal } = new AbortController();
  return { http, signal, clock, asked, ...(token === undefined ? {} : { token }) };
}

/** Quarter-hour and hourly prices on the days with 23, 24 and 25 hours. */
const DAYS = [
  { day: '2026-05-31', slotMinutes: 15, slots: 96 },
  { day: '2026-03-29', slotMinutes: 15, slots: 92 },
  { day: '2025-10-26', slotMinutes: 15, slots: 100 },
  { day: '2025-02-02', slotMinutes: 60, slots: 24 },
  { day: '2025-03-30', slotMinutes: 60, slots: 23 },
  { day: '2024-10-27', slotMinutes: 60, slots: 25 },
] as const;

const KINDS: Readonly<Partial<Record<PriceFault, HttpFailureKind>>> = {
  hang: 'timeout',
  reset: 'unreachable',
  html: 'answer_invalid',
  torn: 'answer_invalid',
  forbidden: 'refused',
  rate_limited: 'rate_limited',
  server_error: 'server_error',
};

const DAY = '2026-05-31';
const YESTERDAY = '2026-05-30';

/** The requirements for every source of prices; run against its simulator over a socket. */
export function conformsAsPriceSource({ source, simulate, token, sekOf }: Conformance): void {
  const [area] = source.areas.slice(-1) as [PriceArea];
  const session = (test: TestContext, market: SimulatedMarket) => sessionWith(test, simulate(market), token);
  /** The slots of a day as the source must return them, from whole cents. */
  const expected = (day: SimulatedDay, { rate }: SimulatedMarket): PriceDay['slots'] => {
    const { start } = dayBounds(day.day);
    const length = day.slotMinutes * 60_000;
    return day.eurPerMwh.map((eurPerMwh, index) => ({
      start: start + index * length,
      end: start + (index + 1) * length,
      sek: sekOf(eurPerMwh, rate),
      eur: fromCents(Math.round(eurPerMwh * 100)),
    }));
  };

  describe(`${source.slug} as a source of prices`, () => {
    it(`${source.slug} as a source of prices identifies itself`, () => {
      assert.match(source.slug, /^[a-z]+$/);
      assert.match(source.baseUrl, /^https:\/\/[^/]+$/);
      assert.ok(source.name.length > 0 && source.licence.length > 0 && source.areas.length > 0);
      assert.match(source.credit.href, /^https:\/\//);
      assert.equal(source.needs, token === undefined ? undefined : 'token');
    });

    for (const { day, slotMinutes, slots } of DAYS)
      it(`${source.slug} as a source of prices has ${slots} slots on ${day}, different for each area`, async (test) => {
        const market = createSimulatedMarket();
        const days = source.areas.map((one) => sampleDay(one, day, slotMinutes));
        market.publish(...days);
        const answered = await source.fetchDay(await session(test, market), { day, areas: source.areas });
        assert.deepEqual(answered.map((one) => one.area).sort(), [...source.areas].sort());
        for (const published of days) {
          const answer = answered.find((one) => one.area === published.area);
          assert.equal(answer?.day, day);
          assert.equal(answer?.slots.length, slots);
          assert.deepEqual(answer?.slots, expected(published, market));
          assert.equal(answer?.slots[0]?.start, dayBounds(day).start);
          assert.equal(answer?.slots.at(-1)?.end, dayBounds(day).end);
        }
      });

    it(`${source.slug} as a source of prices returns exact figures: negative, tiny, zero, both limits, and a price that repeats to the end`, async (test) => {
      const market = createSimulatedMarket();
      const figures = [-500, 4000, 0.01, -0.01, 0, 12.34, 99.99, ...Array.from({ length: 89 }, () => -1.5)];
      const published: SimulatedDay = { area, day: DAY, slotMinutes: 15, eurPerMwh: figures };
      market.publish(published);
      const [answer] = await source.fetchDay(await session(test, market), { day: DAY, areas: [area] });
      assert.deepEqual(answer?.slots, expected(published, market));
      assert.deepEqual(
        answer?.slots.slice(0, 6).map(({ eur }) => eur),
        ['-0.5', '4', '0.00001', '-0.00001', '0', '0.01234'],
      );
      for (const { sek, eur } of answer?.slots ?? [])
        for (const figure of [sek, eur])
          assert.ok(figure === null || /^-?\d+(\.\d+)?$/.test(figure), `${figure}`);
    });

    it(`${source.slug} as a source of prices leaves out a missing area, and returns nothing before prices are published`, async (test) => {
      const market = createSimulatedMarket();
      const own = await session(test, market);
      assert.deepEqual(await source.fetchDay(own, { day: DAY, areas: source.areas }), []);
      market.publish(sampleDay(area, DAY));
      const answered = await source.fetchDay(own, { day: DAY, areas: source.areas });
      assert.deepEqual(
        answered.map((one) => one.area),
        [area],
      );
    });

    for (const [fault, kind] of Object.entries(KINDS) as [PriceFault, HttpFailureKind][])
      it(`${source.slug} as a source of prices fails with ${kind} on ${fault}, without revealing a secret`, async (test) => {
        const market = createSimulatedMarket();
        market.publish(sampleDay(area, DAY));
        market.fault(fault);
        const own = await session(test, market);
        const call = source.fetchDay(own, { day: DAY, areas: [area] });
        const turned = until('it was asked', () => own.asked.length > 0).then(() =>
          own.clock.turn(hangsMs(fault)),
        );
        await assert.rejects(call, (error) => {
          assert.ok(error instanceof HttpFailure, String(error));
          assert.equal(error.kind, kind, error.message);
          assert.equal(error.retryAfterSeconds, fault === 'rate_limited' ? 60 : undefined);
          assert.doesNotMatch(error.message, /[?<]|http/);
          assert.ok(
            token === undefined || !`${error.message}${error.stack}${JSON.stringify(error)}`.includes(token),
          );
          return true;
        });
        await turned;
      });

    it(`${source.slug} as a source of prices never returns figures of another day: half a day stays half, yesterday is not returned`, async (test) => {
      const market = createSimulatedMarket();
      const published = sampleDay(area, DAY);
      market.publish(published, sampleDay(area, YESTERDAY));
      const own = await session(test, market);
      market.fault('half_day');
      const [half] = await source.fetchDay(own, { day: DAY, areas: [area] });
      assert.deepEqual(half?.slots, expected(published, market).slice(0, 48));
      market.fault('yesterday');
      const stale = await source.fetchDay(own, { day: DAY, areas: [area] }).catch((error: unknown) => error);
      const isRefused = stale instanceof HttpFailure && stale.kind === 'answer_invalid';
      assert.ok(isRefused || (Array.isArray(stale) && stale.length === 0), JSON.stringify(stale));
      assert.equal(own.asked.length, 2);
    });

    it(`${source.slug} as a source of prices passes on an implausible price, which the caller judges`, async (test) => {
      const market = createSimulatedMarket();
      const published = sampleDay(area, DAY);
      market.publish(published);
      market.fault('thousandfold');
      const [answer] = await source.fetchDay(await session(test, market), { day: DAY, areas: [area] });
      const times = published.eurPerMwh.map((eurPerMwh) => eurPerMwh * 1000);
      assert.deepEqual(answer?.slots, expected({ ...published, eurPerMwh: times }, market));
    });

    it(`${source.slug} as a source of prices ends when the time limit of the request is over`, async (test) => {
      const market = createSimulatedMarket();
      market.fault('hang');
      const own = await session(test, market);
      const over = new AbortController();
      const call = source.fetchDay({ ...own, signal: over.signal }, { day: DAY, areas: [area] });
      await until('it was asked', () => own.asked.length > 0);
      over.abort();
      await assert.rejects(call, (error) => error instanceof HttpFailure && error.kind === 'timeout');
    });
  });
}

/** Only a hanging request needs time to pass. */
function hangsMs(fault: PriceFault): number {
  return fault === 'hang' ? TIMEOUT_MS : 0;
}

/** Whole cents per MWh as EUR/kWh, by moving the decimal point. */
function fromCents(cents: number): string {
  const digits = String(Math.abs(cents)).padStart(6, '0');
  const text = `${digits.slice(0, -5)}.${digits.slice(-5)}`.replace(/\.?0+$/, '');
  return cents < 0 ? `-${text}` : text;
}

/** The requirements for a source of exchange rates. */
export function conformsAsRateSource(
  source: ExchangeRateSource,
  simulate: (market: SimulatedMarket) => Simulate,
): void {
  describe(`${source.slug} as a source of exchange rates`, () => {
    it(`${source.slug} as a source of exchange rates returns the rate of the day`, async (test) => {
      const own = await sessionWith(test, simulate(createSimulatedMarket({ rate: 11.194 })));
      assert.deepEqual(await source.fetchRate(own), { day: '2026-11-20', sekPerEur: '11.1940' });
    });

    for (const [fault, kind] of Object.entries(KINDS) as [PriceFault, HttpFailureKind][])
      it(`${source.slug} as a source of exchange rates fails with ${kind} on ${fault}`, async (test) => {
        const market = createSimulatedMarket();
        market.fault(fault);
        const own = await sessionWith(test, simulate(market));
        const call = source.fetchRate(own);
        const turned = until('it was asked', () => own.asked.length > 0).then(() =>
          own.clock.turn(hangsMs(fault)),
        );
        await assert.rejects(call, (error) => error instanceof HttpFailure && error.kind === kind);
        await turned;
      });
  });
}
