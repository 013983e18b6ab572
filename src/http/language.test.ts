import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import Fastify from 'fastify';
import { addLanguageRoute, pageLanguage } from './language.ts';

function server(publicUrl = 'http://127.0.0.1:8081') {
  const app = Fastify();
  addLanguageRoute(app, () => publicUrl);
  app.get('/which', { config: { access: 'public' } }, (request) => pageLanguage(request));
  return app;
}

describe('the language of a page', () => {
  it('the language of a page is the chosen one, before the one that the browser prefers', async () => {
    const app = server();
    for (const [cookie, accept, language] of [
      [undefined, 'sv', 'sv'],
      [undefined, undefined, 'en'],
      ['elnav_language=en', 'sv', 'en'],
      ['a=b; elnav_language=sv', 'en', 'sv'],
      ['elnav_language=de', 'sv', 'sv'],
      ['elnav_language=__proto__', 'sv', 'sv'],
    ] as const) {
      const headers = {
        ...(cookie === undefined ? {} : { cookie }),
        ...(accept === undefined ? {} : { 'accept-language': accept }),
      };
      assert.equal((await app.inject({ url: '/which', headers })).body, language, `${cookie} ${accept}`);
    }
  });

  it('the language of a page is stored in a cookie for a year, and the page is shown again', async () => {
    const chosen = await server().inject('/language/sv?next=%2Flookup%3Fq%3DUme%25C3%25A5');
    assert.deepEqual([chosen.statusCode, chosen.headers.location], [303, '/lookup?q=Ume%C3%A5']);
    assert.equal(chosen.headers['cache-control'], 'no-store');
    assert.equal(
      chosen.headers['set-cookie'],
      'elnav_language=sv; Max-Age=31536000; Path=/; HttpOnly; SameSite=Lax',
    );
    const secure = await server('https://grid.example').inject('/language/en');
    assert.match(String(secure.headers['set-cookie']), /^elnav_language=en;.*; Secure;/);
    assert.equal(secure.headers.location, '/');
  });

  it('the language of a page never redirects to another site, and must be one that exists', async () => {
    const app = server();
    for (const next of ['https://evil.example', '//evil.example', '/\\evil.example', '', 'account'])
      assert.equal(
        (await app.inject(`/language/en?next=${encodeURIComponent(next)}`)).headers.location,
        '/',
        next,
      );
    assert.equal((await app.inject('/language/en?next=/a&next=/b')).headers.location, '/');
    for (const path of ['/language/de', '/language/', '/language/svx'])
      assert.equal((await app.inject(path)).statusCode, 404, path);
    assert.equal((await app.inject({ method: 'HEAD', url: '/language/en' })).statusCode, 404);
  });
});
