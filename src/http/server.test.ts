import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { systemClock } from '../core/clock.ts';
import { systemRandom } from '../core/ids.ts';
import { createLog } from '../core/log.ts';
import { createMetrics } from '../core/metrics.ts';
import type { Gate } from './access.ts';
import { createServer, type Server } from './server.ts';

const open: Gate = { admit: () => {}, count: () => {} };

function makeServer(lines: string[] = []): Server {
  return createServer({
    service: 'connect',
    clock: systemClock,
    random: systemRandom,
    log: createLog('info', { write: (line: string) => lines.push(line) }),
    metrics: createMetrics(),
    gate: open,
    probes: [
      { name: 'vital', vital: true, check: async () => 'ok' },
      { name: 'spare', vital: false, check: () => Promise.reject(new Error('away')) },
    ],
    trustProxy: [],
    tls: undefined,
  });
}

describe('a server', () => {
  const lines: string[] = [];
  const gate = Promise.withResolvers<string>();
  let server: Server;
  let app: FastifyInstance;
  before(async () => {
    server = makeServer(lines);
    app = server.app;
    const config = { access: 'key' as const };
    app.get('/fails', { config }, () => {
      throw new Error('canary');
    });
    app.get('/rejects', { config }, () => Promise.reject(null));
    app.get('/waits', { config }, () => gate.promise);
    app.post('/echo', { config, schema: { body: {} } }, (request) => ({ got: request.body }));
    server.addHealth();
    await app.ready();
  });
  after(() => app.close());

  it('does not start with a route that does not say who may call it', () => {
    assert.throws(() => makeServer().app.get('/open', () => 'hello'), /GET \/open does not say/);
  });

  it('answers what nobody expected without its text, which the log has with the request id', async () => {
    for (const url of ['/fails', '/rejects']) {
      const reply = await app.inject({ url, headers: { 'x-request-id': `id-of${url.slice(1)}` } });
      assert.equal(reply.statusCode, 500);
      assert.deepEqual(Object.keys(reply.json()), ['error']);
      assert.equal(reply.headers['elnav-error'], 'server.internal');
      assert.equal(reply.headers['cache-control'], 'no-store');
      assert.ok(!reply.body.includes('canary'));
    }
    const told = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    assert.equal(told.filter(({ msg }) => msg === 'unexpected error').length, 2);
    assert.match(lines[0] ?? '', /canary/);
    assert.match(lines[0] ?? '', /id-offails/);
  });

  it('parses a body once, as UTF-8, and keeps its numbers', async () => {
    const reply = await app.inject({
      method: 'POST',
      url: '/echo',
      headers: { 'content-type': 'Application/JSON; charset=UTF-8' },
      payload: Buffer.from('\ufeff{"a":[1e3,-0,0.1,"å😀"]}'),
    });
    assert.deepEqual(reply.json(), { got: { a: [1000, 0, 0.1, 'å😀'] } });
  });

  it('says where JSON breaks, and not what stands there', async () => {
    const reply = await app.inject({
      method: 'POST',
      url: '/echo',
      headers: { 'content-type': 'application/json' },
      payload: '{"password": canary}',
    });
    assert.equal(reply.statusCode, 400);
    assert.match(reply.json().error, /^the body is not valid JSON( at .*)?$/);
    assert.ok(!reply.body.includes('canary'));
  });

  it('is degraded by what is not vital', async () => {
    const reply = await app.inject({ url: '/readyz' });
    assert.deepEqual(
      [reply.statusCode, reply.json()],
      [200, { status: 'degraded', checks: { vital: 'ok', spare: 'away' } }],
    );
  });

  it('finishes what runs and refuses what comes when it stops', async () => {
    const running = app.inject({ url: '/waits' });
    running.catch(() => {});
    const drain = server.drain().then(() => 'drained');
    const refused = await app.inject({ method: 'POST', url: '/echo' });
    assert.deepEqual([refused.statusCode, refused.headers['elnav-error']], [503, 'server.stopping']);
    assert.ok(Number(refused.headers['retry-after']) >= 1);
    assert.deepEqual((await app.inject({ url: '/healthz' })).statusCode, 200);
    assert.deepEqual((await app.inject({ url: '/readyz' })).statusCode, 503);
    gate.resolve('done');
    assert.equal((await running).body, 'done');
    assert.equal(await drain, 'drained');
  });
});
