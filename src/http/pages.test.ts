import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import { assets } from '../../test/kit/assets.ts';
import { AppError } from '../core/errors.ts';
import { refuseForeign } from './caller.ts';
import { sendError } from './errors.ts';
import { acceptForms, formOf } from './forms.ts';
import {
  addAssetRoutes,
  keepPage,
  keepPages,
  preparePage,
  sendPage,
  sendPageThatLeadsOn,
  sendPageThatLeadsTo,
  sendPrepared,
} from './pages.ts';

const PAGE = `<!doctype html>\n${'<p>the same for everybody</p>\n'.repeat(50)}`;

describe('pages over HTTP', () => {
  let app: FastifyInstance;
  before(async () => {
    app = Fastify();
    const config = { access: 'public' as const };
    const page = await preparePage(PAGE);
    addAssetRoutes(app, assets);
    app.get('/own', { config }, (_request, reply) => sendPage(reply, PAGE, 400));
    app.get('/same', { config }, (request, reply) => sendPrepared(request, reply, page));
    app.setErrorHandler((error, request, reply) => sendError('grid', error, request, reply));
    app.get(
      '/fails',
      {
        config: { ...config, showError: (error, _request, reply) => sendPage(reply, `<p>${error.code}</p>`) },
      },
      () => {
        throw new AppError('limit.busy', 'busy', { retryAfterSeconds: 3 });
      },
    );
    await app.register((scope, _options, done) => {
      acceptForms(scope);
      scope.post('/form', { config }, (request) => {
        refuseForeign(request, undefined);
        const form = formOf(request.body);
        return { name: form.text('name'), all: form.all('name'), has: form.has('missing') };
      });
      scope.post('/configured', { config }, (request) => {
        refuseForeign(request, 'https://grid.example:8443/base');
        return 'taken';
      });
      done();
    });
  });

  it('pages over HTTP sends a page of one person uncacheable, and without resources from elsewhere', async () => {
    const { headers, statusCode } = await app.inject({ url: '/own', headers: { 'accept-encoding': 'br' } });
    assert.equal(statusCode, 400);
    assert.equal(headers['cache-control'], 'no-store');
    assert.equal(headers['content-encoding'], undefined);
    assert.equal(headers['x-content-type-options'], 'nosniff');
    const policy = String(headers['content-security-policy']);
    assert.match(policy, /default-src 'none'/);
    assert.match(policy, /frame-ancestors 'none'/);
    assert.equal(/unsafe|https?:|\*/.test(policy), false);
  });

  it('pages over HTTP sends a common page in an accepted encoding, and only once', async () => {
    const get = (headers: Record<string, string>) => app.inject({ url: '/same', headers });
    const brotli = await get({ 'accept-encoding': 'gzip, br' });
    assert.equal(brotli.headers['content-encoding'], 'br');
    assert.equal(brotliDecompressSync(brotli.rawPayload).toString(), PAGE);
    const gzip = await get({ 'accept-encoding': 'gzip;q=0.5, br;q=0' });
    assert.equal(gzip.headers['content-encoding'], 'gzip');
    assert.equal(gunzipSync(gzip.rawPayload).toString(), PAGE);
    const plain = await get({});
    assert.equal(plain.headers['content-encoding'], undefined);
    assert.equal(plain.payload, PAGE);
    const cached = await get({ 'if-none-match': String(plain.headers.etag) });
    assert.equal(cached.statusCode, 304);
    assert.equal(cached.payload, '');
  });

  it('pages over HTTP renders a page once per version, however many callers wait for it', async () => {
    const page = keepPage();
    let made = 0;
    const make = () => {
      made += 1;
      return PAGE;
    };
    const [one, other] = await Promise.all([page({ version: 'a', make }), page({ version: 'a', make })]);
    assert.equal(one, other);
    assert.equal(page({ version: 'a', make }), one, 'synchronously, without a promise');
    assert.notEqual(await page({ version: 'b', make }), one);
    assert.equal(made, 2);
  });

  it('pages over HTTP renders a page again after a failure', async () => {
    const page = keepPage();
    const make = () => Promise.reject(new TypeError('no such figure'));
    await assert.rejects(async () => page({ version: 'a', make }), TypeError);
    const { asset } = await page({ version: 'a', make: () => PAGE });
    assert.equal(asset.body.toString(), PAGE);
  });

  it('pages over HTTP keeps the pages that were asked for last, and forgets the others', async () => {
    const pageOf = keepPages(2);
    const made: string[] = [];
    const ask = async (key: string) => {
      const make = () => {
        made.push(key);
        return `${key} ${PAGE}`;
      };
      return (await pageOf(key)({ version: '1', make })).asset.body.toString().slice(0, 1);
    };
    for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) assert.equal(await ask(key), key);
    assert.deepEqual(made, ['a', 'b', 'c', 'b'], 'of three, the one asked for longest ago');
  });

  it('pages over HTTP serves the files of pages as immutable, and no other files', async () => {
    const sheet = await app.inject(assets.style('base'));
    assert.equal(sheet.statusCode, 200);
    assert.match(String(sheet.headers['content-type']), /^text\/css/);
    assert.match(String(sheet.headers['cache-control']), /immutable/);
    for (const name of ['base.css', '..%2fpage.ts', 'manifest.json', '%2e%2e%2f%2e%2e%2fpackage.json'])
      assert.equal((await app.inject(`/assets/${name}`)).statusCode, 404, name);
  });

  it('pages over HTTP serves the style sheet of every colour, and of nothing else', async () => {
    const sheet = await app.inject('/assets/brand/ffe600.css');
    assert.equal(sheet.statusCode, 200);
    assert.match(String(sheet.headers['content-type']), /^text\/css/);
    assert.match(sheet.payload, /^:root\{--brand:#ffe600;--on-brand:#000000\}/);
    for (const file of ['ffe600', 'FFE600.css', 'ffe60.css', 'red.css', 'ffe600%7d.css', '..%2fbase.css'])
      assert.equal((await app.inject(`/assets/brand/${file}`)).statusCode, 404, file);
  });

  it('pages over HTTP shows an error as a page in browsers, and as usual to programs', async () => {
    const page = await app.inject({ url: '/fails', headers: { accept: 'text/html' } });
    assert.equal(page.payload, '<p>limit.busy</p>');
    assert.equal(page.headers['retry-after'], '3');
    assert.equal(page.headers['elnav-error'], 'limit.busy');
    const program = await app.inject('/fails');
    assert.deepEqual(program.json(), { detail: 'busy' });
    assert.equal(program.statusCode, 429);
  });

  const post = (
    url: string,
    headers: Record<string, string>,
    payload: string | Buffer = 'name=a&name=%C3%A5+b',
  ) =>
    app.inject({
      method: 'POST',
      url,
      payload,
      headers: {
        host: 'grid.local:8081',
        'content-type': 'application/x-www-form-urlencoded',
        ...headers,
      },
    });

  it('pages over HTTP parses forms', async () => {
    assert.deepEqual((await post('/form', {})).json(), { name: 'å b', all: ['a', 'å b'], has: false });
    for (const [body, headers, status] of [
      ['name=%00', {}, 400],
      ['%00=x', {}, 400],
      [Buffer.from([0x6e, 0x3d, 0xff]), {}, 400],
      ['{}', { 'content-type': 'application/json' }, 415],
    ] as const)
      assert.equal((await post('/form', headers, body)).statusCode, status, String(body));
  });

  it('pages over HTTP accepts forms only from its own pages', async () => {
    const cases: readonly (readonly [string, Record<string, string>, number])[] = [
      ['/form', {}, 200],
      ['/form', { origin: 'http://grid.local:8081' }, 200],
      ['/form', { origin: 'http://grid.local:8081', 'sec-fetch-site': 'same-origin' }, 200],
      ['/form', { origin: 'http://grid.local' }, 403],
      ['/form', { origin: 'http://evil.example' }, 403],
      ['/form', { origin: 'http://grid.local:8081.evil.example' }, 403],
      ['/form', { origin: 'null' }, 403],
      ['/form', { origin: 'null', 'sec-fetch-site': 'same-origin' }, 200],
      ['/form', { origin: '' }, 403],
      ['/form', { 'sec-fetch-site': 'cross-site' }, 403],
      ['/form', { 'sec-fetch-site': 'same-site' }, 403],
      ['/configured', { origin: 'https://grid.example:8443' }, 200],
      // A forged Host does not replace the configured address.
      ['/configured', { origin: 'http://grid.local:8081' }, 403],
      ['/configured', { origin: 'https://grid.example' }, 403],
      ['/configured', { origin: 'http://grid.example:8443' }, 403],
    ];
    for (const [url, headers, status] of cases)
      assert.equal((await post(url, headers)).statusCode, status, `${url} ${JSON.stringify(headers)}`);
  });
});

describe('a page with a form', () => {
  const formAction = async (send: (reply: FastifyReply) => FastifyReply): Promise<string | undefined> => {
    const app = Fastify();
    app.get('/', (_request, reply) => send(reply));
    const { headers } = await app.inject('/');
    await app.close();
    return /form-action [^;]*/.exec(String(headers['content-security-policy']))?.[0];
  };

  it('a page with a form may lead to this service, to another of ours, or to any site, as it is sent', async () => {
    assert.equal(await formAction((reply) => sendPage(reply, 'a')), "form-action 'self'");
    assert.equal(
      await formAction((reply) => sendPageThatLeadsTo(reply, 'a', 'https://connect.example/x')),
      "form-action 'self' https://connect.example",
    );
    assert.equal(await formAction((reply) => sendPageThatLeadsOn(reply, 'a')), undefined);
  });
});
