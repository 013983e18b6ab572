import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import fastify from 'fastify';
import { clientAddressOf } from './client-address.ts';

const LISTS: readonly (readonly string[])[] = [
  [],
  ['10.0.0.0/8', '::1'],
  ['127.0.0.1'],
  ['2001:db8::/32', '192.0.2.7'],
];
const SOCKETS = ['127.0.0.1', '10.1.2.3', '203.0.113.9', '::1', '2001:db8::5', '::ffff:10.1.2.3'];
const FORWARDED = [
  undefined,
  '203.0.113.66',
  '198.51.100.1, 10.9.9.9',
  '198.51.100.1,203.0.113.66 , 10.0.0.1',
  '10.0.0.1, 10.0.0.2',
  'unknown, 10.0.0.1',
  '2001:db8::77',
  ' , ',
];

test('the client address equals that of the HTTP server, whatever is trusted and forwarded', async () => {
  let compared = 0;
  for (const list of LISTS) {
    const addressOf = clientAddressOf(list);
    const app = fastify({ trustProxy: list.length === 0 ? false : [...list] });
    app.get('/', (request) => ({ theirs: request.ip, ours: addressOf(request.raw as IncomingMessage) }));
    for (const remoteAddress of SOCKETS) {
      for (const forwarded of FORWARDED) {
        const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
        const { theirs, ours } = (await app.inject({ url: '/', remoteAddress, headers })).json();
        assert.equal(ours, theirs, `${remoteAddress}, ${forwarded}, trusting ${list}`);
        compared += 1;
      }
    }
    await app.close();
  }
  assert.equal(compared, LISTS.length * SOCKETS.length * FORWARDED.length);
});
