import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import { Big } from 'big.js';
import { smallTables } from '../../../../test/kit/areas.ts';
import { assets } from '../../../../test/kit/assets.ts';
import { makePlace } from '../../../../test/kit/databases.ts';
import {
  everyDay,
  type FakeSource,
  fakeSource,
  nothing,
  pricesOf,
  productionOf,
  reportedDay,
  scriptedSource,
} from '../../../../test/kit/market.ts';
import { until } from '../../../../test/kit/until.ts';
import { makeWorld } from '../../../../test/kit/world.ts';
import { type TurnedClock, turnedClock } from '../../../core/clock.ts';
import { DAY_MS } from '../../../core/durations.ts';
import { systemRandom } from '../../../core/ids.ts';
import { silentLog } from '../../../core/log.ts';
import { createMetrics } from '../../../core/metrics.ts';
import { createAreas } from '../../../domain/areas/index.ts';
import type { Prices } from '../../../domain/prices/index.ts';
import { createServer } from '../../../http/server.ts';
import { addFrontRoutes } from './front.ts';

const sample = readFileSync(new URL('../../../../seed/sample-day.tsv', import.meta.url), 'utf8');

interface Made {
  readonly clock: TurnedClock;
  readonly prices: Prices;
  readonly source: FakeSource;
  /** How often the days were read, which each rendering does. */
  readonly looks: () => number;
  get(path?: string, headers?: Record<string, string>): Promise<Got>;
}

interface Got {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

interface Wanted {
  readonly at: string;
  readonly answer?: FakeSource['answer'];
  readonly hasSample?: boolean;
  readonly hasProduction?: boolean;
  readonly isFetching?: boolean;
}

const closers: (() => Promise<unknown>)[] = [];
after(async () => {
  for (const close of closers.reverse()) await close();
});

/** The routes with prices as a told source reports them. */
async function make({ at, answer = everyDay, isFetching = true, ...wanted }: Wanted): Promise<Made> {
  const { hasSample, hasProduction } = wanted;
  const place = await makePlace('sqlite');
  const database = await place.open();
  const clock = turnedClock(Date.parse(at));
  const source = fakeSource(clock, 'elprisetjustnu', { answer });
  const { prices } = await pricesOf(database, {
    clock,
    sources: [source],
    isOn: isFetching,
    ...(hasSample === true ? { sample } : {}),
  });
  const { production } = await productionOf(database, {
    clock,
    ...(hasProduction === true ? { source: scriptedSource() } : {}),
  });
  prices.start();
  production.start();
  await until('the sources were asked', () => !isFetching || prices.health().sources.length > 0);
  await until('production is there', () => hasProduction !== true || production.health().unit !== null);
  let looks = 0;
  const counted: Prices = {
    ...prices,
    days() {
      looks += 1;
      return prices.days();
    },
  };
  const { app } = createServer({
    service: 'grid',
    clock,
    random: systemRandom,
    log: silentLog,
    metrics: createMetrics(),
    gate: { admit: () => {}, count: () => {} },
    probes: [],
    trustProxy: [],
    tls: undefined,
  });
  const areas = createAreas({ tables: smallTables(), clock });
  const publicUrl = () => 'https://grid.example';
  addFrontRoutes(app, {
    areas,
    prices: counted,
    production,
    assets,
    clock,
    publicUrl,
    connectUrl: () => 'https://connect.example',
    isSignUpOpen: true,
  });
  await app.ready();
  closers.push(async () => {
    await app.close();
    await production.close();
    await prices.close();
    await database.close();
    await place.remove();
  });
  return {
    clock,
    prices,
    source,
    looks: () => looks,
    async get(path = '/', headers = {}) {
      const {
        statusCode,
        headers: sent,
        body,
      } = await app.inject({
        url: path,
        headers: { accept: 'text/html', 'accept-language': 'sv', ...headers },
      });
      return { status: statusCode, headers: sent, text: body };
    },
  };
}

const count = (text: string, part: string) => text.split(part).length - 1;

/** What stands in the cells of the tables, row by row. */
const rowsOf = (text: string) =>
  [...text.matchAll(/<tr><th scope="row">([^<]*)<\/th>(.*?)<\/tr>/g)].map(([, head = '', cells = '']) => [
    head,
    ...[...cells.matchAll(/<td[^>]*>([^<]*)<\/td>/g)].map(([, cell]) => cell),
  ]);

describe('the front page', () => {
  it('tells the prices of now, of today and of tomorrow, and production, without scripts', async () => {
    const { get, prices } = await make({ at: '2026-11-21T13:07:00Z', hasProduction: true });
    const { status, text, headers } = await get();
    assert.equal(status, 200);
    assert.equal(headers['content-type'], 'text/html; charset=utf-8');
    assert.match(text, /<html lang="sv">/);
    assert.match(text, /Lördag 21 november, kl\.\u00a014:00\u2060–\u206014:15/);
    const shown = (price: string | null) =>
      (Number(price) * 100).toFixed(1).replace('.', ',').replace('-', '−');
    for (const [area, price] of Object.entries(prices.current().now)) {
      assert.ok(text.includes(`<span class="number">${shown(price)}</span>`), String(price));
      assert.equal(count(text, `class="area step-`), 4);
      assert.equal(count(text, `<a class="area `), count(text, `"area-code">`));
      assert.equal(count(text, `href="/area/${area}" rel="nofollow" class="map-area`), 1);
    }
    assert.match(text, /<h1>Elpriset i SE3 Stockholm just nu</);
    assert.match(text, /Här visas SE3 Stockholm tills du har valt/);
    assert.match(text, /(?:Lågt|Normalt|Högt) för dagen/);
    assert.equal(count(text, 'class="day-bars"'), 2);
    assert.match(text, /I dag, lör 21 nov/);
    assert.match(text, /id="reader" min="0" max="191" value="56">/, 'the slot of now, 14:00');
    assert.match(text, /<h2 id="days-heading">Priset kvart för kvart</);
    assert.match(text, /I morgon, sön 22 nov/);
    assert.match(text, /<a href="https:\/\/www\.elprisetjustnu\.se"[^>]*>Elpriset just nu\.se<\/a>/);
    assert.match(text, /Genomsnittlig produktion/);
    assert.match(text, /Kärnkraft/);
    assert.match(text, /curl 'https:\/\/grid\.example\/api\/v1\/prices\/current'/);
    assert.doesNotMatch(text, /Exempel, inte|undefined|NaN|\[object/);
    assert.doesNotMatch(text, / style="| on[a-z]+="|<style|<script(?! type="module" src="\/assets\/)/);
  });

  it('speaks English to who does not ask for Swedish', async () => {
    const { get } = await make({ at: '2026-11-21T13:07:00Z', hasProduction: true });
    const { text } = await get('/', { 'accept-language': 'de' });
    assert.match(text, /<html lang="en">/);
    assert.match(text, /Saturday 21 November, 14:00/);
    assert.match(text, /Tomorrow, Sun 22 Nov/);
    assert.match(text, /Average production [A-Z][a-z]+day \d+ [A-Z][a-z]+/);
    assert.match(text, /<h2 id="days-heading">Prices for every quarter hour</);
  });

  it('says when the prices of tomorrow are expected, and when they are late', async () => {
    const answer: FakeSource['answer'] = ({ day, areas }) =>
      day === '2026-11-21' ? areas.map((area) => reportedDay(area, day)) : [];
    const morning = await (await make({ at: '2026-11-21T09:00:00Z', answer })).get();
    assert.equal(count(morning.text, 'class="day-bars"'), 1);
    assert.match(morning.text, /omkring kl\. 13/);
    assert.match(morning.text, /Det finns inga produktionssiffror än/);
    const evening = await (await make({ at: '2026-11-21T16:00:00Z', answer })).get();
    assert.match(evening.text, /borde ha kommit/);
  });

  for (const [day, hours, quarters] of [
    ['2026-03-29', 23, 92],
    ['2026-10-25', 25, 100],
  ] as const) {
    it(`has the ${hours} hours of ${day}`, async () => {
      const answer: FakeSource['answer'] = ({ day: asked, areas }) =>
        asked === day ? areas.map((area) => reportedDay(area, asked)) : [];
      const { text } = await (await make({ at: `${day}T09:00:00Z`, answer })).get();
      // All prices of the own area, and the means of all areas.
      const [, own = '', areas = ''] = text.split('<details>');
      for (const rows of [rowsOf(own), rowsOf(areas)]) {
        assert.equal(rows.length, hours);
        assert.ok(rows.every((row) => row.length === 5 && row.every((cell) => cell !== '–')));
        assert.equal(new Set(rows.map(([hour]) => hour)).size, hours, 'no two hours have one name');
      }
      assert.match(text, new RegExp(`class="bars-in" viewBox="0 0 ${hours * 60} 1000"`));
      assert.equal(barsIn(text), quarters);
      assert.match(text, new RegExp(`<input type="range" id="reader" min="0" max="${quarters - 1}"`));
    });
  }

  it('shows hours where a source has hours', async () => {
    const answer: FakeSource['answer'] = ({ day, areas }) =>
      areas.map((area) => reportedDay(area, day, { slotMin: 60 }));
    const { text } = await (await make({ at: '2026-11-21T09:20:00Z', answer })).get();
    assert.match(text, /kl\.\u00a010:00\u2060–\u206011:00/);
    assert.match(text, /data-minutes="60"/);
    assert.match(text, /<h2 id="days-heading">Priset timme för timme</);
  });

  it('says that no price is known, what was tried and when the next attempt is, and draws nothing', async () => {
    const { get } = await make({ at: '2026-11-21T13:07:00Z', answer: nothing, hasProduction: true });
    const { status, text } = await get();
    assert.equal(status, 200);
    assert.match(text, /Dagens priser saknas/);
    assert.match(text, /Elpriset just nu\.se, tillfrågad kl\. 14:07: har inte publicerat dem\./);
    assert.match(text, /Nästa försök görs kl\. 14:\d\d\./);
    assert.doesNotMatch(text, /class="day-bars"|class="own|class="map"|class="switch|öre\/kWh<\/span>/);
    assert.equal(count(text, '<a class="area"'), 4, 'an area can be chosen all the same');
    assert.match(text, /Kärnkraft/, 'production is told all the same');
  });

  it('says that nothing is fetched where the operator has switched it off', async () => {
    const at = '2026-11-21T13:07:00Z';
    const { text } = await (await make({ at, isFetching: false })).get();
    assert.match(text, /Dagens priser saknas/);
    assert.equal(count(text, 'har stängt av hämtningen'), 2, 'of prices, and of production');
    assert.doesNotMatch(text, /tillfrågats än|Nästa försök|nytt försök/);
    const sampled = await (await make({ at, isFetching: false, hasSample: true })).get();
    assert.match(sampled.text, /Priserna är ett exempel[^§]*har stängt av hämtningen/);
  });

  it('names its sources from what it shows, and other pages name none', async () => {
    const { get } = await make({ at: '2026-11-21T13:07:00Z', hasProduction: true });
    const { text } = await get();
    assert.match(text, /Produktion: <a href="https:\/\/opendata\.esett\.com"[^>]*>eSett Open Data<\/a>/);
    assert.match(text, /<footer[^§]*Postnummer: <a href="https:\/\/www\.geonames\.org"[^>]*>GeoNames/);
    const sampled = await (
      await make({ at: '2026-11-21T13:07:00Z', answer: nothing, hasSample: true })
    ).get();
    assert.doesNotMatch(sampled.text, /Priser: |Produktion: /);
  });

  it('says at the top and beside the plot that prices are a sample', async () => {
    const { get } = await make({ at: '2026-11-21T13:07:00Z', answer: nothing, hasSample: true });
    const { text } = await get();
    assert.match(text, /Priserna är ett exempel, inte verkliga/);
    assert.match(text, /Exempel, inte verkliga priser\./);
    assert.doesNotMatch(text, /<p>Priser: <a/, 'nobody is named as the source of a sample');
    assert.ok(text.indexOf('Priserna är ett exempel') < text.indexOf('class="own card'));
  });

  it('marks the price of an answer where it is a sample', async () => {
    const sampled = await make({ at: '2026-11-21T13:07:00Z', answer: nothing, hasSample: true });
    for (const path of ['/lookup?q=972+31', '/lookup?q=SE3'])
      assert.match((await sampled.get(path)).text, /öre\/kWh <span class="sure">exempel<\/span>/, path);
    const real = await make({ at: '2026-11-21T13:07:00Z' });
    assert.doesNotMatch((await real.get('/lookup?q=972+31')).text, />exempel</);
  });

  it('shows yesterday as yesterday where today is missing', async () => {
    const { get, clock, source } = await make({
      at: '2026-11-20T09:00:00Z',
      answer: ({ day, areas }) => (day === '2026-11-20' ? areas.map((area) => reportedDay(area, day)) : []),
    });
    source.answer = nothing;
    clock.turn(DAY_MS);
    const { text } = await get();
    assert.match(text, /Dagens priser saknas/);
    assert.match(text, /gårdagens, fredag 20 november/);
    assert.match(text, /<h2 id="days-heading">Gårdagens priser/);
    assert.match(text, /I går, fre 20 nov/);
    assert.doesNotMatch(text, /class="own card|class="bars-now/);
  });

  it('names the areas whose prices are missing', async () => {
    const { get } = await make({
      at: '2026-11-21T09:00:00Z',
      answer: ({ day, areas }) => areas.filter((area) => area > 'SE2').map((area) => reportedDay(area, day)),
    });
    const { text } = await get();
    assert.match(text, /Dagens priser saknas för SE1, SE2\./);
    assert.equal(count(text, 'Inget pris än'), 0);
    assert.equal(count(text, 'class="area step-'), 2);
    const { text: missing } = await get('/SE1');
    assert.equal(count(missing, 'Inget pris än'), 1);
    assert.match(missing, /Det finns inga priser för SE1 Luleå\./);
    assert.doesNotMatch(missing, /class="day-bars"/);
  });

  it('is made once for everybody who asks at the same time, and again with the next slot', async () => {
    const { get, clock, looks } = await make({ at: '2026-11-21T13:07:00Z', hasProduction: true });
    const first = await Promise.all(Array.from({ length: 20 }, () => get()));
    assert.equal(looks(), 1);
    const { etag } = first[0]?.headers ?? {};
    assert.ok(first.every(({ headers }) => headers.etag === etag));
    const known = await get('/', { 'if-none-match': String(etag) });
    assert.equal(known.status, 304);
    assert.equal(known.text, '');
    const english = await get('/', { 'accept-language': 'en' });
    assert.notEqual(english.headers.etag, etag);
    assert.equal((await get()).headers.etag, etag);
    clock.turn(15 * 60_000);
    const next = await get('/', { 'if-none-match': String(etag) });
    assert.equal(next.status, 200);
    assert.match(next.text, /14:15\u2060–\u206014:30/);
    const small = await get('/', { 'accept-encoding': 'br' });
    assert.equal(small.headers['content-encoding'], 'br');
  });
});

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
/** How many bars are drawn, of all colours or of one. */
const barsIn = (text: string, step = '\\d') =>
  [...text.matchAll(new RegExp(`<path class="step-${step}" fill="currentcolor" d="([^"]*)"`, 'g'))]
    .map(([, path = '']) => path.split('M').length - 1)
    .reduce((sum, bars) => sum + bars, 0);
const valuesIn = (text: string) => /data-values="([^"]*)"/.exec(text)?.[1]?.split(' ') ?? [];

describe('the front page of a chosen area', () => {
  it('has an address of its own, for people and for previews', async () => {
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

  it('is remembered by a cookie that says no more than its address', async () => {
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

  it('adds VAT and energy tax exactly, and says which', async () => {
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

  it('takes the tax of a municipality of the area, and no other', async () => {
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

  it('takes the tax of each day where it changes at midnight', async () => {
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

  it('is offered with a place that was looked up', async () => {
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

  it('colours prices by the same limits in bars, tiles and map', async () => {
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

  it('keeps only so many pages, and makes each once', async () => {
    const { get, looks } = await make({ at: '2026-11-21T13:07:00Z' });
    const first = await get('/SE3?vat=on');
    const { etag } = first.headers;
    const again = await get('/SE3?vat=on&utm=1', { 'if-none-match': String(etag) });
    assert.equal(again.status, 304);
    assert.notEqual((await get('/SE3')).headers.etag, etag);
    assert.equal(looks(), 1, 'what is known is read once for all of them');
  });
});

describe('a look-up on the page', () => {
  it('answers a postal code, a place and a position', async () => {
    const { get } = await make({ at: '2026-11-21T13:07:00Z' });
    const postal = (await get('/lookup?q=972+31')).text;
    assert.match(postal, /<h2>972 31 Luleå<\/h2>/);
    assert.match(postal, /<strong>SE1 Luleå<\/strong>/);
    assert.match(postal, /26,4 öre\/kWh, 33,0 med moms/);
    assert.match(postal, /nedsatt/);
    assert.match(postal, /Luleå \(LUL\), Luleå Energi Elnät AB/);
    assert.match(postal, /<g class="map-pin" transform="translate\(\d+ \d+\)" aria-hidden="true" >/);
    const several = (await get('/lookup?q=n%C3%A4s')).text;
    assert.match(several, /Malmö, Skåne län/);
    assert.match(several, /Varberg, Hallands län/);
    assert.match(several, /aria-hidden="true" hidden>/, 'of several places none is marked');
    const point = (await get('/lookup?q=59.33%2C+18.06', { 'accept-language': 'en' })).text;
    assert.match(point, /SE3 Stockholm/);
    assert.match(point, /Price now/);
    assert.match(point, /Not known for this place|Stockholm \(STH\)/);
  });

  it('says what is wrong and what would be right, with names that are near', async () => {
    const { get } = await make({ at: '2026-11-21T13:07:00Z' });
    for (const [q, told] of [
      ['', /Skriv ett postnummer, en ort, eller latitud/],
      ['99999', /känner inte till postnumret/],
      ['123', /fem siffror/],
      ['52.5, 13.4', /ligger inte i Sverige/],
      ['95, 13.4', /mellan −90 och 90/],
      ['x'.repeat(500), /längre än något ortnamn/],
      ['Malmø', /någon ort i Sverige|SE4/],
    ] as const) {
      const { status, text } = await get(`/lookup?q=${encodeURIComponent(q)}`);
      assert.equal(status, 200, q);
      assert.match(text, told, q);
    }
    const near = (await get('/lookup?q=ck')).text;
    assert.match(
      near,
      /notice-note[\s\S]*<a class="button button-small" href="\/lookup\?q=Nacka">Nacka<\/a>/,
    );
  });

  it('answers for the only name that is like a misspelt one', async () => {
    const { get } = await make({ at: '2026-11-21T13:07:00Z' });
    const { text } = await get('/lookup?q=Varbeg');
    assert.match(text, /Ingen ort heter exakt så\. Det här är Varberg\./);
    assert.match(text, /<h2>Varberg<\/h2>/);
    assert.doesNotMatch(text, /notice-bad/);
  });

  it('lets nothing out of what is asked, in the page, its title or a part of it', async () => {
    const { get } = await make({ at: '2026-11-21T13:07:00Z' });
    for (const q of [
      '"><script>alert(1)</script>',
      "' onfocus=alert(1) autofocus x='",
      '</title><img src=x onerror=alert(1)>',
      'javascript:alert(1)',
      '\ud800',
      '\0',
    ]) {
      for (const path of ['/lookup?q=', '/lookup?part=answer&q=', '/lookup?q=a&q=']) {
        const { status, text } = await get(`${path}${encodeURIComponent(q.toWellFormed())}`);
        assert.equal(status, 200);
        assert.doesNotMatch(text, /<script>|<img|<\/title><|" onfocus|' onfocus=alert/, q);
      }
    }
    const raw = await get('/lookup?q=%ED%A0%80%00%ff');
    assert.equal(raw.status, 200);
  });

  it('answers a script with the answer alone', async () => {
    const { get } = await make({ at: '2026-11-21T13:07:00Z' });
    const { text, headers } = await get('/lookup?q=21100&part=answer');
    assert.match(text, /^<div id="answer" aria-live="polite" data-pin="\d+ \d+">/);
    assert.equal(headers['cache-control'], 'no-store');
    assert.match(text, /<h3>211 00 Malmö<\/h3>/);
  });

  it('has an address of its own, to which the front page leads', async () => {
    const { get } = await make({ at: '2026-11-21T13:07:00Z' });
    const { status, headers } = await get('/?q=%22%3E%0D%0ASet-Cookie:x');
    assert.equal(status, 302);
    assert.equal(headers.location, '/lookup?q=%22%3E%0D%0ASet-Cookie%3Ax');
  });

  it('uses the quotas of callers without a key; the front page uses none', async () => {
    const world = await makeWorld({ engine: 'sqlite' });
    closers.push(() => world.close());
    await world.admin('POST', '/admin/policy/global?anon_per_ip_per_day=2&anon_global_per_day=100');
    const get = (path: string, accept = 'text/html') =>
      fetch(`${world.grid}${path}`, { headers: { accept, 'accept-language': 'sv' } });
    for (let times = 0; times < 5; times += 1) assert.equal((await get('/')).status, 200);
    assert.equal((await get('/lookup?q=11122')).status, 200);
    assert.equal((await get('/?q=11122')).status, 200);
    const refused = await get('/lookup?q=11122');
    assert.equal(refused.status, 429);
    assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/);
    const text = await refused.text();
    assert.match(text, /Dagens fria uppslag/);
    assert.match(text, /href="\/auth\/signup"/);
    assert.doesNotMatch(text, /SE3 Stockholm<\/strong>/);
    const part = await get('/lookup?q=11122&part=answer');
    assert.equal(part.status, 429);
    assert.match(await part.text(), /^<div id="answer"/);
    const program = await get('/lookup?q=11122', 'application/json');
    assert.equal(program.status, 429);
    assert.match(((await program.json()) as { detail: string }).detail, /Rate limit exceeded/);
    assert.equal((await get('/api/v1/lookup/postal?code=11122')).status, 429, 'it is the same quota');
    assert.equal((await get('/')).status, 200);
  });
});
