import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { until } from '../../test/until.ts';
import { HttpFailure, type HttpFailureKind } from '../adapter/http.ts';
import { answers, hangs, testServer, turnedUntilSettled } from './test-server.ts';

/** So long that turning the clock for waits does not end an attempt. */
const PATIENT = { timeoutMs: 3_600_000, deadlineMs: 7_200_000 };
const JSON_TYPE = { 'content-type': 'application/json' };

function fails(kind: HttpFailureKind, sentence: RegExp, more: Partial<HttpFailure> = {}) {
  return (error: unknown): boolean => {
    assert.ok(error instanceof HttpFailure, `it is a ${String(error)}`);
    assert.equal(error.kind, kind, error.message);
    assert.match(error.message, sentence);
    assert.equal(error.cause, undefined, 'an error of the connection may hold what was read');
    for (const [name, value] of Object.entries(more))
      assert.equal(error[name as keyof HttpFailure], value, name);
    return true;
  };
}

describe('a call', () => {
  it('sends path, repeated query, headers and body, and reads the answer', async (test) => {
    const bodies: string[] = [];
    const { http, requests, observed } = await testServer(
      test,
      [
        (request, response) => {
          request.setEncoding('utf8').on('data', (text: string) => bodies.push(text));
          request.on('end', () => response.writeHead(201, JSON_TYPE).end('{"price":1e-05}'));
        },
      ],
      { userAgent: 'elnav/9 (+https://elnav.example)' },
    );
    const answer = await http.send({
      method: 'POST',
      path: '/a/b%20c',
      query: { mba: ['SE3', 'SE&4'], left: undefined },
      headers: { 'X-Own': 'yes' },
      json: { a: [1] },
    });
    assert.equal(answer.status, 201);
    assert.deepEqual(answer.json(), { price: 0.00001 });
    const [request] = requests;
    assert.equal(request?.url, '/a/b%20c?mba=SE3&mba=SE%264');
    assert.equal(request?.headers['user-agent'], 'elnav/9 (+https://elnav.example)');
    assert.equal(request?.headers['x-own'], 'yes');
    assert.equal(request?.headers['content-type'], 'application/json');
    assert.match(request?.headers.accept ?? '', /^application\/json/);
    assert.deepEqual(bodies, ['{"a":[1]}']);
    assert.deepEqual(observed, [{ name: 'tester', outcome: 'ok', seconds: 0, attempts: 1 }]);
  });

  it('sends a form as one', async (test) => {
    const bodies: string[] = [];
    const { http } = await testServer(test, [
      (request, response) => {
        request.setEncoding('utf8').on('data', (text: string) => bodies.push(text));
        request.on('end', () => response.end());
      },
    ]);
    await http.send({ method: 'POST', path: '/token', form: { grant_type: 'a b', code: '1&2' } });
    assert.deepEqual(bodies, ['grant_type=a+b&code=1%262']);
  });

  it('reads gzip and brotli, and refuses what it did not ask for', async (test) => {
    const { http, requests } = await testServer(test, [
      answers(200, gzipSync('{"a":1}'), { 'content-encoding': 'gzip' }),
      answers(200, brotliCompressSync('{"a":2}'), { 'content-encoding': 'br' }),
      answers(200, 'x', { 'content-encoding': 'zstd' }),
      answers(200, gzipSync('{"a":1}').subarray(0, 12), { 'content-encoding': 'gzip' }),
      answers(204, '', { 'content-encoding': 'gzip' }),
    ]);
    assert.deepEqual((await http.send({ path: '/' })).json(), { a: 1 });
    assert.deepEqual((await http.send({ path: '/' })).json(), { a: 2 });
    await assert.rejects(
      http.send({ path: '/' }),
      fails('answer_invalid', /encoding that was not asked for/),
    );
    await assert.rejects(http.send({ path: '/' }), fails('answer_invalid', /cannot be decompressed/));
    assert.equal((await http.send({ path: '/' })).bytes.length, 0);
    assert.equal(requests[0]?.headers['accept-encoding'], 'gzip, br');
  });

  it('refuses a path that leaves its base address', async (test) => {
    const { http, requests } = await testServer(test, [answers(200)]);
    for (const path of ['a', '/a/../b', '/devices/%2e%2E/x', '/a/.', '/a?b', '/a#b', '/a\\b'])
      await assert.rejects(http.send({ path }), /path for tester/);
    assert.equal(requests.length, 0);
    await http.send({ path: '//example.org/x' });
    assert.equal(requests[0]?.url, '//example.org/x', 'it is still this server');
  });
});

describe('an answer that cannot be used', () => {
  it('is no JSON: a page, text, a dangerous or a bottomless value', async (test) => {
    const { http } = await testServer(test, [
      answers(200, '<!DOCTYPE html><html>secret-in-body</html>', { 'content-type': 'text/html' }),
      answers(200, '{"secret-in-body": 1,', JSON_TYPE),
      answers(200, '{"a":{"__proto__":{"admin":true}}}', JSON_TYPE),
      answers(200, '['.repeat(100_000) + ']'.repeat(100_000), JSON_TYPE),
      answers(200, Buffer.from([0x22, 0xff, 0x22]), JSON_TYPE),
      answers(200, '"\\ud800"', JSON_TYPE),
    ]);
    const json = async () => (await http.send({ path: '/' })).json();
    await assert.rejects(json, fails('answer_invalid', /^tester answered with a page that is not JSON$/));
    await assert.rejects(json, fails('answer_invalid', /^tester answered with something that is not JSON$/));
    await assert.rejects(json, fails('answer_invalid', /__proto__/));
    await assert.rejects(json, fails('answer_invalid', /nested too deep/));
    await assert.rejects(json, fails('answer_invalid', /not UTF-8/));
    await assert.rejects(json, fails('answer_invalid', /not valid Unicode/));
  });

  it('is too large, whether that is told, found out or unpacked', async (test) => {
    const mebibytes = Buffer.alloc(10 * 1024 * 1024, 0x20);
    const { http, requests } = await testServer(test, [
      answers(200, mebibytes, { 'content-length': String(mebibytes.length) }),
      (_, response) => {
        response.writeHead(200);
        response.write(mebibytes.subarray(0, 3_000_000));
        response.end(mebibytes);
      },
      answers(200, gzipSync(mebibytes), { 'content-encoding': 'gzip' }),
      answers(200, 'x'.repeat(101)),
      answers(200, mebibytes),
    ]);
    const call = (mostBytes?: number) =>
      http.send({ path: '/', ...(mostBytes === undefined ? {} : { mostBytes }) });
    await assert.rejects(call(), fails('answer_invalid', /more than 2097152 bytes/));
    await assert.rejects(call(), fails('answer_invalid', /more than 2097152 bytes/));
    await assert.rejects(call(), fails('answer_invalid', /more than 2097152 bytes/));
    await assert.rejects(call(100), fails('answer_invalid', /more than 100 bytes/));
    assert.equal((await call(mebibytes.length)).bytes.length, mebibytes.length);
    assert.equal(requests.length, 5, 'none is asked for again');
  });

  it('is a redirect, wherever it leads', async (test) => {
    const { http, requests } = await testServer(test, [
      answers(302, '', { location: 'http://169.254.169.254/latest/meta-data' }),
      answers(301, '', { location: '/elsewhere' }),
      answers(303),
    ]);
    await assert.rejects(
      http.send({ path: '/' }),
      fails('answer_invalid', /redirects to another host/, { status: 302 }),
    );
    await assert.rejects(
      http.send({ path: '/' }),
      fails('answer_invalid', /redirects elsewhere/, { status: 301 }),
    );
    const answer = await http.send({ path: '/', expect: [303] });
    assert.equal(answer.status, 303);
    assert.equal(requests.length, 3);
  });

  it('is a status from 400 on that was not expected', async (test) => {
    const { http, requests, observed } = await testServer(test, [
      answers(403, 'secret-in-body'),
      answers(404),
      answers(401, '{"error":"invalid"}'),
    ]);
    const query = { securityToken: 'secret-in-query' };
    await assert.rejects(http.send({ path: '/secret-in-path', query }), (error) => {
      assert.doesNotMatch(JSON.stringify(error) + String((error as Error).stack?.split('\n')[0]), /secret/);
      return fails('refused', /^tester refused with status 403$/, { status: 403 })(error);
    });
    assert.equal((await http.send({ path: '/', expect: [404] })).status, 404);
    assert.deepEqual((await http.send({ path: '/', expect: [401] })).json(), { error: 'invalid' });
    assert.equal(requests.length, 3);
    assert.deepEqual(
      observed.map(({ outcome }) => outcome),
      ['refused', 'ok', 'ok'],
    );
  });
});

describe('a connection that fails', () => {
  it('is refused, reset, closed without answer, cut short or not HTTP', async (test) => {
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
      fails('unreachable', /^the connection to tester broke off$/),
    );
    await assert.rejects(http.send({ path: '/' }), fails('unreachable', /broke off/));
    await assert.rejects(http.send({ path: '/' }), fails('unreachable', /broke off/));
    await assert.rejects(http.send({ path: '/' }), fails('unreachable', /broke off/));
    await assert.rejects(
      http.send({ path: '/' }),
      fails('answer_invalid', /^tester does not answer in HTTP$/),
    );
    assert.equal(requests.length, 5);

    const nobody = await testServer(test, [answers(200)], { baseUrl: 'http://127.0.0.1:1', attempts: 1 });
    await assert.rejects(
      nobody.http.send({ path: '/' }),
      fails('unreachable', /cannot be reached \(ECONNREFUSED\)/),
    );
  });

  it('hangs: the attempt ends after its time', async (test) => {
    const { http, clock, requests, observed } = await testServer(test, [hangs], {
      attempts: 1,
      timeoutMs: 4_000,
    });
    const call = http.send({ path: '/' });
    await until('the request is there', () => requests.length === 1);
    clock.turn(3_999);
    clock.turn(1);
    await assert.rejects(call, fails('timeout', /^tester did not answer in time$/));
    assert.deepEqual(observed, [{ name: 'tester', outcome: 'timeout', seconds: 4, attempts: 1 }]);
  });

  it('drips: bytes that come do not prolong the time', async (test) => {
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

  it('is given up by the caller, before and while it runs', async (test) => {
    const { http, requests } = await testServer(test, [hangs]);
    await assert.rejects(http.send({ path: '/', signal: AbortSignal.abort() }), fails('timeout', /in time/));
    assert.equal(requests.length, 0);
    const giveUp = new AbortController();
    const call = http.send({ path: '/', signal: giveUp.signal });
    await until('the request is there', () => requests.length === 1);
    giveUp.abort(new Error('secret-in-reason'));
    await assert.rejects(call, fails('timeout', /^tester did not answer in time$/));
    assert.equal(requests.length, 1);
  });
});

describe('a call that may be repeated', () => {
  it('is sent again after 500, 408, 429, a reset, and waits longer each time', async (test) => {
    const { http, clock, at, observed } = await testServer(
      test,
      [
        answers(500),
        (request) => request.socket.resetAndDestroy(),
        answers(429),
        answers(408),
        answers(200, '{"a":1}'),
      ],
      { ...PATIENT, attempts: 5 },
    );
    const answer = await turnedUntilSettled(clock, http.send({ path: '/' }));
    assert.deepEqual(answer.json(), { a: 1 });
    const waits = at.slice(1).map((ms, index) => ms - (at[index] ?? 0));
    assert.equal(waits.length, 4);
    for (const [index, least] of [250, 500, 1000, 2000].entries())
      assert.ok((waits[index] ?? 0) >= least, `${waits[index]} ms before repetition ${index + 1}`);
    assert.equal(observed[0]?.attempts, 5);
  });

  it('is not repeated where that could do harm, or would mend nothing', async (test) => {
    const { http, requests } = await testServer(test, [answers(500)]);
    await assert.rejects(
      http.send({ path: '/', method: 'POST' }),
      fails('server_error', /status 500/, { status: 500 }),
    );
    await assert.rejects(http.send({ path: '/', repeatable: false }), fails('server_error', /status 500/));
    assert.equal(requests.length, 2);
    const refusing = await testServer(test, [answers(403)]);
    await assert.rejects(refusing.http.send({ path: '/' }), fails('refused', /403/));
    assert.equal(refusing.requests.length, 1);
  });

  it('may be a POST that says so', async (test) => {
    const { http, clock, requests } = await testServer(test, [answers(503), answers(200)], PATIENT);
    const call = http.send({ path: '/', method: 'POST', json: 1, repeatable: true });
    assert.equal((await turnedUntilSettled(clock, call)).status, 200);
    assert.equal(requests.length, 2);
  });

  it('waits as long as a short Retry-After says, in seconds or by date', async (test) => {
    const date = { 'retry-after': new Date(Date.UTC(2026, 10, 21, 9, 0, 10)).toUTCString() };
    const { http, clock, at } = await testServer(
      test,
      [answers(429, '', { 'retry-after': '3' }), answers(503, '', date), answers(200)],
      PATIENT,
    );
    const start = clock.now();
    await turnedUntilSettled(clock, http.send({ path: '/' }));
    assert.ok((at[1] ?? 0) - (at[0] ?? 0) >= 3_000);
    assert.ok((at[2] ?? 0) - start >= 10_000, 'the clock stood at 09:00:00');
  });

  it('is told a long Retry-After instead', async (test) => {
    const { http, requests } = await testServer(test, [
      answers(429, '', { 'retry-after': '120' }),
      answers(429, '', { 'retry-after': 'Sat, 21 Nov 2026 10:00:00 GMT' }),
      answers(503, '', { 'retry-after': '99999999' }),
    ]);
    const call = () => http.send({ path: '/' });
    await assert.rejects(
      call,
      fails('rate_limited', /limits our calls/, { status: 429, retryAfterSeconds: 120 }),
    );
    await assert.rejects(call, fails('rate_limited', /limits our calls/, { retryAfterSeconds: 3600 }));
    await assert.rejects(call, fails('server_error', /503/, { retryAfterSeconds: 86_400 }));
    assert.equal(requests.length, 3);
  });

  it('ends with the last failure when the attempts or the time are used up', async (test) => {
    const limited = await testServer(test, [answers(429)], PATIENT);
    const call = turnedUntilSettled(limited.clock, limited.http.send({ path: '/' }));
    await assert.rejects(call, fails('rate_limited', /limits our calls/, { retryAfterSeconds: undefined }));
    assert.equal(limited.requests.length, 3);

    const busy = await testServer(test, [answers(503, '', { 'retry-after': '8' })], { deadlineMs: 8_000 });
    await assert.rejects(
      busy.http.send({ path: '/' }),
      fails('server_error', /503/, { retryAfterSeconds: 8 }),
    );
    assert.equal(busy.requests.length, 1, 'what would be waited for beyond the deadline is told at once');

    const hanging = await testServer(test, [hangs], { timeoutMs: 4_000, deadlineMs: 6_000 });
    const slow = hanging.http.send({ path: '/' });
    await until('the request is there', () => hanging.requests.length === 1);
    await assert.rejects(turnedUntilSettled(hanging.clock, slow), fails('timeout', /in time/));
    assert.ok((hanging.observed[0]?.seconds ?? 0) <= 6.05, 'the deadline holds for all attempts together');
  });

  it('ends while it waits when the caller gives up', async (test) => {
    const { http, requests } = await testServer(test, [answers(500)]);
    const giveUp = new AbortController();
    const call = http.send({ path: '/', signal: giveUp.signal });
    await until('the first answer was given', () => requests.length === 1);
    giveUp.abort();
    await assert.rejects(call, HttpFailure);
    assert.equal(requests.length, 1);
  });
});

describe('a service in trouble', () => {
  it('is left alone after five failures in a row, then tried by one call', async (test) => {
    const failing = [answers(500), answers(500), answers(500), answers(500), answers(500)];
    const { http, clock, requests } = await testServer(test, [...failing, answers(500), answers(200)], {
      attempts: 1,
    });
    const call = () => http.send({ path: '/' });
    for (const _ of failing) await assert.rejects(call, fails('server_error', /500/));
    await assert.rejects(call, fails('unreachable', /left alone for a while/, { retryAfterSeconds: 30 }));
    assert.equal(requests.length, 5);
    clock.turn(30_000);
    const trial = call();
    await assert.rejects(call, fails('unreachable', /left alone/), 'only one call tries it');
    await assert.rejects(trial, fails('server_error', /500/));
    await assert.rejects(call, fails('unreachable', /left alone/), 'the trial failed');
    clock.turn(30_000);
    assert.equal((await call()).status, 200);
    assert.equal((await call()).status, 200, 'it is as before');
    assert.equal(requests.length, 8);
  });

  it('is not in trouble because it refuses, limits us, or because callers give up', async (test) => {
    const { http, requests } = await testServer(test, [answers(403), answers(429), hangs], { attempts: 1 });
    await assert.rejects(http.send({ path: '/' }), fails('refused', /403/));
    await assert.rejects(http.send({ path: '/' }), fails('rate_limited', /limits/));
    for (let count = 3; count < 12; count += 1) {
      const giveUp = new AbortController();
      const call = http.send({ path: '/', signal: giveUp.signal });
      await until('the request is there', () => requests.length === count);
      giveUp.abort();
      await assert.rejects(call, fails('timeout', /in time/));
    }
  });

  it('gets so many calls at a time, in their order; what waits ends with its caller', async (test) => {
    const open: (() => void)[] = [];
    const { http, requests } = await testServer(test, [(_, response) => open.push(() => response.end())], {
      mostAtOnce: 2,
    });
    const calls = ['/1', '/2', '/3'].map((path) => http.send({ path }));
    const giveUp = new AbortController();
    const fourth = http.send({ path: '/4', signal: giveUp.signal });
    await until('two requests are there', () => open.length === 2);
    giveUp.abort();
    await assert.rejects(fourth, fails('timeout', /in time/));
    assert.deepEqual(requests.map(({ url }) => url).sort(), ['/1', '/2']);
    for (const end of open.splice(0)) end();
    await until('the third is there', () => open.length === 1);
    for (const end of open) end();
    await Promise.all(calls);
    assert.equal(requests.length, 3);
  });

  it('does not gather calls without end', async (test) => {
    const { http, clock, requests } = await testServer(test, [hangs], { mostAtOnce: 1, attempts: 1 });
    const calls = Array.from({ length: 201 }, () =>
      http.send({ path: '/' }).catch((error: unknown) => error),
    );
    await until('the first is there', () => requests.length === 1);
    await assert.rejects(
      http.send({ path: '/' }),
      fails('rate_limited', /too many calls to tester are waiting/),
    );
    clock.turn(30_000);
    const failures = await Promise.all(calls);
    assert.equal(failures.length, 201);
    for (const failure of failures) assert.ok(failure instanceof HttpFailure && failure.kind === 'timeout');
  });
});
