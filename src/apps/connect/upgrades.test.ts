import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { silentLog } from '../../core/log.ts';
import { createExposure } from '../../http/exposure.ts';
import { listenForUpgrades } from './upgrades.ts';

describe('the doors for WebSockets', () => {
  const server = createServer().listen(0, '127.0.0.1');
  before(() => once(server, 'listening'));
  after(() => server.close());
  const taken: string[] = [];
  listenForUpgrades(server, {
    takers: new Map([
      [
        'ocpp',
        ({ headers }, socket) => {
          taken.push(headers.origin ?? 'none');
          socket.end('HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n');
        },
      ],
    ]),
    publicUrl: 'https://connect.example',
    exposure: createExposure(false, silentLog),
  });

  async function knock(headers: Readonly<Record<string, string>>) {
    const { port } = server.address() as AddressInfo;
    const asked = request({
      ...{ host: '127.0.0.1', port, path: '/ocpp/CP-1' },
      headers: { connection: 'upgrade', upgrade: 'websocket', ...headers },
    }).end();
    asked.on('error', () => {});
    const [response] = (await Promise.race([once(asked, 'upgrade'), once(asked, 'response')])) as [
      IncomingMessage,
    ];
    response.resume();
    asked.destroy();
    return [response.statusCode, response.headers['elnav-error']];
  }

  it('a page of another site opens no WebSocket, whatever it is for', async () => {
    const pages: readonly Readonly<Record<string, string>>[] = [
      { origin: 'https://evil.example' },
      { origin: 'http://connect.example.evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'websocket' },
      { 'sec-fetch-site': 'same-site', origin: 'https://other.connect.example' },
    ];
    for (const headers of pages)
      assert.deepEqual(await knock(headers), [403, 'origin.foreign'], JSON.stringify(headers));
    assert.deepEqual(taken, []);
  });

  it('a station connects with what the libraries of stations write as their origin', async () => {
    const stations: readonly Readonly<Record<string, string>>[] = [
      {},
      { origin: 'file://' },
      { origin: 'connect.example' },
      { origin: 'http://connect.example:8080' },
      { origin: 'https://inside.example', host: 'inside.example:8080' },
    ];
    for (const headers of stations)
      assert.deepEqual(await knock(headers), [101, undefined], JSON.stringify(headers));
    assert.equal(taken.length, stations.length);
  });
});
