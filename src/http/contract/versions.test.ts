import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import Type from 'typebox';
import { bareServer } from '../../../test/kit/bare-server.ts';
import { systemClock } from '../../core/clock.ts';
import { silentLog } from '../../core/log.ts';
import { collectRoutes, contractOf } from './document.ts';
import { CONTRACT_DATE, type Deprecated } from './versions.ts';

const DEPRECATED = { since: '2026-11-27', sunset: '2027-11-27', link: 'https://elnav.example.com/changes' };
interface Document {
  readonly paths: Readonly<
    Record<
      string,
      {
        readonly get: {
          readonly deprecated?: boolean;
          readonly description?: string;
          readonly responses: Readonly<Record<number, { readonly headers: object }>>;
        };
      }
    >
  >;
}

const LINK = '<https://elnav.example.com/changes>; rel="deprecation"; type="text/html"';

function serverWith(deprecated: Deprecated) {
  const { app } = bareServer({ service: 'connect', clock: systemClock, log: silentLog, probes: [] });
  const routes = collectRoutes(app);
  const schema = { summary: 'Things', tags: ['Things'], response: { 200: Type.Object({}) } };
  const config = { access: 'key' as const };
  app.get('/new', { config, schema: { ...schema, operationId: 'new' } }, () => ({}));
  app.get('/old', { config, schema: { ...schema, operationId: 'old', deprecated } }, () => ({}));
  app.get('/old-pages', { config, schema: { ...schema, operationId: 'oldPages', deprecated } }, (_, reply) =>
    reply.header('link', '</old-pages?cursor=a>; rel="next"').send({}),
  );
  return { app, routes };
}

describe('the version of the contract', () => {
  it('the version of the contract is in every response, also of a path that does not exist', async () => {
    const { app } = serverWith(DEPRECATED);
    for (const url of ['/new', '/old', '/nowhere', '/%zz'])
      assert.equal((await app.inject({ url })).headers['elnav-version'], CONTRACT_DATE, url);
    await app.close();
  });

  it('the version of the contract: what is deprecated says since when, until when, and where to read on', async () => {
    const { app } = serverWith(DEPRECATED);
    const of = async (url: string) => {
      const { deprecation, sunset, link } = (await app.inject({ url })).headers;
      return [deprecation, sunset, link];
    };
    const dates = ['@1795737600', 'Sat, 27 Nov 2027 00:00:00 GMT'];
    assert.deepEqual(await of('/new'), [undefined, undefined, undefined]);
    assert.deepEqual(await of('/old'), [...dates, LINK]);
    assert.deepEqual(await of('/old-pages'), [...dates, `</old-pages?cursor=a>; rel="next", ${LINK}`]);
    await app.close();
  });

  it('the version of the contract: the document marks what is deprecated, and declares the headers', async () => {
    const { app, routes } = serverWith(DEPRECATED);
    await app.ready();
    const about = { service: 'connect', title: 't', description: 'd', version: '1', tags: [] } as const;
    const { paths } = JSON.parse(JSON.stringify(contractOf(routes, about, '/'))) as Document;
    const read = (path: string) => {
      const { deprecated, description, responses = {} } = paths[path]?.get ?? {};
      return { deprecated, description, headers: Object.keys(responses[200]?.headers ?? {}) };
    };
    const always = ['X-Request-Id', 'Elnav-Version', 'RateLimit', 'RateLimit-Policy'];
    assert.deepEqual(read('/new'), { deprecated: undefined, description: undefined, headers: always });
    assert.deepEqual(read('/old'), {
      deprecated: true,
      description: `Deprecated since 2026-11-27, and gone from 2027-11-27 on: ${DEPRECATED.link}`,
      headers: [...always, 'Link', 'Deprecation', 'Sunset'],
    });
    await app.close();
  });

  it('the version of the contract: a server does not start with a date that is none', () => {
    for (const wrong of [
      { since: 'today' },
      { sunset: '2027-13-01' },
      { sunset: '2026-11-27' },
      { link: 'changes' },
    ])
      assert.throws(() => serverWith({ ...DEPRECATED, ...wrong }), JSON.stringify(wrong));
  });
});
