import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { conformsAsPriceSource, sessionWith } from '../../../test/kit/price-sources.ts';
import { HttpFailure } from '../../adapter/http.ts';
import { HOUR_MS } from '../../core/durations.ts';
import { createSimulatedMarket, sampleDay } from '../contract/market.ts';
import { entsoe } from './index.ts';
import { SIMULATED_TOKEN, simulateEntsoe } from './simulator.ts';
import { translate } from './translate.ts';

conformsAsPriceSource({
  source: entsoe,
  simulate: simulateEntsoe,
  token: SIMULATED_TOKEN,
  sekOf: () => null,
});

const ASKED = { area: 'SE3', day: '2026-11-21' } as const;
const START = Date.UTC(2026, 10, 20, 23);
const EIC = '10Y1001A1001A46L';

/** Position and price, as `1:10.5`. */
interface Series {
  readonly points: string;
  readonly hours?: readonly [number, number];
  readonly resolution?: string;
  readonly curve?: string;
  readonly head?: string;
  readonly currency?: string;
  readonly area?: string;
}

/** A series whose period starts and ends so many hours after the start of the day. */
function series({ points, hours = [0, 24], ...more }: Series): string {
  const { resolution = 'PT60M', curve = 'A03', head = '', currency = 'EUR', area = EIC } = more;
  const [from, until] = hours.map((hour) => new Date(START + hour * HOUR_MS).toISOString().slice(0, 16));
  const point = (text: string) => {
    const [position, price] = text.split(':');
    return `<Point><position>${position}</position><price.amount>${price}</price.amount></Point>`;
  };
  return `<TimeSeries><in_Domain.mRID codingScheme="A01">${area}</in_Domain.mRID>${head}
    <currency_Unit.name>${currency}</currency_Unit.name><price_Measure_Unit.name>MWH</price_Measure_Unit.name>
    <curveType>${curve}</curveType><Period><timeInterval><start>${from}Z</start><end>${until}Z</end></timeInterval>
    <resolution>${resolution}</resolution>${points.split(' ').map(point).join('')}</Period></TimeSeries>`;
}

const sequence = (position: number) =>
  `<classificationSequence_AttributeInstanceComponent.position>${position}</classificationSequence_AttributeInstanceComponent.position>`;
const document = (...all: string[]) =>
  `<Publication_MarketDocument>${all.join('')}</Publication_MarketDocument>`;
const acknowledgement = (text: string) =>
  `<?xml version="1.0"?><Acknowledgement_MarketDocument><Reason><code>999</code><text>${text}</text></Reason></Acknowledgement_MarketDocument>`;

/** Hours of the day and their prices, with their length if it is not an hour. */
const read = (...all: string[]) =>
  translate(document(...all), ASKED)?.slots.map(
    ({ start, end, eur }) => `${(start - START) / HOUR_MS}+${(end - start) / HOUR_MS}:${eur}`,
  );
const isInvalid = (error: unknown) => error instanceof HttpFailure && error.kind === 'answer_invalid';

describe('documents of ENTSO-E', () => {
  it('documents of ENTSO-E are read in the documented shape', () => {
    const text = readFileSync(`${import.meta.dirname}/recorded.xml`, 'utf8');
    const day = translate(text, { area: 'SE1', day: '2026-09-09' });
    assert.deepEqual(
      day?.slots.map(({ eur }) => eur),
      ['0.03489', '0.03737', '0.03731', '0.03766', '0.03647', '0.037'],
    );
    assert.equal(day?.slots[5]?.end, Date.parse('2026-09-08T23:30Z'));
    assert.deepEqual([day?.exchangeRate, day?.publishedAt, day?.slots[0]?.sek], [null, null, null]);
  });

  it('documents of ENTSO-E may leave out repeated prices in a curve A03, in the middle and at the end of the period', () => {
    assert.deepEqual(read(series({ points: '1:10 3:30.50 4:-5', hours: [0, 6] })), [
      '0+1:0.01',
      '1+1:0.01',
      '2+1:0.0305',
      '3+1:-0.005',
      '4+1:-0.005',
      '5+1:-0.005',
    ]);
    assert.equal(read(series({ points: '1:7' }))?.length, 24);
  });

  it('documents of ENTSO-E have a missing slot for every missing point of a curve A01', () => {
    assert.deepEqual(read(series({ points: '3:30 1:10', hours: [0, 4], curve: 'A01' })), [
      '0+1:0.01',
      '2+1:0.03',
    ]);
  });

  it('documents of ENTSO-E are cut to the day when they extend beyond it', () => {
    const slots = read(series({ points: '1:1 2:2 26:3', hours: [-1, 26] }));
    assert.equal(slots?.length, 24);
    assert.deepEqual([slots?.[0], slots?.[23]], ['0+1:0.002', '23+1:0.002']);
    assert.equal(
      read(series({ points: '1:1', hours: [-24, 0] })),
      undefined,
      'all of it is of the day before',
    );
  });

  it('documents of ENTSO-E may have the day twice: the most complete is used, then the finest', () => {
    const hours = series({ points: '1:10', hours: [0, 2] });
    const quarters = series({ points: '1:20', hours: [0, 2], resolution: 'PT15M' });
    const fewQuarters = series({ points: '1:20', hours: [0, 1], resolution: 'PT15M' });
    const halves = series({ points: '1:30', hours: [0, 2], resolution: 'PT30M' });
    assert.equal(read(hours, quarters, halves)?.[0], '0+0.25:0.02');
    assert.deepEqual(read(fewQuarters, hours), ['0+1:0.01', '1+1:0.01']);
    assert.deepEqual(read(hours, hours), ['0+1:0.01', '1+1:0.01'], 'an equal repetition is no contradiction');
    assert.throws(() => read(hours, series({ points: '1:11', hours: [0, 2] })), isInvalid);
  });

  it('documents of ENTSO-E may have other auctions, contracts and currencies, in any order', () => {
    const own = series({ points: '1:10', hours: [0, 1], head: sequence(1) });
    const other = series({ points: '1:99', hours: [0, 1], head: sequence(2) });
    const unnumbered = series({ points: '1:98', hours: [0, 1] });
    const intraday = series({
      points: '1:97',
      hours: [0, 1],
      head: '<contract_MarketAgreement.type>A07</contract_MarketAgreement.type>',
    });
    const kronor = series({ points: '1:96', hours: [0, 1], currency: 'SEK' });
    assert.deepEqual(read(other, unnumbered, intraday, kronor, own), ['0+1:0.01']);
    assert.deepEqual(read(other, unnumbered), ['0+1:0.098']);
    assert.equal(read(other, intraday, kronor), undefined);
  });

  it('documents of ENTSO-E that are acknowledgements mean no data yet, or a refusal', () => {
    assert.equal(
      translate(acknowledgement('No matching data found for Data item ENERGY_PRICES'), ASKED),
      null,
    );
    assert.throws(
      () => translate(acknowledgement('Invalid query attributes secret-in-answer'), ASKED),
      (error) =>
        error instanceof HttpFailure && error.kind === 'refused' && !error.message.includes('secret'),
    );
  });

  it('documents of ENTSO-E are refused when they have another form', () => {
    const whole = document(series({ points: '1:10' }));
    const wrong = [
      '',
      '<html><body>x</body></html>',
      '<!DOCTYPE a [<!ENTITY b "bb">]><Publication_MarketDocument/>',
      whole.slice(0, -30),
      whole.replace(EIC, '10Y1001A1001A47J'),
      document(series({ points: '2:10' })),
      document(series({ points: '1:10 1:11' })),
      document(series({ points: '1:10 25:11' })),
      document(series({ points: '1:10 1.5:11' })),
      document(series({ points: '1:1e3' })),
      document(series({ points: '1:' })),
      document(series({ points: '1:NaN' })),
      document(series({ points: '1:10', resolution: 'P1D' })),
      document(series({ points: '1:10', hours: [5, 5] })),
      document(series({ points: '1:10', hours: [0, 9_000_000] })),
      document(series({ points: '1:10', curve: 'A02' })),
    ];
    for (const text of wrong) assert.throws(() => translate(text, ASKED), isInvalid, text.slice(0, 300));
  });
});

describe('requests to ENTSO-E', () => {
  it('requests to ENTSO-E name a Swedish day in UTC, and have the token only in the query', async (test) => {
    const market = createSimulatedMarket();
    market.publish(sampleDay('SE4', '2026-03-29'));
    const own = await sessionWith(test, simulateEntsoe(market), SIMULATED_TOKEN);
    await entsoe.fetchDay(own, { day: '2026-03-29', areas: ['SE4'] });
    const area = '10Y1001A1001A47J';
    assert.deepEqual(own.asked, [
      `/api?securityToken=${SIMULATED_TOKEN}&documentType=A44&in_Domain=${area}&out_Domain=${area}&periodStart=202603282300&periodEnd=202603292200`,
    ]);
  });

  it('requests to ENTSO-E are not sent without a token, and fail with a wrong one, which no error repeats', async (test) => {
    const simulate = simulateEntsoe(createSimulatedMarket());
    const without = await sessionWith(test, simulate);
    const query = { day: '2026-11-21', areas: ['SE3'] } as const;
    await assert.rejects(entsoe.fetchDay(without, query), /ELNAV_ENTSOE_TOKEN/);
    assert.equal(without.asked.length, 0);
    const wrong = await sessionWith(test, simulate, 'wrong-token');
    await assert.rejects(entsoe.fetchDay(wrong, query), (error) => {
      assert.ok(error instanceof HttpFailure && error.kind === 'refused' && error.status === 401);
      assert.doesNotMatch(`${error.message} ${error.stack} ${JSON.stringify(error)}`, /wrong-token|secur/);
      return true;
    });
  });
});
