import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, it } from 'node:test';
import { WebSocketServer } from 'ws';
import { until } from '../../test/kit/until.ts';
import { turnedClock } from '../core/clock.ts';
import { HOUR_MS, MINUTE_MS } from '../core/durations.ts';
import { runGateway } from './gateway.ts';
import { SUBPROTOCOL } from './wire/protocol.ts';

describe('a gateway whose key is refused', () => {
  const stop = new AbortController();
  const servers = new Set<{ close(): unknown; closeAllConnections(): void }>();
  afterEach(() => {
    stop.abort();
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  });

  it('a gateway that was removed says once what to do, and asks once an hour until it is let in again', async () => {
    let isRemoved = false;
    let knocks = 0;
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    servers.add(server);
    const websockets = new WebSocketServer({ noServer: true, handleProtocols: () => SUBPROTOCOL });
    server.on('upgrade', (request, socket, head) => {
      knocks += 1;
      const refusal = '{"error":"the key is not known"}';
      if (isRemoved)
        socket.end(
          `HTTP/1.1 401 Unauthorized\r\nconnection: close\r\ncontent-length: ${refusal.length}\r\n\r\n${refusal}`,
        );
      else websockets.handleUpgrade(request, socket, head, () => {});
    });
    const clock = turnedClock();
    const lines: string[] = [];
    const running = runGateway({
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      ...{ key: 'k'.repeat(43), code: undefined, version: '1', networks: () => [] },
      services: { open: () => Promise.reject(new Error('nothing')), answer: () => undefined },
      wills: { count: 0, connected() {}, heard() {}, lost() {} },
      ...{ clock, random: (size) => Buffer.alloc(size), signal: stop.signal },
      print: (line) => lines.push(line),
    });
    await until('it is connected', () => lines.some((line) => line.startsWith('connected')));
    isRemoved = true;
    for (const socket of websockets.clients) socket.terminate();
    // Nothing waits longer than a minute before the third refusal.
    await until('it has said what to do', () => {
      clock.turn(MINUTE_MS);
      return lines.some((line) => line.includes('ELNAV_GATEWAY_CODE'));
    });
    assert.equal(knocks, 4);
    assert.deepEqual(lines.slice(1, 3), ['the connection has ended', 'the key is not known']);
    const said = lines.length;
    for (let hours = 0; hours < 3; hours += 1) {
      clock.turn(HOUR_MS / 4);
      assert.equal(knocks, 4 + hours);
      await until('it asks again', () => {
        clock.turn(HOUR_MS / 4);
        return knocks === 5 + hours;
      });
    }
    assert.equal(lines.length, said);
    isRemoved = false;
    await until('it is connected again', () => {
      clock.turn(HOUR_MS / 4);
      return lines.at(-1)?.startsWith('connected') === true;
    });
    stop.abort();
    await running;
  });
});
