import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { bareServer } from '../../test/kit/bare-server.ts';
import { systemClock } from '../core/clock.ts';
import { prepared, sendCacheable } from './cacheable.ts';

const ANSWER = prepared('{"ort":"Ängelholm"}');

describe('a cacheable answer', () => {
  let app: FastifyInstance;
  let counted: number[];
  before(() => {
    counted = [];
    app = bareServer({
      clock: systemClock,
      gate: {
        admit: (_request, reply) => void reply.header('ratelimit', '"day";r=9'),
        count: (_request, reply) => void counted.push(reply.statusCode),
      },
    }).app;
    const config = { access: 'anonymous' as const };
    app.get('/own', { config }, (request, reply) =>
      sendCacheable(request, reply, { ...ANSWER, seconds: 90.9 }),
    );
    app.get('/shared', { config }, (request, reply) =>
      sendCacheable(request, reply, { ...ANSWER, seconds: 60, isShared: true }),
    );
    app.get('/over', { config }, (request, reply) =>
      sendCacheable(request, reply, { ...ANSWER, seconds: -3 }),
    );
  });
  const get = (url: string, tag?: string) =>
    app.inject({ url, headers: tag === undefined ? {} : { 'if-none-match': tag } });

  it('a cacheable answer has a strong tag, a lifetime in whole seconds and its body', async () => {
    const answer = await get('/own');
    assert.equal(answer.statusCode, 200);
    assert.equal(answer.body, ANSWER.body);
    assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
    assert.equal(answer.headers['cache-control'], 'private, max-age=90, must-revalidate');
    assert.match(String(answer.headers.etag), /^"[\w-]{22}"$/);
  });

  it('a cacheable answer has equal tags for equal bodies, and different tags for different ones', () => {
    assert.equal(prepared('{"ort":"Ängelholm"}').etag, ANSWER.etag);
    assert.notEqual(prepared('{"ort":"Angelholm"}').etag, ANSWER.etag);
  });

  it('a cacheable answer responds 304 to a caller that has it, and counts the call', async () => {
    counted.length = 0;
    for (const tag of [
      ANSWER.etag,
      `W/${ANSWER.etag}`,
      `"other", ${ANSWER.etag}`,
      `"a",W/${ANSWER.etag} `,
      '*',
    ]) {
      const answer = await get('/own', tag);
      assert.equal(answer.statusCode, 304, tag);
      assert.equal(answer.body, '');
      assert.equal(answer.headers.etag, ANSWER.etag);
      assert.equal(answer.headers['cache-control'], 'private, max-age=90, must-revalidate');
      assert.equal(answer.headers.ratelimit, '"day";r=9');
      assert.equal(answer.headers['content-type'], undefined);
    }
    assert.deepEqual(counted, [304, 304, 304, 304, 304]);
  });

  it('a cacheable answer responds 200 to a caller that has another version', async () => {
    const bare = ANSWER.etag.slice(1, -1);
    for (const tag of ['', '"other"', bare, `"${bare}`, '"', 'W/', `"${bare}x"`, '"*"', ','.repeat(9_000)]) {
      const answer = await get('/own', tag);
      assert.equal(answer.statusCode, 200, tag);
      assert.equal(answer.body, ANSWER.body);
    }
  });

  it('a cacheable answer allows shared caches only where declared, and requires revalidation after its lifetime', async () => {
    assert.equal((await get('/shared')).headers['cache-control'], 'public, max-age=60, must-revalidate');
    assert.equal((await get('/over')).headers['cache-control'], 'private, no-cache');
    assert.equal((await get('/over', ANSWER.etag)).statusCode, 304);
  });
});
