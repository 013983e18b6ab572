import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { WebSocket } from 'ws';
import { until } from '../../../test/kit/until.ts';
import type { Simulated, SimulatedAnswer, SimulatedRequest } from '../../adapter/simulator.ts';
import { bodyOf } from './routes.ts';
import { serveSimulated } from './serve.ts';
import { isLoopback, postToLoopback } from './webhooks.ts';

async function serve(test: TestContext, simulated: Simulated) {
  const failures: unknown[] = [];
  const loads: string[] = [];
  const served = await serveSimulated({
    slug: 'vendor',
    load: async () => {
      loads.push('loaded');
      return simulated;
    },
    onFailure: (error) => failures.push(error),
  });
  test.after(() => served.close());
  return { url: served.url, failures, loads };
}

const answering = (answer: SimulatedAnswer): Simulated => ({ handle: async () => answer });

describe('a simulator on a port', () => {
  it('a simulator on a port hands on method, path, query, headers and body, and marks what it answers', async (test) => {
    const asked: SimulatedRequest[] = [];
    const { url, loads } = await serve(test, {
      handle(request) {
        asked.push(request);
        return { status: 201, json: { is: 'JSON' }, headers: { 'x-limit': '3' } };
      },
    });
    assert.deepEqual(loads, []);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const answer = await fetch(`${url}/a%2Fb/c?x=1&x=2`, {
        method,
        body: 'döner',
        headers: { 'X-Own': 'yes' },
      });
      assert.equal(answer.status, 201);
      assert.equal(answer.headers.get('elnav-simulated'), 'vendor');
      assert.equal(answer.headers.get('x-limit'), '3');
      assert.equal(answer.headers.get('content-type'), 'application/json');
      assert.deepEqual(await answer.json(), { is: 'JSON' });
    }
    assert.deepEqual(
      asked.map(({ method }) => method),
      ['POST', 'PUT', 'PATCH', 'DELETE'],
    );
    const [first] = asked;
    assert.equal(first?.path, '/a%2Fb/c');
    assert.deepEqual(first?.query.getAll('x'), ['1', '2']);
    assert.equal(first?.headers['x-own'], 'yes');
    assert.equal(Buffer.from(first?.body ?? []).toString(), 'döner');
    assert.deepEqual(loads, ['loaded']);
  });

  it('a simulator on a port answers bytes, text and nothing as they are', async (test) => {
    const bytes = Uint8Array.from([0, 255, 10]);
    const of = async (answer: SimulatedAnswer) =>
      Buffer.from(await (await fetch((await serve(test, answering(answer))).url)).arrayBuffer());
    assert.deepEqual(await of({ status: 200, bytes }), Buffer.from(bytes));
    assert.equal((await of({ status: 200, text: 'text' })).toString(), 'text');
    assert.equal((await of({ status: 204 })).length, 0);
  });

  it('a simulator on a port takes a body of 1 MiB, and refuses a larger one', async (test) => {
    const { url } = await serve(test, {
      handle: ({ body }) => ({ status: 200, text: String(body.length) }),
    });
    const post = (bytes: number) => fetch(url, { method: 'POST', body: Buffer.alloc(bytes) });
    assert.equal(await (await post(1_048_576)).text(), '1048576');
    const refused = await post(1_048_577);
    assert.equal(refused.status, 413);
    assert.equal(refused.headers.get('elnav-simulated'), 'vendor');
  });

  it('a simulator on a port cuts a connection where it is told to: before the answer, or in its middle', async (test) => {
    const reset = await serve(test, answering({ status: 200, broken: 'reset' }));
    await assert.rejects(fetch(reset.url));
    const truncated = await serve(test, answering({ status: 200, text: '{"a":', broken: 'truncate' }));
    const answer = await fetch(truncated.url);
    assert.equal(answer.status, 200);
    await assert.rejects(answer.text());
    assert.deepEqual([...reset.failures, ...truncated.failures], []);
  });

  it('a simulator on a port leaves a connection open without an answer where it is told to', async (test) => {
    const { url } = await serve(test, answering({ status: 200, broken: 'hang' }));
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    const heard: unknown[] = [];
    socket.on('data', (chunk) => heard.push(chunk));
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    // A second connection is answered by another server; by then the first one would have been, too.
    const other = await serve(test, answering({ status: 200, text: 'here' }));
    assert.equal(await (await fetch(other.url)).text(), 'here');
    assert.equal(heard.length, 0);
    assert.equal(socket.readyState, 'open');
    socket.destroy();
  });

  it('a simulator on a port outlives a simulator that throws, and says so', async (test) => {
    const { url, failures } = await serve(test, {
      handle() {
        throw new Error('not made for this');
      },
    });
    for (const path of ['/', '//', '/..%2f?%zz']) assert.equal((await fetch(`${url}${path}`)).status, 500);
    assert.equal(failures.length, 3);
  });

  it('a simulator on a port says that a port is in use', async (test) => {
    const { url } = await serve(test, answering({ status: 200 }));
    const port = Number(new URL(url).port);
    await assert.rejects(
      serveSimulated({ slug: 'other', load: async () => answering({ status: 200 }), port }),
      {
        code: 'EADDRINUSE',
      },
    );
  });
});

describe("a simulator's WebSocket", () => {
  it("a simulator's WebSocket carries text both ways, is marked, and ends from either side", async (test) => {
    const closed: string[] = [];
    const { url } = await serve(test, {
      ...answering({ status: 200 }),
      upgrade({ path, headers }, socket) {
        socket.send(`${path} ${headers.authorization}`);
        socket.onFrame((text) => (text === 'end' ? socket.close(4_001) : socket.send(text.toUpperCase())));
        socket.onClose(() => closed.push(path));
      },
    });
    const client = new WebSocket(`${url.replace('http', 'ws')}/hub?id=1`, {
      headers: { authorization: 'me' },
    });
    const upgraded = once(client, 'upgrade') as Promise<[{ headers: Record<string, string> }]>;
    const heard: string[] = [];
    client.on('message', (data) => heard.push(String(data)));
    const [{ headers }] = await upgraded;
    assert.equal(headers['elnav-simulated'], 'vendor');
    await until('it is greeted', () => heard.length === 1);
    client.send('hello');
    client.send('end');
    assert.equal((await once(client, 'close'))[0], 4_001);
    assert.deepEqual(heard, ['/hub me', 'HELLO']);
    await until('the simulator knows', () => closed.length > 0);
    assert.deepEqual(closed, ['/hub']);
  });

  it("a simulator's WebSocket is refused by a simulator that has none", async (test) => {
    const { url } = await serve(test, answering({ status: 200 }));
    const [error] = (await once(new WebSocket(url.replace('http', 'ws')), 'error')) as [Error];
    assert.match(error.message, /404/);
  });

  it("a simulator's WebSocket is refused as the simulator says, before it is opened", async (test) => {
    const { url } = await serve(test, {
      ...answering({ status: 200 }),
      refusal: ({ query }) =>
        query.get('token') === 'good'
          ? undefined
          : { status: 401, json: { message: 'no' }, headers: { 'retry-after': '7' } },
      upgrade: (_, socket) => socket.send('hello'),
    });
    const address = url.replace('http', 'ws');
    const refused = new WebSocket(`${address}/?token=bad`);
    const [, response] = (await once(refused, 'unexpected-response')) as [unknown, IncomingMessage];
    assert.equal(response.statusCode, 401);
    assert.deepEqual([response.headers['retry-after'], response.headers['elnav-simulated']], ['7', 'vendor']);
    const chunks = await Array.fromAsync(response as AsyncIterable<Buffer>);
    assert.equal(Buffer.concat(chunks).toString(), '{"message":"no"}');
    const accepted = new WebSocket(`${address}/?token=good`);
    assert.equal(String((await once(accepted, 'message'))[0]), 'hello');
  });

  it("a simulator's WebSocket is closed when the simulator throws", async (test) => {
    const { url, failures } = await serve(test, {
      ...answering({ status: 200 }),
      upgrade(_, socket) {
        socket.onFrame(() => {
          throw new Error('not made for this');
        });
      },
    });
    const client = new WebSocket(url.replace('http', 'ws'));
    await once(client, 'open');
    client.send('x');
    assert.equal((await once(client, 'close'))[0], 1011);
    assert.equal(failures.length, 1);
  });
});

describe('what a simulator posts', () => {
  it('what a simulator posts goes to this machine alone', async () => {
    for (const url of [
      'http://127.0.0.1:1/x',
      'https://127.9.9.9',
      'http://localhost:8080',
      'http://[::1]:1',
    ])
      assert.equal(isLoopback(url), true, url);
    const elsewhere = [
      'http://10.0.0.1',
      'http://localhost.example',
      'http://127.0.0.1.example',
      'ftp://127.0.0.1',
      'x',
    ];
    for (const url of elsewhere) {
      assert.equal(isLoopback(url), false, url);
      await assert.rejects(postToLoopback(url, { body: '', headers: {} }), /this machine alone/);
    }
  });

  it('what a simulator posts arrives with its headers; a refusal and a redirect are failures', async (test) => {
    const posted: string[] = [];
    const server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      posted.push(`${request.method} ${request.headers['x-signature']} ${body}`);
      const status = Number(request.url?.slice(1));
      response.writeHead(status, { location: 'http://192.0.2.1/' }).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    test.after(() => server.close());
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const delivery = { body: '{"a":1}', headers: { 'x-signature': 'abc' } };
    await postToLoopback(`${base}/202`, delivery);
    await assert.rejects(postToLoopback(`${base}/401`, delivery), /401/);
    await assert.rejects(postToLoopback(`${base}/302`, delivery), /302/);
    assert.deepEqual(posted, Array(3).fill('POST abc {"a":1}'));
  });
});

describe('the body of a simulated request', () => {
  const read = (contentType: string, body: string) =>
    bodyOf({
      method: 'PUT',
      path: '/',
      query: new URLSearchParams(),
      headers: { 'content-type': contentType },
      body: Buffer.from(body),
    });

  it('the body of a simulated request is JSON where its type says so, with a suffix too', () => {
    for (const type of [
      'application/json',
      'application/json; charset=utf-8',
      'application/vnd.vendor.v1+json',
      'application/json-patch+json',
    ])
      assert.deepEqual(read(type, '{"a":1}'), { a: 1 }, type);
  });

  it('the body of a simulated request is a form otherwise', () => {
    for (const type of ['application/x-www-form-urlencoded', 'application/jsonp'])
      assert.deepEqual(read(type, 'a=1'), { a: '1' }, type);
  });
});
