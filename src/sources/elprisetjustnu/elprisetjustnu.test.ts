import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { conformsAsPriceSource, sessionWith } from '../../../test/kit/price-sources.ts';
import { HttpFailure } from '../../adapter/http.ts';
import type { Json } from '../../core/json.ts';
import { createSimulatedMarket, sampleDay } from '../contract/market.ts';
import { elprisetjustnu } from './index.ts';
import { simulateElprisetjustnu } from './simulator.ts';
import { translate } from './translate.ts';

conformsAsPriceSource({
  source: elprisetjustnu,
  simulate: simulateElprisetjustnu,
  sekOf: (eurPerMwh, rate) => {
    const sek = Math.round((Math.round(eurPerMwh * 100) / 100_000) * rate * 100_000) / 100_000;
    return sek === 0 ? '0' : sek.toFixed(5).replace(/\.?0+$/, '');
  },
});

/** Ends of quarters within their hour, enough for the rows below. */
const ENDS: Readonly<Record<string, string>> = { '00': '15', '15': '30', '30': '45', '45': '59' };

const row = (start: string, more: Record<string, Json> = {}) => ({
  SEK_per_kWh: 0.1,
  EUR_per_kWh: 0.01,
  EXR: 10,
  time_start: start,
  time_end: start.replace(/:(00|15|30|45):00/, (_, minute) => `:${ENDS[minute]}:00`),
  ...more,
});
const ASKED = { area: 'SE3', day: '2026-11-21' } as const;
const TWO = [row('2026-11-21T00:00:00+01:00'), row('2026-11-21T00:15:00+01:00')];
const isInvalid = (error: unknown) => error instanceof HttpFailure && error.kind === 'answer_invalid';

describe('files of Elpriset just nu', () => {
  it('files of Elpriset just nu are read as they were served on 2 February 2025', () => {
    const file = JSON.parse(readFileSync(`${import.meta.dirname}/recorded.json`, 'utf8'));
    const day = translate(file, { area: 'SE3', day: '2025-02-02' });
    assert.equal(day.slots.length, 24);
    assert.equal(day.exchangeRate, '11.498678');
    assert.deepEqual(day.slots[0], {
      start: Date.UTC(2025, 1, 1, 23),
      end: Date.UTC(2025, 1, 2, 0),
      sek: '0.37003',
      eur: '0.03218',
    });
    assert.deepEqual([day.slots[23]?.sek, day.slots[23]?.eur], ['0.4634', '0.0403']);
    assert.equal(day.slots[23]?.end, Date.UTC(2025, 1, 2, 23));
  });

  it('files of Elpriset just nu have a wrong end in the slot before summer time ends, which is ignored', async (test) => {
    const market = createSimulatedMarket();
    market.publish(sampleDay('SE3', '2025-10-26'));
    const simulate = simulateElprisetjustnu(market);
    const path = '/api/v1/prices/2025/10-26_SE3.json';
    const { text = '' } = simulate({
      method: 'GET',
      path,
      query: new URLSearchParams(),
      headers: {},
      body: Buffer.alloc(0),
    });
    assert.match(text, /"time_start":"2025-10-26T02:45:00\+02:00","time_end":"2025-10-26T03:00:00\+01:00"/);
    const own = await sessionWith(test, simulate);
    const [day] = await elprisetjustnu.fetchDay(own, { day: '2025-10-26', areas: ['SE3'] });
    const before = day?.slots.find(({ start }) => start === Date.parse('2025-10-26T02:45:00+02:00'));
    assert.equal(before?.end, Date.parse('2025-10-26T02:00:00+01:00'));
    assert.deepEqual(own.asked, [path]);
  });

  it('files of Elpriset just nu are sorted; missing rows leave a gap', () => {
    const { slots } = translate([row('2026-11-21T01:00:00+01:00'), ...TWO.toReversed()], ASKED);
    const minutes = slots.map(({ start, end }) =>
      [start, end].map((at) => (at - Date.UTC(2026, 10, 20, 23)) / 60_000),
    );
    assert.deepEqual(minutes, [
      [0, 15],
      [15, 30],
      [60, 75],
    ]);
  });

  it('files of Elpriset just nu may have figures in exponent notation, and keep the decimals served', () => {
    const text =
      '{"SEK_per_kWh":-1e-05,"EUR_per_kWh":1.0e-07,"EXR":10.90,"time_start":"2026-11-21T00:30:00+01:00","time_end":"2026-11-21T00:45:00+01:00"}';
    const { slots } = translate([...TWO, JSON.parse(text)], ASKED);
    assert.deepEqual([slots[2]?.sek, slots[2]?.eur], ['-0.00001', '0.0000001']);
  });

  it('files of Elpriset just nu pass on kronor that are not euros times the rate, and no rate when there are two', () => {
    const odd = row('2026-11-21T00:30:00+01:00', { SEK_per_kWh: 5, EXR: 11 });
    const day = translate([...TWO, odd], ASKED);
    assert.equal(day.slots[2]?.sek, '5');
    assert.equal(day.exchangeRate, null);
  });

  it('files of Elpriset just nu are refused when they have another form', () => {
    const wrong: Json[] = [
      [],
      {},
      null,
      [row('2026-11-20T23:45:00+01:00'), ...TWO],
      [row('2026-11-22T00:00:00+01:00'), ...TWO],
      [row('2026-11-21'), ...TWO],
      [row('2026-13-21T00:30:00+01:00'), ...TWO],
      [row('2026-11-21T00:30:00+01:00', { SEK_per_kWh: '0.1' }), ...TWO],
      [row('2026-11-21T00:30:00+01:00', { EUR_per_kWh: null }), ...TWO],
      [row('2026-11-21T00:30:00+01:00', { EXR: Number.POSITIVE_INFINITY }), ...TWO],
      [...TWO, row('2026-11-21T00:15:00+01:00')],
      TWO.slice(0, 1),
      [row('2026-11-21T00:00:00+01:00'), row('2026-11-21T00:30:00+01:00'), row('2026-11-21T01:00:00+01:00')],
    ];
    for (const file of wrong) assert.throws(() => translate(file, ASKED), isInvalid, JSON.stringify(file));
  });

  it('files of Elpriset just nu that fail for one area are still fetched for the others', async (test) => {
    const market = createSimulatedMarket();
    market.publish(sampleDay('SE1', '2026-11-21'), sampleDay('SE2', '2026-11-21'));
    const simulate = simulateElprisetjustnu(market);
    const own = await sessionWith(test, (request) =>
      request.path.endsWith('SE1.json') ? { status: 403 } : simulate(request),
    );
    const days = await elprisetjustnu.fetchDay(own, { day: '2026-11-21', areas: ['SE1', 'SE2', 'SE3'] });
    assert.deepEqual(
      days.map(({ area }) => area),
      ['SE2'],
    );
    await assert.rejects(
      elprisetjustnu.fetchDay(own, { day: '2026-11-21', areas: ['SE1', 'SE3'] }),
      /status 403/,
    );
  });
});
