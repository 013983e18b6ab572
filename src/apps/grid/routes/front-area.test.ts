import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Big } from 'big.js';
import { barsIn, count, frontPages, rowsOf } from '../../../../test/kit/front-page.ts';
import { type FakeSource, reportedDay } from '../../../../test/kit/market.ts';

const { make } = frontPages();

/** All slots cost the same, so that shown prices can be worked out by hand, but for one: days that never change are doubted. */
const flat =
  (price: string): FakeSource['answer'] =>
  ({ day, areas }) =>
    areas.map((area) => {
      const { slots, ...reported } = reportedDay(area, day);
      const other = new Big(price).plus(new Big(day.slice(8)).div(100_000)).toFixed();
      return {
        ...reported,
        exchangeRate: null,
        slots: slots.map((slot, index) => ({ ...slot, eur: null, sek: index === 1 ? other : price })),
      };
    });

/** The large price of a page. */
const priceIn = (text: string) => /class="own-price"><span class="number">([^<]*)</.exec(text)?.[1];
const valuesIn = (text: string) => /data-values="([^"]*)"/.exec(text)?.[1]?.split(' ') ?? [];

describe('the front page of a chosen area', () => {
  it('the front page of a chosen area has an address of its own, for people and for previews', async () => {
    const { get, prices } = await make({ at: '2026-11-21T13:07:00Z' });
    const { text } = await get('/SE4?vat=on');
    assert.match(text, /<h1>Elpriset i SE4 Malmö just nu</);
    assert.match(text, /<title>Elpriset i SE4 Malmö i dag och i morgon · elnav</);
    assert.match(text, /<link rel="canonical" href="https:\/\/grid\.example\/SE4">/);
    assert.match(text, /<meta property="og:url" content="https:\/\/grid\.example\/SE4">/);
    assert.match(text, /<meta property="og:description" content="Spotpriset på el i SE4 Malmö just nu/);
    assert.match(text, /<a href="https:\/\/grid\.example\/SE4\?vat=on">Länk till den här sidan</);
    assert.match(text, /href="\/language\/en\?next=%2FSE4%3Fvat%3Don"/);
    assert.match(text, /href="\/area\/SE4\?vat=on" rel="nofollow" aria-current="true"/);
    assert.match(text, /href="\/area\/SE1\?vat=on" rel="nofollow">/, 'switches stay when the area changes');
    const spot = Number(prices.current().now.SE4);
    assert.equal(priceIn((await get('/SE4')).text), (spot * 100).toFixed(1).replace('.', ','));
    const lower = await get('/se4?tax=on&x=1');
    assert.deepEqual([lower.status, lower.headers.location], [301, '/SE4?tax=on']);
    assert.equal((await get('/SE5')).status, 404);
  });

  it('the front page of a chosen area is remembered by a cookie that says no more than its address', async () => {
    const { get } = await make({ at: '2026-11-21T13:07:00Z' });
    const chosen = await get('/area/SE2?kommun=2281&vat=on&other=1');
    assert.deepEqual([chosen.status, chosen.headers.location], [303, '/SE2?vat=on']);
    const cookie = String(chosen.headers['set-cookie']);
    assert.match(
      cookie,
      /^elnav_area=SE2\?vat=on; Max-Age=31536000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
    const home = await get('/', { cookie: 'elnav_area=SE2%3Fvat%3Don' });
    assert.deepEqual([home.status, home.headers.location], [302, '/SE2?vat=on']);
    assert.match(String(home.headers.vary), /cookie/);
    const shared = await get('/SE1', { cookie: 'elnav_area=SE2%3Fvat%3Don' });
    assert.equal(shared.status, 200, 'the address of somebody else is shown');
    assert.equal(shared.headers['set-cookie'], undefined, 'and not remembered');
    const forgotten = await get('/area/forget');
    assert.equal(forgotten.headers.location, '/');
    assert.match(String(forgotten.headers['set-cookie']), /^elnav_area=; Max-Age=0/);
    for (const value of ['SE5', 'SE2%3Fvat%3Don%0d%0aX', '//evil.example', 'SE2%2F..', '%ff', 'SE2?<script>'])
      assert.equal((await get('/', { cookie: `elnav_area=${value}` })).status, 200, value);
  });

  it('the front page of a chosen area adds VAT and energy tax exactly, and says which', async () => {
    // 43.15 öre; with 25 % 53.9375, with 36 öre of tax 79.15, with both 98.9375.
    const { get } = await make({ at: '2026-11-21T13:07:00Z', answer: flat('0.43150') });
    for (const [query, price, contains] of [
      ['', '43,2', 'Spotpris utan moms, energiskatt och nätavgift.'],
      ['?vat=on', '53,9', 'Spotpris med 25\u00a0% moms, utan energiskatt och nätavgift.'],
      ['?tax=on', '79,2', 'Spotpris med energiskatt, utan moms och nätavgift.'],
      ['?vat=on&tax=on', '98,9', 'Spotpris med energiskatt och 25\u00a0% moms, utan nätavgift.'],
      ['?vat=yes&tax=1', '43,2', 'Spotpris utan moms, energiskatt och nätavgift.'],
    ] as const) {
      const { text } = await get(`/SE4${query}`);
      assert.equal(priceIn(text), price, query);
      assert.ok(text.includes(contains), contains);
      assert.deepEqual([...new Set(valuesIn(text).slice(2, 96))], [price.replace(',', '.')], query);
      const [, own = ''] = text.split('<details>');
      assert.ok(
        rowsOf(own).every(([, _first, _second, ...cells]) => cells.every((cell) => cell === price)),
        query,
      );
      assert.equal(text.includes('Energiskatten i'), query.endsWith('tax=on'), query);
    }
    const { text } = await get('/SE4?vat=on&tax=on');
    assert.match(text, /Energiskatten i SE4 är 36,0 öre\/kWh sedan den 1 januari 2026, 45,0 med moms\./);
    // 10, 30, 60 and 120 öre of the legend.
    assert.match(text, /under 57,5.*57,5–82,5.*82,5–120.*120–195.*195 eller mer/s);
    assert.match(text, /elhandlarens påslag och nätavgift, och moms på dem/);
  });

  it('the front page of a chosen area takes the tax of a municipality of the area, and no other', async () => {
    const { get } = await make({ at: '2026-11-21T13:07:00Z', answer: flat('-0.01000') });
    const { text } = await get('/SE1?kommun=2580&tax=on&vat=on');
    assert.match(text, /<h1>Elpriset i Luleå \(SE1\) just nu</);
    // (−1 + 26.4) × 1.25
    assert.equal(priceIn(text), '31,8');
    assert.match(
      text,
      /Energiskatten i Luleå är 26,4 öre\/kWh sedan den 1 januari 2026, 33,0 med moms \(nedsatt\)\./,
    );
    assert.equal(
      priceIn((await get('/SE1?kommun=2580&vat=on')).text),
      '−1,3',
      'VAT is on a price below zero too',
    );
    for (const kommun of ['1280', '0000', 'Lule%C3%A5', '2580%20', '25'])
      assert.match((await get(`/SE1?kommun=${kommun}`)).text, /<h1>Elpriset i SE1 Luleå/, kommun);
  });

  it('the front page of a chosen area takes the tax of each day where it changes at midnight', async () => {
    const { get } = await make({ at: '2025-12-31T13:07:00Z', answer: flat('0.50000') });
    const values = valuesIn((await get('/SE4?tax=on')).text);
    // 43.9 öre in 2025, and 36.0 in 2026.
    assert.deepEqual([values[0], values[95], values[96], values[191]], ['93.9', '93.9', '86', '86']);
    const { text } = await get('/SE4?tax=on', { 'accept-language': 'en' });
    assert.match(
      text,
      /Energy tax in SE4: 43\.9 öre\/kWh since 1 January 2025\. From tomorrow it is 36\.0 öre\/kWh\./,
    );
    const late = await make({ at: '2026-12-31T13:07:00Z', answer: flat('0.50000') });
    assert.match((await late.get('/SE4?tax=on')).text, /Skattesatsen för 2027 är inte känd än\./);
  });

  it('the front page of a chosen area is offered with a place that was looked up', async () => {
    const { get } = await make({ at: '2026-11-21T13:07:00Z' });
    const { text } = await get('/lookup?q=972+31', { cookie: 'elnav_area=SE3%3Ftax%3Don' });
    assert.match(
      text,
      /href="\/area\/SE1\?kommun=2580&amp;tax=on" rel="nofollow">Visa priserna för Luleå \(SE1\)</,
    );
    assert.match(
      (await get('/lookup?q=SE4')).text,
      /href="\/area\/SE4" rel="nofollow">Visa priserna för SE4</,
    );
  });

  it('the front page of a chosen area colours prices by the same limits in bars, tiles and map', async () => {
    for (const [price, step] of [
      ['-0.50000', 1],
      ['0.09999', 1],
      ['0.10000', 2],
      ['0.30000', 3],
      ['0.60000', 4],
      ['1.20000', 5],
    ] as const) {
      const { text } = await (await make({ at: '2026-11-21T13:07:00Z', answer: flat(price) })).get(
        '/SE3?vat=on',
      );
      assert.ok(barsIn(text, String(step)) >= 2 * 95, price);
      assert.equal(count(text, `class="area step-${step}"`), 4, price);
      assert.equal(count(text, `class="map-area step-${step}`), 4, price);
      assert.match(text, new RegExp(`class="own card step-${step}"`), price);
    }
  });

  it('the front page of a chosen area keeps only so many pages, and makes each once', async () => {
    const { get, looks } = await make({ at: '2026-11-21T13:07:00Z' });
    const first = await get('/SE3?vat=on');
    const { etag } = first.headers;
    const again = await get('/SE3?vat=on&utm=1', { 'if-none-match': String(etag) });
    assert.equal(again.status, 304);
    assert.notEqual((await get('/SE3')).headers.etag, etag);
    assert.equal(looks(), 1, 'what is known is read once for all of them');
  });
});
