import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { until } from '../../test/kit/until.ts';
import { HttpFailure } from '../adapter/http.ts';
import { answers, fails, hangs, testServer, turnedUntilSettled } from './test-server.ts';

/** So long that turning the clock for waits does not end an attempt. */
const PATIENT = { timeoutMs: 3_600_000, deadlineMs: 7_200_000 };

describe('a call that may be repeated', () => {
  it('a call that may be repeated is sent again after 500, 408, 429, a reset, and waits longer each time', async (test) => {
    const { http, clock, at, observed } = await testServer(
      test,
      [
        answers(500),
        (request) => request.socket.resetAndDestroy(),
        answers(429, '', { 'retry-after': '1' }),
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

  it('a call that may be repeated is not repeated where that could do harm, or would mend nothing', async (test) => {
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

  it('a call that may be repeated is not repeated where a service has enough and does not say for how long', async (test) => {
    const { http, requests } = await testServer(test, [
      answers(429),
      answers(429, '', { 'retry-after': '0' }),
    ]);
    await assert.rejects(http.send({ path: '/' }), fails('rate_limited', /rate limit of .* is exceeded/));
    await assert.rejects(http.send({ path: '/' }), fails('rate_limited', /rate limit of .* is exceeded/));
    assert.equal(requests.length, 2);
  });

  it('a call that may be repeated may be a POST that says so', async (test) => {
    const { http, clock, requests } = await testServer(test, [answers(503), answers(200)], PATIENT);
    const call = http.send({ path: '/', method: 'POST', json: 1, repeatable: true });
    assert.equal((await turnedUntilSettled(clock, call)).status, 200);
    assert.equal(requests.length, 2);
  });

  it('a call that may be repeated waits as long as a short Retry-After says, in seconds or by date', async (test) => {
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

  it('a call that may be repeated is told a long Retry-After instead', async (test) => {
    const { http, requests } = await testServer(test, [
      answers(429, '', { 'retry-after': '120' }),
      answers(429, '', { 'retry-after': 'Sat, 21 Nov 2026 10:00:00 GMT' }),
      answers(503, '', { 'retry-after': '99999999' }),
      answers(429, '', { 'ratelimit-minute-remaining': '0', 'ratelimit-minute-reset': '55' }),
      answers(503, '', { 'ratelimit-reset': '55', 'retry-after': '60' }),
    ]);
    const call = () => http.send({ path: '/' });
    await assert.rejects(
      call,
      fails('rate_limited', /rate limit of .* is exceeded/, { status: 429, retryAfterSeconds: 120 }),
    );
    await assert.rejects(
      call,
      fails('rate_limited', /rate limit of .* is exceeded/, { retryAfterSeconds: 3600 }),
    );
    await assert.rejects(call, fails('server_error', /503/, { retryAfterSeconds: 86_400 }));
    await assert.rejects(
      call,
      fails('rate_limited', /rate limit of .* is exceeded/, { retryAfterSeconds: 55 }),
    );
    await assert.rejects(call, fails('server_error', /503/, { retryAfterSeconds: 60 }));
    assert.equal(requests.length, 5);
  });

  it('a call that may be repeated ends with the last failure when the attempts or the time are used up', async (test) => {
    const limited = await testServer(test, [answers(429, '', { 'retry-after': '1' })], PATIENT);
    const call = turnedUntilSettled(limited.clock, limited.http.send({ path: '/' }));
    await assert.rejects(
      call,
      fails('rate_limited', /rate limit of .* is exceeded/, { retryAfterSeconds: 1 }),
    );
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

  it('a call that may be repeated ends while it waits when the caller gives up', async (test) => {
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
  it('a service in trouble is left alone after five failures in a row, then tried by one call', async (test) => {
    const failing = [answers(500), answers(500), answers(500), answers(500), answers(500)];
    const { http, clock, requests } = await testServer(test, [...failing, answers(500), answers(200)], {
      attempts: 1,
    });
    const call = () => http.send({ path: '/' });
    for (const _ of failing) await assert.rejects(call, fails('server_error', /500/));
    await assert.rejects(call, fails('unreachable', /calls to it are paused/, { retryAfterSeconds: 30 }));
    assert.equal(requests.length, 5);
    clock.turn(30_000);
    const trial = call();
    await assert.rejects(call, fails('unreachable', /are paused/), 'only one call tries it');
    await assert.rejects(trial, fails('server_error', /500/));
    await assert.rejects(call, fails('unreachable', /are paused/), 'the trial failed');
    clock.turn(30_000);
    assert.equal((await call()).status, 200);
    assert.equal((await call()).status, 200, 'it is as before');
    assert.equal(requests.length, 8);
  });

  it('a service in trouble is not in trouble because of one whom it fails, and is where it fails three', async (test) => {
    const { http, clock, requests } = await testServer(test, [answers(500)], { attempts: 1 });
    const call = (subject: string) => http.send({ path: '/', subject });
    for (let count = 0; count < 10; count += 1)
      await assert.rejects(call('sick'), fails('server_error', /500/));
    await assert.rejects(call('second'), fails('server_error', /500/));
    await assert.rejects(call('third'), fails('server_error', /500/));
    await assert.rejects(call('fourth'), fails('unreachable', /calls to it are paused/, { wasSent: false }));
    assert.equal(requests.length, 12);
    clock.turn(30_000);
    await assert.rejects(call('sick'), fails('server_error', /500/));
    await assert.rejects(call('sick'), fails('unreachable', /calls to it are paused/), 'it has had its try');
    await assert.rejects(call('fourth'), fails('server_error', /500/), 'another tries');
    await assert.rejects(call('fifth'), fails('server_error', /500/));
    await assert.rejects(
      call('sixth'),
      fails('unreachable', /calls to it are paused/),
      'three more have failed',
    );
    clock.turn(30_000);
    await assert.rejects(call('sick'), fails('server_error', /500/));
    clock.turn(30_000);
    await assert.rejects(
      call('sick'),
      fails('server_error', /500/),
      'who is alone tries again after a pause',
    );
  });

  it('a service in trouble is well again for all when one call is answered', async (test) => {
    const sick = Array.from({ length: 5 }, () => answers(500));
    const { http, clock } = await testServer(test, [...sick, answers(500), answers(200)], { attempts: 1 });
    const call = (subject: string) => http.send({ path: '/', subject });
    for (const index of sick.keys())
      await assert.rejects(call(`link-${index}`), fails('server_error', /500/));
    await assert.rejects(call('healthy'), fails('unreachable', /calls to it are paused/));
    clock.turn(30_000);
    await assert.rejects(call('sick'), fails('server_error', /500/));
    assert.equal((await call('healthy')).status, 200, 'the sick one tried first and holds nobody up');
    assert.equal((await call('sick')).status, 200);
  });

  it('a service in trouble is in trouble for all callers where nobody can connect', async (test) => {
    const { http } = await testServer(test, [answers(200)], { baseUrl: 'http://127.0.0.1:1', attempts: 1 });
    const call = () => http.send({ path: '/', subject: 'alone' });
    for (let count = 0; count < 5; count += 1)
      await assert.rejects(call, fails('unreachable', /ECONNREFUSED/));
    await assert.rejects(call, fails('unreachable', /calls to it are paused/));
  });

  it('a service in trouble is not in trouble because of calls that are made aside', async (test) => {
    const { http, requests } = await testServer(test, [answers(500)], { attempts: 1 });
    for (let count = 0; count < 10; count += 1)
      await assert.rejects(
        http.send({ path: '/', subject: `link-${count}`, isAside: true }),
        fails('server_error', /500/),
      );
    assert.equal(requests.length, 10);
  });

  it('a service in trouble is not in trouble because it refuses, limits us, or because callers give up', async (test) => {
    const six = Array.from({ length: 6 });
    const behaviours = [...six.map(() => answers(403)), ...six.map(() => answers(429)), hangs];
    const { http, requests } = await testServer(test, behaviours, { attempts: 1 });
    for (const _ of six) await assert.rejects(http.send({ path: '/' }), fails('refused', /403/));
    for (const _ of six) await assert.rejects(http.send({ path: '/' }), fails('rate_limited', /rate limit/));
    for (let count = 13; count < 20; count += 1) {
      const giveUp = new AbortController();
      const call = http.send({ path: '/', signal: giveUp.signal });
      await until('the request is there', () => requests.length === count);
      giveUp.abort();
      await assert.rejects(call, fails('timeout', /in time/));
    }
  });

  it('a service in trouble gets so many calls at a time, in their order; what waits ends with its caller', async (test) => {
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
    for (const end of open.splice(0)) end();
    await Promise.all(calls);
    assert.equal(requests.length, 3);

    const later = ['/5', '/6'].map((path) => http.send({ path }));
    await until('both connections are still there', () => requests.length === 5);
    for (const end of open) end();
    await Promise.all(later);
  });

  it('a service in trouble does not gather calls without end', async (test) => {
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

  it('a service in trouble ends its calls when it is closed, waiting ones as well, and takes no more', async (test) => {
    const { http, requests } = await testServer(test, [hangs], { mostAtOnce: 1 });
    const calls = [http.send({ path: '/1' }), http.send({ path: '/2' })];
    await until('the first is there', () => requests.length === 1);
    const ended = Promise.all(calls.map((call) => assert.rejects(call, fails('timeout', /in time/))));
    await http.close();
    await ended;
    await assert.rejects(http.send({ path: '/3' }), fails('timeout', /in time/));
    assert.equal(requests.length, 1);
  });
});
