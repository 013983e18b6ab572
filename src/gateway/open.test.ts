import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { it } from 'node:test';
import { openConnection } from './open.ts';

it('a gateway connects to an address that is permitted, and to no other', async (test) => {
  let arrived = 0;
  const server = createServer((socket) => {
    arrived += 1;
    socket.end('here');
  }).listen(0, '127.0.0.1');
  test.after(() => server.close());
  await once(server, 'listening');
  const to = { host: '127.0.0.1', port: (server.address() as AddressInfo).port };
  const judged: string[] = [];
  const open = (isPermitted: boolean) =>
    openConnection(to, {
      isPermitted(address) {
        judged.push(address);
        return isPermitted;
      },
      signal: new AbortController().signal,
    });
  await assert.rejects(open(false), { code: 'ENOTPERMITTED' });
  assert.equal(arrived, 0);
  const socket = await open(true);
  const [chunk] = (await once(socket, 'data')) as [Buffer];
  assert.equal(chunk.toString(), 'here');
  assert.deepEqual(judged, ['127.0.0.1', '127.0.0.1']);
  socket.destroy();
});
