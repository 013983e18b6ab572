import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { until } from '../kit/until.ts';
import { makeWorld, type World } from '../kit/world.ts';
import { faultsOfError } from './judge.ts';
import type { ServiceName } from './route-table.ts';

interface Exchange {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The number of responses. */
  readonly answers: number;
  /** Whether the server has ended its half of the connection. */
  readonly closed: boolean;
}

/** Sends bytes on a connection of its own, keeps its half open, and waits until the server ends its half. */
async function exchange(base: string, bytes: string): Promise<Exchange> {
  const { hostname, port } = new URL(base);
  const socket: Socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  let text = '';
  let ended = false;
  socket.setEncoding('latin1').on('data', (part: string) => {
    text += part;
  });
  socket.on('end', () => {
    ended = true;
  });
  // After its end the server may respond to further bytes with a reset.
  socket.on('error', () => {
    ended = true;
  });
  socket.write(bytes, 'latin1');
  await until('the server ends the connection', () => ended);
  socket.destroy();
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [line = '', ...fields] = head.split('\r\n');
  return {
    status: Number(line.split(' ')[1]),
    headers: Object.fromEntries(
      fields.map((field) => [
        field.slice(0, field.indexOf(':')).toLowerCase(),
        field.slice(field.indexOf(':') + 1).trim(),
      ]),
    ),
    text: rest.join('\r\n\r\n'),
    answers: text.split('HTTP/1.1 ').length - 1,
    closed: ended,
  };
}

const HOST = 'Host: localhost\r\n';
const REFUSED: Readonly<Record<string, string>> = {
  'no HTTP at all': 'hello there\r\n\r\n',
  'a TLS handshake': '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  'an unknown version': `GET /healthz HTTP/9.9\r\n${HOST}\r\n`,
  'a header without a colon': `GET /healthz HTTP/1.1\r\n${HOST}nonsense\r\n\r\n`,
  'a NUL in a header': `GET /healthz HTTP/1.1\r\n${HOST}a: b\0c\r\n\r\n`,
  'a space before the colon': `GET /healthz HTTP/1.1\r\n${HOST}X-Api-Key : k\r\n\r\n`,
  'both lengths': `POST /partners/apply HTTP/1.1\r\n${HOST}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\n${HOST}\r\n`,
  'two lengths': `POST /partners/apply HTTP/1.1\r\n${HOST}Content-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef`,
  'a negative length': `POST /partners/apply HTTP/1.1\r\n${HOST}Content-Length: -1\r\n\r\n`,
  'two hosts': `GET /healthz HTTP/1.1\r\n${HOST}HOST: elsewhere\r\nConnection: close\r\n\r\n`,
  'the same host twice': `GET /healthz HTTP/1.0\r\n${HOST}${HOST}Connection: close\r\n\r\n`,
  'no host': 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n',
};

/** Unreadable bodies of requests that have already been answered. */
const BROKEN_BODIES: Readonly<Record<string, string>> = {
  'an obscured encoding': `POST /partners/apply HTTP/1.1\r\n${HOST}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`,
  'a broken chunk': `POST /link HTTP/1.1\r\n${HOST}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
};

describe('invalid HTTP', () => {
  let world: World;
  let services: readonly (readonly [ServiceName, string])[];
  before(async () => {
    world = await makeWorld({ engine: 'sqlite' });
    services = [
      ['connect', world.connect],
      ['grid', world.grid],
    ];
  });
  after(() => world.close());

  for (const [why, bytes] of Object.entries(REFUSED)) {
    it(`invalid HTTP gets one 400, and no more is read: ${why}`, async () => {
      for (const [service, base] of services) {
        const reply = await exchange(base, bytes);
        assert.deepEqual(faultsOfError(service, reply, { status: 400, code: 'request.malformed' }), []);
        assert.equal(reply.answers, 1);
        assert.equal(reply.closed, true);
      }
    });
  }

  for (const [why, bytes] of Object.entries(BROKEN_BODIES)) {
    it(`invalid HTTP ends the connection when a body cannot be read: ${why}`, async () => {
      for (const [, base] of services) {
        const reply = await exchange(base, bytes);
        assert.ok([400, 401, 404, 415].includes(reply.status), String(reply.status));
        assert.equal(reply.closed, true);
      }
    });
  }

  it('invalid HTTP gets 431 when the headers are too large', async () => {
    for (const [service, base] of services) {
      for (const line of ['/'.repeat(20_000), '/healthz']) {
        const bytes = `GET ${line} HTTP/1.1\r\n${HOST}X-Large: ${'x'.repeat(20_000)}\r\n\r\n`;
        const reply = await exchange(base, bytes);
        assert.deepEqual(
          faultsOfError(service, reply, { status: 431, code: 'request.header_too_large' }),
          [],
        );
      }
    }
  });

  it('invalid HTTP gets a documented error for an unsupported expectation', async () => {
    for (const [service, base] of services) {
      const reply = await exchange(
        base,
        `POST /link HTTP/1.1\r\n${HOST}Expect: miracles\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
      );
      assert.ok([400, 401, 404, 417].includes(reply.status), `${service} ${reply.status}`);
    }
  });

  it('invalid HTTP may offer to speak another protocol, and gets a response in this one', async () => {
    for (const [, base] of services) {
      const reply = await exchange(
        base,
        `GET /healthz HTTP/1.1\r\n${HOST}Connection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n`,
      );
      assert.deepEqual([reply.status, reply.text], [200, '{"status":"ok"}']);
    }
  });

  it('invalid HTTP cannot open a WebSocket where no station dials in', async () => {
    const websocket = `HTTP/1.1\r\n${HOST}Connection: Upgrade, close\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`;
    for (const [service, base] of services) {
      for (const path of ['/', '/nowhere/x', '/%zz', '//']) {
        const reply = await exchange(base, `GET ${path} ${websocket}`);
        // Grid has its front page at the root, and Connect redirects.
        assert.ok([200, 302, 400, 404].includes(reply.status), `${service} ${path} ${reply.status}`);
        assert.ok(reply.status === 302 || reply.text.length > 0, `${service} ${path} says nothing`);
      }
    }
  });
});
