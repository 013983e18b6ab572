import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { bareServer } from '../../test/kit/bare-server.ts';
import { systemClock } from '../core/clock.ts';
import { AppError } from '../core/errors.ts';
import { allowCrossOriginReads } from './cors.ts';

const ORIGIN = { origin: 'https://page.example' };
const PREFLIGHT = {
  ...ORIGIN,
  'access-control-request-method': 'GET',
  'access-control-request-headers': 'if-none-match',
};

describe('cross-origin reads', () => {
  let app: FastifyInstance;
  let admitted = 0;
  before(() => {
    app = bareServer({
      clock: systemClock,
      gate: {
        admit(request) {
          admitted += 1;
          if (request.headers['x-api-key'] === 'wrong') throw new AppError('key.invalid', 'no such key');
        },
        count: () => {},
      },
    }).app;
    allowCrossOriginReads(app, '/api/v1/');
    const config = { access: 'anonymous' as const };
    app.get('/api/v1/read', { config }, () => ({ ok: true }));
    app.post('/api/v1/write', { config }, () => ({ ok: true }));
    app.get('/admin/users', { config }, () => ({ ok: true }));
  });
  const corsOf = (headers: Record<string, unknown>) =>
    Object.keys(headers).filter((name) => name.startsWith('access-control-'));

  it('cross-origin reads allow every origin, without credentials', async () => {
    for (const headers of [ORIGIN, {}]) {
      const answer = await app.inject({ url: '/api/v1/read?code=1', headers });
      assert.equal(answer.headers['access-control-allow-origin'], '*');
      assert.match(
        String(answer.headers['access-control-expose-headers']),
        /etag, ratelimit, ratelimit-policy/,
      );
      assert.equal(answer.headers['access-control-allow-credentials'], undefined);
    }
  });

  it('cross-origin reads include errors that a page can read', async () => {
    const answer = await app.inject({ url: '/api/v1/read', headers: { ...ORIGIN, 'x-api-key': 'wrong' } });
    assert.equal(answer.statusCode, 401);
    assert.equal(answer.headers['access-control-allow-origin'], '*');
  });

  it('cross-origin reads accept a preflight, which is not counted, and allow no page to send a key', async () => {
    const before = admitted;
    const answer = await app.inject({ method: 'OPTIONS', url: '/api/v1/read?code=1', headers: PREFLIGHT });
    assert.equal(answer.statusCode, 204);
    assert.equal(answer.body, '');
    assert.equal(answer.headers['access-control-allow-origin'], '*');
    assert.equal(answer.headers['access-control-allow-methods'], 'GET, HEAD');
    assert.equal(answer.headers['access-control-allow-headers'], 'if-none-match, x-request-id');
    assert.equal(admitted, before);
  });

  it('cross-origin reads leave all other routes closed', async () => {
    for (const url of ['/api/v1/write', '/admin/users', '/api/v1/none', '/']) {
      const preflight = await app.inject({ method: 'OPTIONS', url, headers: PREFLIGHT });
      assert.ok(preflight.statusCode === 404 || preflight.statusCode === 405, url);
      assert.deepEqual(corsOf(preflight.headers), [], url);
    }
    for (const [method, url] of [
      ['POST', '/api/v1/write'],
      ['GET', '/admin/users'],
      ['GET', '/api/v1/none'],
    ] as const) {
      assert.deepEqual(corsOf((await app.inject({ method, url, headers: ORIGIN })).headers), [], url);
    }
  });

  it('cross-origin reads refuse OPTIONS that is not a preflight like any other method', async () => {
    const answer = await app.inject({ method: 'OPTIONS', url: '/api/v1/read', headers: ORIGIN });
    assert.equal(answer.statusCode, 405);
    assert.equal(answer.headers.allow, 'GET, HEAD');
  });
});
