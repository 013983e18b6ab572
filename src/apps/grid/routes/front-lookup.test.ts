import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { frontPages } from '../../../../test/kit/front-page.ts';
import { makeWorld } from '../../../../test/kit/world.ts';

const { make, closeAfterwards } = frontPages();

describe('a look-up on the page', () => {
  it('a look-up on the page answers a postal code, a place and a position', async () => {
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

  it('a look-up on the page says what is wrong and what would be right, with names that are near', async () => {
    const { get } = await make({ at: '2026-11-21T13:07:00Z' });
    for (const [q, sentence] of [
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
      assert.match(text, sentence, q);
    }
    const near = (await get('/lookup?q=ck')).text;
    assert.match(
      near,
      /notice-note[\s\S]*<a class="button button-small" href="\/lookup\?q=Nacka">Nacka<\/a>/,
    );
  });

  it('a look-up on the page answers for the only name that is like a misspelt one', async () => {
    const { get } = await make({ at: '2026-11-21T13:07:00Z' });
    const { text } = await get('/lookup?q=Varbeg');
    assert.match(text, /Ingen ort heter exakt så\. Det här är Varberg\./);
    assert.match(text, /<h2>Varberg<\/h2>/);
    assert.doesNotMatch(text, /notice-bad/);
  });

  it('a look-up on the page lets nothing out of what is asked, in the page, its title or a part of it', async () => {
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
    const cut = await get(`/lookup?q=${encodeURIComponent(`${'x'.repeat(199)}😀`)}`);
    assert.equal(cut.status, 200, 'a letter of two units is not shown by half');
  });

  it('a look-up on the page answers a script with the answer alone', async () => {
    const { get } = await make({ at: '2026-11-21T13:07:00Z' });
    const { text, headers } = await get('/lookup?q=21100&part=answer');
    assert.match(text, /^<div id="answer" aria-live="polite" data-pin="\d+ \d+">/);
    assert.equal(headers['cache-control'], 'no-store');
    assert.match(text, /<h3>211 00 Malmö<\/h3>/);
  });

  it('a look-up on the page has an address of its own, to which the front page leads', async () => {
    const { get } = await make({ at: '2026-11-21T13:07:00Z' });
    const { status, headers } = await get('/?q=%22%3E%0D%0ASet-Cookie:x');
    assert.equal(status, 302);
    assert.equal(headers.location, '/lookup?q=%22%3E%0D%0ASet-Cookie%3Ax');
  });

  it('a look-up on the page uses the quotas of callers without a key; the front page uses none', async () => {
    const world = await makeWorld({ engine: 'sqlite' });
    closeAfterwards(() => world.close());
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
