import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { conformsAsPriceSource, sessionWith } from '../../../test/kit/price-sources.ts';
import { HttpFailure } from '../../adapter/http.ts';
import type { JsonObject } from '../../core/json.ts';
import { createSimulatedMarket, sampleDay } from '../contract/market.ts';
import { nordpool } from './index.ts';
import { simulateNordpool } from './simulator.ts';
import { translate } from './translate.ts';

conformsAsPriceSource({
  source: nordpool,
  simulate: simulateNordpool,
  // Whole öre per MWh.
  sekOf: (eurPerMwh, rate) => {
    const ore = Math.round(eurPerMwh * rate * 100);
    return ore === 0 ? '0' : (ore / 100_000).toFixed(5).replace(/\.?0+$/, '');
  },
});

const recorded = (): JsonObject => JSON.parse(readFileSync(`${import.meta.dirname}/recorded.json`, 'utf8'));
const ASKED = { day: '2024-11-05', areas: ['SE3', 'SE4', 'SE1'] } as const;
const isInvalid = (error: unknown) => error instanceof HttpFailure && error.kind === 'answer_invalid';

describe("days of Nord Pool's portal", () => {
  it("days of Nord Pool's portal are read as they were served for 5 November 2024", () => {
    const days = translate(recorded(), ASKED);
    assert.deepEqual(
      days.map(({ area, slots }) => [area, slots.length]),
      [
        ['SE3', 24],
        ['SE4', 23],
      ],
      'SE4 has no price in one hour',
    );
    const [se3, se4] = days;
    assert.equal(se3?.exchangeRate, '11.6402');
    assert.equal(se3?.publishedAt, Date.parse('2024-11-04T12:15:03.945Z'));
    assert.deepEqual(se3?.slots[0], {
      start: Date.UTC(2024, 10, 4, 23),
      end: Date.UTC(2024, 10, 5, 0),
      sek: '0.25073',
      eur: '0.02154',
    });
    assert.equal(
      se4?.slots.some(({ start }) => start === Date.UTC(2024, 10, 5, 18)),
      false,
    );
    for (const { sek, eur } of se3?.slots ?? [])
      assert.ok(Math.abs(Number(eur) * 11.6402 - Number(sek)) <= 0.00001, `${sek} and ${eur}`);
  });

  it("days of Nord Pool's portal have no euros when the rate does not give whole cents", () => {
    const [se3] = translate({ ...recorded(), exchangeRate: 1234.5 }, ASKED);
    assert.deepEqual([...new Set(se3?.slots.map(({ eur }) => eur))], [null]);
  });

  it("days of Nord Pool's portal are left out while they are preliminary", async (test) => {
    const market = createSimulatedMarket();
    market.publish(sampleDay('SE1', '2026-11-21'), sampleDay('SE2', '2026-11-21'));
    const own = await sessionWith(
      test,
      simulateNordpool(market, { state: (area) => (area === 'SE1' ? 'Preliminary' : 'Final') }),
    );
    const days = await nordpool.fetchDay(own, { day: '2026-11-21', areas: ['SE1', 'SE2'] });
    assert.deepEqual(
      days.map(({ area }) => area),
      ['SE2'],
    );
    assert.deepEqual(own.asked, [
      '/api/DayAheadPrices?date=2026-11-21&market=DayAhead&deliveryArea=SE1%2CSE2&currency=SEK',
    ]);
  });

  it("days of Nord Pool's portal are refused when they are of another day, in another currency, or malformed", () => {
    const [first, second, ...rest] = recorded().multiAreaEntries as JsonObject[];
    const wrong: JsonObject[] = [
      { deliveryDateCET: '2024-11-04' },
      { currency: 'EUR' },
      { exchangeRate: 0 },
      { updatedAt: 'yesterday' },
      { areaStates: null },
      { multiAreaEntries: [{ ...first, deliveryStart: '2024-11-04T22:00:00Z' }] },
      { multiAreaEntries: [{ ...first, deliveryEnd: '2024-11-04T23:00:00Z' }] },
      { multiAreaEntries: [first ?? {}, first ?? {}, ...rest] },
      { multiAreaEntries: [{ ...second, entryPerArea: { SE3: '12' } }] },
    ];
    for (const part of wrong)
      assert.throws(
        () => translate({ ...recorded(), ...part }, ASKED),
        isInvalid,
        JSON.stringify(part).slice(0, 99),
      );
  });
});
