import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { answers, fails, testServer } from './test-server.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

describe('a call', () => {
  it('a call sends path, repeated query, headers and body, and reads the answer', async (test) => {
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

  it('a call sends a form as one', async (test) => {
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

  it('a call reads gzip and brotli, and refuses what it did not ask for', async (test) => {
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
      fails('answer_invalid', /encoding that was not requested/),
    );
    await assert.rejects(http.send({ path: '/' }), fails('answer_invalid', /cannot be decompressed/));
    assert.equal((await http.send({ path: '/' })).bytes.length, 0);
    assert.equal(requests[0]?.headers['accept-encoding'], 'gzip, br');
  });

  it('a call refuses a path that leaves its base address', async (test) => {
    const { http, requests } = await testServer(test, [answers(200)]);
    for (const path of ['a', '/a/../b', '/devices/%2e%2E/x', '/a/.', '/a?b', '/a#b', '/a\\b'])
      await assert.rejects(http.send({ path }), /path for tester/);
    assert.equal(requests.length, 0);
    await http.send({ path: '//example.org/x' });
    assert.equal(requests[0]?.url, '//example.org/x', 'it is still this server');
  });

  it('a call keeps the path of its base address, with or without a slash at its end', async (test) => {
    const { url, requests } = await testServer(test, [answers(200)]);
    for (const base of ['/v1', '/v1/']) {
      const { http } = await testServer(test, [answers(200)], { baseUrl: `${url}${base}` });
      await http.send({ path: '/a' });
    }
    assert.deepEqual(
      requests.map((request) => request.url),
      ['/v1/a', '/v1/a'],
    );
  });

  it('a call with a header that is none is not sent', async (test) => {
    const { http, requests, observed } = await testServer(test, [answers(200)]);
    const headers = { authorization: 'Bearer secret\r\nx: y' };
    await assert.rejects(
      http.send({ path: '/', headers }),
      fails('refused', /^a call to tester has a header that cannot be sent$/),
    );
    assert.equal(requests.length, 0);
    assert.equal(observed[0]?.attempts, 1);
  });
});

describe('an answer that cannot be used', () => {
  it('an answer that cannot be used is no JSON: a page, text, a dangerous or a bottomless value', async (test) => {
    const { http } = await testServer(test, [
      answers(200, '<!DOCTYPE html><html>secret-in-body</html>', { 'content-type': 'text/html' }),
      answers(200, '{"secret-in-body": 1,', JSON_TYPE),
      answers(200, '{"a":{"__proto__":{"admin":true}}}', JSON_TYPE),
      answers(200, '['.repeat(100_000) + ']'.repeat(100_000), JSON_TYPE),
      answers(200, Buffer.from([0x22, 0xff, 0x22]), JSON_TYPE),
      answers(200, '"\\ud800"', JSON_TYPE),
    ]);
    const json = async () => (await http.send({ path: '/' })).json();
    await assert.rejects(json, fails('answer_invalid', /^tester returned a page that is not JSON$/));
    await assert.rejects(json, fails('answer_invalid', /^tester returned a body that is not JSON$/));
    await assert.rejects(json, fails('answer_invalid', /__proto__/));
    await assert.rejects(json, fails('answer_invalid', /nested too deep/));
    await assert.rejects(json, fails('answer_invalid', /not UTF-8/));
    await assert.rejects(json, fails('answer_invalid', /not valid Unicode/));
  });

  it('an answer that cannot be used is too large, whether that is told, found out or unpacked', async (test) => {
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

  it('an answer that cannot be used is a redirect, wherever it leads', async (test) => {
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
      fails('answer_invalid', /redirects to another address/, { status: 301 }),
    );
    const answer = await http.send({ path: '/', expect: [303] });
    assert.equal(answer.status, 303);
    assert.equal(requests.length, 3);
  });

  it('an answer that cannot be used is a status from 400 on that was not expected', async (test) => {
    const { http, requests, observed } = await testServer(test, [
      answers(403, 'secret-in-body'),
      answers(404),
      answers(401, '{"error":"invalid"}'),
    ]);
    const query = { securityToken: 'secret-in-query' };
    await assert.rejects(http.send({ path: '/secret-in-path', query }), (error) => {
      assert.doesNotMatch(JSON.stringify(error) + String((error as Error).stack?.split('\n')[0]), /secret/);
      return fails('refused', /^tester refused the request with status 403$/, { status: 403 })(error);
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
