import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { type TurnedClock, turnedClock } from '../../src/core/clock.ts';
import { MINUTE_MS } from '../../src/core/durations.ts';
import { Temporal } from '../../src/core/temporal.ts';
import { createSimulatedMarket, type PriceDay, type PriceSource } from '../../src/sources/contract/market.ts';

import { until } from '../kit/until.ts';
import { makeWorld, type World } from '../kit/world.ts';

interface Item {
  readonly area: string;
  readonly start: string;
  readonly duration_min: number;
  readonly price: string;
}
interface Current {
  readonly today: string;
  readonly now: Readonly<Record<string, string>>;
  readonly today_avg: Readonly<Record<string, string>>;
}

/** A source that publishes when the test says so, at 11 SEK per EUR. */
function sourceOn(clock: TurnedClock) {
  const market = createSimulatedMarket({ clock, rate: 11 });
  const source: PriceSource & { holdBack: string | null } = {
    slug: 'journey',
    name: 'Journey',
    areas: ['SE1', 'SE2', 'SE3', 'SE4'],
    has: 'prices',
    credit: { name: '', href: '' },
    licence: '',
    baseUrl: 'http://journey.test',
    holdBack: null,
    async fetchDay(_session, { day, areas }) {
      if (day === source.holdBack) return [];
      return areas.flatMap((area): PriceDay[] => {
        const slots = market.shown(area, day);
        if (slots === null) return [];
        return [
          {
            area,
            day,
            exchangeRate: '11',
            publishedAt: null,
            slots: slots.map(({ start, end, eurPerMwh }) => ({
              start,
              end,
              eur: (eurPerMwh / 1_000).toFixed(5),
              sek: ((eurPerMwh / 1_000) * 11).toFixed(5),
            })),
          },
        ];
      });
    },
  };
  return source;
}

const DAYS = [
  // The day, its start at noon of the day before, its quarters, and what its clock shows at each end.
  { what: 'into a common day', day: '2026-11-22', from: Date.UTC(2026, 10, 21, 11), slots: 96 },
  {
    what: 'into the day on which clocks go back',
    day: '2026-10-25',
    from: Date.UTC(2026, 9, 24, 10),
    slots: 100,
  },
  {
    what: 'into the day on which clocks go forward',
    day: '2026-03-29',
    from: Date.UTC(2026, 2, 28, 11),
    slots: 92,
  },
] as const;

for (const { what, day, from, slots } of DAYS) {
  describe(`prices ${what}`, () => {
    const clock = turnedClock(from);
    const source = sourceOn(clock);
    let world: World | undefined;
    after(() => world?.close());

    const get = async <T>(path: string): Promise<T> => {
      const answer = await fetch(`${world?.grid}/api/v1${path}`);
      assert.equal(answer.status, 200, path);
      return (await answer.json()) as T;
    };
    const turnUntil = (whatFor: string, holds: () => Promise<boolean>, stepMs = MINUTE_MS) =>
      until(whatFor, async () => {
        clock.turn(stepMs);
        return holds();
      });
    const lastOf = async () => (await get<Item[]>('/prices/spot?area=SE3')).at(-1);
    const bounds = boundsOf(day);

    it(`prices ${what} arrive in the afternoon before, are sent to listeners, and change at midnight`, async () => {
      world = await makeWorld({
        engine: 'sqlite',
        clock,
        priceSources: [source],
        env: { ELNAV_SAMPLE_PRICES: 'off' },
      });
      await until(
        'today has arrived',
        async () => (await fetch(`${world?.grid}/api/v1/prices/spot`)).status === 200,
      );
      const before = await get<Item[]>('/prices/spot?area=SE3');
      assert.equal(Date.parse(before[0]?.start ?? ''), from, 'it begins with the current slot');
      assert.equal(Date.parse(before.at(-1)?.start ?? '') + 15 * MINUTE_MS, bounds.start);

      const events = listen(`${world.grid}/api/v1/prices/stream?area=SE3`);
      await until('the stream has begun', () => events.received.includes('current'));
      await turnUntil(
        'tomorrow has arrived',
        async () => Date.parse((await lastOf())?.start ?? '') >= bounds.start,
      );
      await until('the day was sent', () => events.received.includes('day'));
      events.close();
      assert.equal(Date.parse((await lastOf())?.start ?? '') + 15 * MINUTE_MS, bounds.end);

      const rows = await get<Item[]>(`/prices/history?area=SE3&from=${day}&to=${day}`);
      assert.equal(rows.length, slots);
      for (const [index, row] of rows.entries())
        assert.equal(
          Date.parse(row.start),
          bounds.start + index * 15 * MINUTE_MS,
          'without a gap or a repeat',
        );

      clock.turn(bounds.start - MINUTE_MS - clock.now());
      assert.notEqual((await get<Current>('/prices/current')).today, day);
      clock.turn(MINUTE_MS);
      const current = await get<Current>('/prices/current');
      assert.equal(current.today, day);
      assert.equal(current.now.SE3, rows[0]?.price);
      const mean = rows.reduce((sum, { price }) => sum + Number(price), 0) / slots;
      assert.ok(
        Math.abs(Number(current.today_avg.SE3) - mean) < 1e-5,
        `${current.today_avg.SE3}, not ${mean}`,
      );
      const spot = await get<Item[]>('/prices/spot?area=SE3');
      assert.equal(spot.length, slots);
    });
  });
}

describe('a day of prices that arrives late', () => {
  const clock = turnedClock(Date.UTC(2026, 10, 21, 11, 40));
  const source = sourceOn(clock);
  let world: World | undefined;
  after(() => world?.close());

  it("a day of prices that arrives late is requested until it arrives, while today's prices are still served", async () => {
    source.holdBack = '2026-11-22';
    world = await makeWorld({
      engine: 'sqlite',
      clock,
      priceSources: [source],
      env: { ELNAV_SAMPLE_PRICES: 'off' },
    });
    const spot = async () => {
      const answer = await fetch(`${world?.grid}/api/v1/prices/spot?area=SE1`);
      return answer.status === 200 ? ((await answer.json()) as Item[]) : [];
    };
    await until('today has arrived', async () => (await spot()).length > 0);
    // Until ten past five in the afternoon.
    while (clock.now() < Date.UTC(2026, 10, 21, 16, 10)) {
      clock.turn(5 * MINUTE_MS);
      const items = await spot();
      assert.equal(Date.parse(items.at(-1)?.start ?? ''), Date.UTC(2026, 10, 21, 22, 45));
    }
    const ready = (await (await fetch(`${world.grid}/readyz`)).json()) as { checks: { prices: string } };
    assert.match(ready.checks.prices, /^tomorrow's prices are missing for SE1, SE2, SE3, SE4/);
    source.holdBack = null;
    await until('tomorrow has arrived', async () => {
      clock.turn(MINUTE_MS);
      return Date.parse((await spot()).at(-1)?.start ?? '') === Date.UTC(2026, 10, 22, 22, 45);
    });
    assert.ok(clock.now() < Date.UTC(2026, 10, 21, 17), 'within the hour');
  });
});

/** The names of the events of a stream, as they arrive. */
function listen(url: string): { readonly received: string[]; close(): void } {
  const received: string[] = [];
  const abort = new AbortController();
  const read = async () => {
    const answer = await fetch(url, { signal: abort.signal });
    for await (const chunk of (answer.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream()))
      received.push(...[...chunk.matchAll(/^event: (\w+)$/gm)].map(([, name = '']) => name));
  };
  read().catch(() => {});
  return { received, close: () => abort.abort() };
}

function boundsOf(day: string): { readonly start: number; readonly end: number } {
  const date = Temporal.PlainDate.from(day);
  const startOf = (one: Temporal.PlainDate) => one.toZonedDateTime('Europe/Stockholm').epochMilliseconds;
  return { start: startOf(date), end: startOf(date.add({ days: 1 })) };
}
