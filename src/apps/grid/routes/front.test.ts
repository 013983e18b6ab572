import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { barsIn, count, frontPages, rowsOf } from '../../../../test/kit/front-page.ts';
import { type FakeSource, nothing, reportedDay } from '../../../../test/kit/market.ts';
import { DAY_MS } from '../../../core/durations.ts';

const { make } = frontPages();

describe('the front page', () => {
  it('the front page tells the prices of now, of today and of tomorrow, and production, without scripts', async () => {
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

  it('the front page speaks English to who does not ask for Swedish', async () => {
    const { get } = await make({ at: '2026-11-21T13:07:00Z', hasProduction: true });
    const { text } = await get('/', { 'accept-language': 'de' });
    assert.match(text, /<html lang="en">/);
    assert.match(text, /Saturday 21 November, 14:00/);
    assert.match(text, /Tomorrow, Sun 22 Nov/);
    assert.match(text, /Average production [A-Z][a-z]+day \d+ [A-Z][a-z]+/);
    assert.match(text, /<h2 id="days-heading">Prices for every quarter hour</);
  });

  it('the front page says when the prices of tomorrow are expected, and when they are late', async () => {
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
    it(`the front page has the ${hours} hours of ${day}`, async () => {
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

  it('the front page shows hours where a source has hours', async () => {
    const answer: FakeSource['answer'] = ({ day, areas }) =>
      areas.map((area) => reportedDay(area, day, { slotMin: 60 }));
    const { text } = await (await make({ at: '2026-11-21T09:20:00Z', answer })).get();
    assert.match(text, /kl\.\u00a010:00\u2060–\u206011:00/);
    assert.match(text, /data-minutes="60"/);
    assert.match(text, /<h2 id="days-heading">Priset timme för timme</);
  });

  it('the front page says that no price is known, what was tried and when the next attempt is, and draws nothing', async () => {
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

  it('the front page says that nothing is fetched where the operator has switched it off', async () => {
    const at = '2026-11-21T13:07:00Z';
    const { text } = await (await make({ at, isFetching: false })).get();
    assert.match(text, /Dagens priser saknas/);
    assert.equal(count(text, 'har stängt av hämtningen'), 2, 'of prices, and of production');
    assert.doesNotMatch(text, /tillfrågats än|Nästa försök|nytt försök/);
    const sampled = await (await make({ at, isFetching: false, hasSample: true })).get();
    assert.match(sampled.text, /Priserna är ett exempel[^§]*har stängt av hämtningen/);
  });

  it('the front page names its sources from what it shows, and other pages name none', async () => {
    const { get } = await make({ at: '2026-11-21T13:07:00Z', hasProduction: true });
    const { text } = await get();
    assert.match(text, /Produktion: <a href="https:\/\/opendata\.esett\.com"[^>]*>eSett Open Data<\/a>/);
    assert.match(text, /<footer[^§]*Postnummer: <a href="https:\/\/www\.geonames\.org"[^>]*>GeoNames/);
    const sampled = await (
      await make({ at: '2026-11-21T13:07:00Z', answer: nothing, hasSample: true })
    ).get();
    assert.doesNotMatch(sampled.text, /Priser: |Produktion: /);
  });

  it('the front page says at the top and beside the plot that prices are a sample', async () => {
    const { get } = await make({ at: '2026-11-21T13:07:00Z', answer: nothing, hasSample: true });
    const { text } = await get();
    assert.match(text, /Priserna är ett exempel, inte verkliga/);
    assert.match(text, /Exempel, inte verkliga priser\./);
    assert.doesNotMatch(text, /<p>Priser: <a/, 'nobody is named as the source of a sample');
    assert.ok(text.indexOf('Priserna är ett exempel') < text.indexOf('class="own card'));
  });

  it('the front page marks the price of an answer where it is a sample', async () => {
    const sampled = await make({ at: '2026-11-21T13:07:00Z', answer: nothing, hasSample: true });
    for (const path of ['/lookup?q=972+31', '/lookup?q=SE3'])
      assert.match((await sampled.get(path)).text, /öre\/kWh <span class="sure">exempel<\/span>/, path);
    const real = await make({ at: '2026-11-21T13:07:00Z' });
    assert.doesNotMatch((await real.get('/lookup?q=972+31')).text, />exempel</);
  });

  it('the front page shows yesterday as yesterday where today is missing', async () => {
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

  it('the front page names the areas whose prices are missing', async () => {
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

  it('the front page is made once for everybody who asks at the same time, and again with the next slot', async () => {
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
