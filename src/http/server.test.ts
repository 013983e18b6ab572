import assert from 'node:assert/strict';
import { type AddressInfo, connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { bareServer } from '../../test/kit/bare-server.ts';
import { until } from '../../test/kit/until.ts';
import { systemClock, turnedClock } from '../core/clock.ts';
import { createLog } from '../core/log.ts';
import type { Server, ServerOptions } from './server.ts';

function makeServer(lines: string[] = [], changes: Partial<ServerOptions> = {}): Server {
  return bareServer({
    service: 'connect',
    clock: systemClock,
    log: createLog('info', { write: (line: string) => lines.push(line) }),
    probes: [
      { name: 'vital', vital: true, check: async () => 'ok' },
      { name: 'spare', vital: false, check: () => Promise.reject(new Error('unreachable')) },
    ],
    ...changes,
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
    app.get('/answers', { config }, () => ({}));
    app.get('/kept', { config }, (_request, reply) =>
      reply.header('cache-control', 'private, max-age=60').send({}),
    );
    app.get('/everybody', { config: { access: 'public' } }, () => ({}));
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

  it('a server does not start with a route that declares no access', () => {
    assert.throws(() => makeServer().app.get('/open', () => 'hello'), /GET \/open declares no access/);
  });

  it('a server lets no cache keep a response to a caller unless its route says so, and no browser guess what any is', async () => {
    for (const [url, kept] of [
      ['/answers', 'no-store'],
      ['/kept', 'private, max-age=60'],
      ['/everybody', undefined],
      ['/nowhere', 'no-store'],
    ] as const) {
      const { headers } = await app.inject({ url });
      assert.deepEqual([headers['cache-control'], headers['x-content-type-options']], [kept, 'nosniff'], url);
    }
  });

  it('a server hides the text of unexpected errors, which is logged with the request id', async () => {
    for (const url of ['/fails', '/rejects']) {
      const reply = await app.inject({ url, headers: { 'x-request-id': `id-of${url.slice(1)}` } });
      assert.equal(reply.statusCode, 500);
      assert.deepEqual(Object.keys(reply.json()), ['error']);
      assert.equal(reply.headers['elnav-error'], 'server.internal');
      assert.equal(reply.headers['cache-control'], 'no-store');
      assert.ok(!reply.body.includes('canary'));
    }
    const entries = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    assert.equal(entries.filter(({ msg }) => msg === 'unexpected error').length, 2);
    assert.deepEqual(
      entries
        .filter(({ msg }) => msg === 'unexpected error')
        .map(({ method, route, status }) => [method, route, status]),
      [
        ['GET', '/fails', 500],
        ['GET', '/rejects', 500],
      ],
    );
    assert.match(lines[0] ?? '', /canary/);
    assert.match(lines[0] ?? '', /id-offails/);
  });

  it('a server parses a body once, as UTF-8, and keeps its numbers', async () => {
    const reply = await app.inject({
      method: 'POST',
      url: '/echo',
      headers: { 'content-type': 'Application/JSON; charset=UTF-8' },
      payload: Buffer.from('\ufeff{"a":[1e3,-0,0.1,"å😀"]}'),
    });
    assert.deepEqual(reply.json(), { got: { a: [1000, 0, 0.1, 'å😀'] } });
  });

  it('a server gives the position of a JSON syntax error, but not the text there', async () => {
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

  it('a server is degraded by a failed probe that is not vital', async () => {
    const reply = await app.inject({ url: '/readyz' });
    assert.deepEqual(
      [reply.statusCode, reply.json()],
      [200, { status: 'degraded', checks: { vital: 'ok', spare: 'unreachable' } }],
    );
  });

  it('a server gives a probe two seconds, runs all at once, and reuses their results for a second', async () => {
    const clock = turnedClock();
    let asked = 0;
    const silent = () => {
      asked += 1;
      return Promise.withResolvers<string>().promise;
    };
    const probes = [
      { name: 'database', vital: true, check: silent },
      { name: 'redis', vital: false, check: silent },
      { name: 'disk', vital: false, check: async () => 'ok' },
    ];
    const own = makeServer([], { clock, probes });
    own.addHealth();
    const ready = () => own.app.inject({ url: '/readyz' });
    const [first, second] = [ready(), ready()];
    first.catch(() => {});
    await until('the probes are running', () => asked === 2);
    clock.turn(2_000);
    const sentence = 'no response in 2 seconds';
    for (const reply of [await first, await second, await ready()])
      assert.deepEqual(
        [reply.statusCode, reply.json()],
        [503, { status: 'not_ready', checks: { database: sentence, redis: sentence, disk: 'ok' } }],
      );
    assert.equal(asked, 2);
    clock.turn(1_000);
    const third = ready();
    third.catch(() => {});
    await until('they run again', () => asked === 4);
    clock.turn(2_000);
    await third;
    await own.app.close();
  });

  it('a server sends HSTS only where the service is reached by https', async () => {
    for (const [publicUrl, header] of [
      ['https://elnav.example', 'max-age=31536000'],
      ['http://elnav.example', undefined],
      [undefined, undefined],
    ] as const) {
      const own = makeServer([], { publicUrl });
      own.addHealth();
      for (const url of ['/healthz', '/nowhere'])
        assert.equal((await own.app.inject({ url })).headers['strict-transport-security'], header);
      await own.app.close();
    }
  });

  it('a server reports a request whose caller has disconnected, though its address is no longer known', async (test) => {
    const callers: string[] = [];
    const { app: traced } = makeServer([], {
      traces: {
        request: () => ({
          run: (work) => work(),
          end: ({ status, facts }) => callers.push(`${status} ${facts().caller}`),
        }),
        call: () => undefined,
      },
    });
    test.after(() => traced.close());
    const response = Promise.withResolvers<string>();
    let isRunning = false;
    traced.get('/waits', { config: { access: 'key' } }, () => {
      isRunning = true;
      return response.promise;
    });
    await traced.listen({ port: 0, host: '127.0.0.1' });
    const socket = connect((traced.server.address() as AddressInfo).port, '127.0.0.1');
    socket.write('GET /waits HTTP/1.1\r\nHost: x\r\n\r\n');
    await until('the request runs', () => isRunning);
    socket.destroy();
    await until('the request is reported', () => callers.length > 0);
    response.resolve('');
    assert.deepEqual(callers, ['null disconnected']);
  });

  it('a server that has more requests than it can answer refuses all but health checks and operators', async () => {
    const busy = makeServer([], { overload: { enter: () => () => {}, refuses: () => true } });
    busy.app.get('/key', { config: { access: 'key' } }, () => 'answered');
    busy.app.get('/operator', { config: { access: 'operator' } }, () => 'answered');
    busy.addHealth();
    const refused = await busy.app.inject({ url: '/key' });
    assert.deepEqual([refused.statusCode, refused.headers['elnav-error']], [503, 'server.busy']);
    assert.match(String(refused.headers['retry-after']), /^[123]$/);
    for (const url of ['/healthz', '/operator'])
      assert.equal((await busy.app.inject({ url })).statusCode, 200, url);
    await busy.app.close();
  });

  it('a server counts a request until its response is sent', async () => {
    let running = 0;
    const enter = () => {
      running += 1;
      return () => {
        running -= 1;
      };
    };
    const counted = makeServer([], { overload: { enter, refuses: () => false } });
    counted.app.get('/key', { config: { access: 'key' } }, () => String(running));
    assert.equal((await counted.app.inject({ url: '/key' })).body, '1');
    await until('it is left', () => running === 0);
    await counted.app.close();
  });

  it('a server finishes running requests and refuses new ones when it stops', async () => {
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

  it('a server writes the responses to requests that arrive together when all of them are handled', async () => {
    const { app } = makeServer();
    const written: number[] = [];
    app.get('/now', { config: { access: 'key' } }, (request, reply) => {
      written.push(request.raw.socket.bytesWritten);
      reply.send('now');
    });
    await app.listen({ port: 0, host: '127.0.0.1' });
    const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
    try {
      let text = '';
      socket.setEncoding('latin1').on('data', (part: string) => {
        text += part;
      });
      const request = 'GET /now HTTP/1.1\r\nhost: here\r\n\r\n';
      socket.write(request.repeat(3));
      await until('all are answered', () => text.split('HTTP/1.1 200').length === 4);
      assert.deepEqual(written, [0, 0, 0]);
      const before = socket.bytesRead;
      socket.write(request);
      await until('a later one is answered', () => text.split('HTTP/1.1 200').length === 5);
      assert.deepEqual(written.slice(3), [before]);
    } finally {
      socket.destroy();
      await app.close();
    }
  });
});
