import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { conformsAsPriceSource, sessionWith } from '../../../test/kit/price-sources.ts';
import { HttpFailure } from '../../adapter/http.ts';
import { MINUTE_MS } from '../../core/durations.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { createSimulatedMarket } from '../contract/market.ts';
import { energidataservice } from './index.ts';
import { simulateEnergidataservice } from './simulator.ts';
import { DATASETS, translate } from './translate.ts';

conformsAsPriceSource({
  source: energidataservice,
  simulate: simulateEnergidataservice,
  sekOf: () => null,
});

const recorded = (): { records: JsonObject[] } =>
  JSON.parse(readFileSync(`${import.meta.dirname}/recorded.json`, 'utf8'));
const ASKED = { dataset: DATASETS.DayAheadPrices, day: '2026-01-16', areas: ['SE3', 'SE4'] } as const;
const START = Date.UTC(2026, 0, 15, 23);

describe('records of Energi Data Service', () => {
  it('records of Energi Data Service are in UTC without a zone and per MWh; records without a price are left out', () => {
    assert.deepEqual(
      translate(recorded() as Json, ASKED).map(({ area, slots }) => ({ area, slots })),
      [
        {
          area: 'SE3',
          slots: [
            { start: START, end: START + 15 * MINUTE_MS, sek: null, eur: '0.099269997' },
            { start: START + 15 * MINUTE_MS, end: START + 30 * MINUTE_MS, sek: null, eur: '-0.00002' },
          ],
        },
        {
          area: 'SE4',
          slots: [
            { start: START, end: START + 15 * MINUTE_MS, sek: null, eur: '0.10111' },
            { start: START + 30 * MINUTE_MS, end: START + 45 * MINUTE_MS, sek: null, eur: '0.1' },
          ],
        },
      ],
    );
  });

  it('records of Energi Data Service of other areas and days are ignored', () => {
    const [first, ...rest] = recorded().records;
    const foreign = [{ ...first, PriceArea: 'DK1' }, { ...first, TimeUTC: '2026-01-15T22:45:00' }, ...rest];
    const days = translate({ records: [...foreign, { ...first, TimeUTC: '2026-01-16T23:00:00' }] }, ASKED);
    assert.deepEqual(
      days.map(({ area, slots }) => [area, slots.length]),
      [
        ['SE3', 1],
        ['SE4', 2],
      ],
    );
  });

  it('records of Energi Data Service are requested by dataset, and only for available areas', async (test) => {
    const own = await sessionWith(test, simulateEnergidataservice(createSimulatedMarket()));
    assert.deepEqual(await energidataservice.fetchDay(own, { day: '2026-11-21', areas: ['SE1', 'SE2'] }), []);
    assert.equal(own.asked.length, 0);
    await energidataservice.fetchDay(own, { day: '2025-09-30', areas: ['SE1', 'SE3'] });
    await energidataservice.fetchDay(own, { day: '2025-10-01', areas: ['SE3', 'SE4'] });
    const filter = (areas: string) => encodeURIComponent(`{"PriceArea":[${areas}]}`);
    assert.deepEqual(own.asked, [
      `/dataset/Elspotprices?start=2025-09-30T00%3A00&end=2025-10-01T00%3A00&filter=${filter('"SE3"')}&sort=HourUTC+asc&limit=0`,
      `/dataset/DayAheadPrices?start=2025-10-01T00%3A00&end=2025-10-02T00%3A00&filter=${filter('"SE3","SE4"')}&sort=TimeUTC+asc&limit=0`,
    ]);
  });

  it('records of Energi Data Service are refused when they have another form', () => {
    const [first = {}, ...rest] = recorded().records;
    const wrong: Json[] = [
      [],
      { records: null },
      { records: [{ ...first, TimeUTC: undefined as unknown as Json }, ...rest] },
      { records: [{ ...first, TimeUTC: '2026-01-16T00:00:00+01:00' }, ...rest] },
      { records: [{ ...first, DayAheadPriceEUR: '99' }, ...rest] },
      { records: [first, first, ...rest] },
    ];
    for (const answer of wrong)
      assert.throws(
        () => translate(answer, ASKED),
        (error) => error instanceof HttpFailure && error.kind === 'answer_invalid',
        JSON.stringify(answer).slice(0, 120),
      );
  });
});
