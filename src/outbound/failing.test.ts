import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { until } from '../../test/kit/until.ts';
import { HttpFailure } from '../adapter/http.ts';
import type { OutboundHttp } from './index.ts';
import { answers, fails, hangs, testServer, turnedUntilSettled } from './test-server.ts';

describe('a connection that fails', () => {
  it('a connection that fails is refused, reset, closed without answer, cut short or not HTTP', async (test) => {
    const { http, requests } = await testServer(
      test,
      [
        (request) => request.socket.resetAndDestroy(),
        (request) => request.socket.destroy(),
        (_, response) => {
          response.writeHead(200, { 'content-length': '100' });
          response.write('[1,2');
          setImmediate(() => response.socket?.end());
        },
        (_, response) => {
          response.writeHead(200, { 'transfer-encoding': 'chunked' });
          response.write('[1,2');
          setImmediate(() => response.socket?.destroy());
        },
        (request) => request.socket.end('SSH-2.0-secret-in-body\r\n'),
      ],
      { attempts: 1 },
    );
    await assert.rejects(
      http.send({ path: '/' }),
      fails('unreachable', /^the connection to tester was lost$/),
    );
    await assert.rejects(http.send({ path: '/' }), fails('unreachable', /was lost/));
    await assert.rejects(http.send({ path: '/' }), fails('unreachable', /was lost/));
    await assert.rejects(http.send({ path: '/' }), fails('unreachable', /was lost/));
    await assert.rejects(
      http.send({ path: '/' }),
      fails('answer_invalid', /^tester did not respond in HTTP$/),
    );
    assert.equal(requests.length, 5);

    const nobody = await testServer(test, [answers(200)], { baseUrl: 'http://127.0.0.1:1', attempts: 1 });
    await assert.rejects(
      nobody.http.send({ path: '/' }),
      fails('unreachable', /is unreachable \(ECONNREFUSED\)/),
    );
  });

  it('a connection that fails says whether anything was sent', async (test) => {
    const once = { attempts: 1 };
    const sent = async (http: OutboundHttp, signal?: AbortSignal) => {
      const error: unknown = await http
        .send({ path: '/', ...(signal === undefined ? {} : { signal }) })
        .catch((failure: unknown) => failure);
      assert.ok(error instanceof HttpFailure);
      return error.wasSent;
    };
    const nobody = await testServer(test, [answers(200)], { baseUrl: 'http://127.0.0.1:1', ...once });
    assert.equal(await sent(nobody.http), false);
    const unknown = await testServer(test, [answers(200)], { baseUrl: 'http://nobody.invalid', ...once });
    assert.equal(await sent(unknown.http), false);
    const reset = await testServer(test, [(request) => request.socket.resetAndDestroy()], once);
    assert.equal(await sent(reset.http), true);
    assert.equal(await sent((await testServer(test, [answers(500)], once)).http), true);
    const hanging = await testServer(test, [hangs], { ...once, mostAtOnce: 1 });
    assert.equal(await sent(hanging.http, AbortSignal.abort()), false, 'given up before it began');
    const call = sent(hanging.http);
    const queued = new AbortController();
    const waiting = sent(hanging.http, queued.signal);
    await until('the request is there', () => hanging.requests.length === 1);
    queued.abort();
    assert.equal(await waiting, false, 'given up while it waited for its turn');
    hanging.clock.turn(10_000);
    assert.equal(await call, true);
  });

  it('a connection that fails has the time that the call says, instead of the usual one', async (test) => {
    const { http, clock, requests } = await testServer(test, [hangs], {
      attempts: 1,
      timeoutMs: 4_000,
      deadlineMs: 6_000,
    });
    let isOver = false;
    const call = http.send({ path: '/', timeoutMs: 60_000 }).finally(() => {
      isOver = true;
    });
    call.catch(() => {});
    await until('the request is there', () => requests.length === 1);
    clock.turn(59_999);
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(isOver, false);
    clock.turn(1);
    await assert.rejects(call, fails('timeout', /in time/));
  });

  it('a connection that fails was sent where an earlier attempt was', async (test) => {
    const { http, clock, requests } = await testServer(test, [answers(500)], { attempts: 2 });
    const call = () => turnedUntilSettled(clock, http.send({ path: '/' }));
    await assert.rejects(call, fails('server_error', /500/));
    await assert.rejects(call, fails('server_error', /500/));
    await assert.rejects(call, fails('unreachable', /calls to it are paused/, { wasSent: true }));
    assert.equal(requests.length, 5);
    await assert.rejects(call, fails('unreachable', /calls to it are paused/, { wasSent: false }));
  });

  it('a connection that fails hangs: the attempt ends after its time', async (test) => {
    const { http, clock, requests, observed } = await testServer(test, [hangs], {
      attempts: 1,
      timeoutMs: 4_000,
    });
    const call = http.send({ path: '/' });
    await until('the request is there', () => requests.length === 1);
    clock.turn(3_999);
    clock.turn(1);
    await assert.rejects(call, fails('timeout', /^tester did not respond in time$/));
    assert.deepEqual(observed, [{ name: 'tester', outcome: 'timeout', seconds: 4, attempts: 1 }]);
  });

  it('a connection that fails drips: bytes that come do not prolong the time', async (test) => {
    let written = 0;
    const { http, clock } = await testServer(
      test,
      [
        (_, response) => {
          response.writeHead(200);
          const drip = () => {
            if (response.destroyed) return;
            response.write(' ');
            written += 1;
            setImmediate(drip);
          };
          drip();
        },
      ],
      { attempts: 1, timeoutMs: 4_000, mostBytes: 1e9 },
    );
    const call = http.send({ path: '/' });
    await until('bytes are coming', () => written > 50);
    clock.turn(4_000);
    await assert.rejects(call, fails('timeout', /in time/));
  });

  it('a connection that fails is given up by the caller, before and while it runs', async (test) => {
    const { http, requests } = await testServer(test, [hangs]);
    await assert.rejects(http.send({ path: '/', signal: AbortSignal.abort() }), fails('timeout', /in time/));
    assert.equal(requests.length, 0);
    const giveUp = new AbortController();
    const call = http.send({ path: '/', signal: giveUp.signal });
    await until('the request is there', () => requests.length === 1);
    giveUp.abort(new Error('secret-in-reason'));
    await assert.rejects(call, fails('timeout', /^tester did not respond in time$/));
    assert.equal(requests.length, 1);
  });
});
