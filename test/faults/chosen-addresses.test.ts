import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import Type from 'typebox';
import { type Adapter, kind } from '../../src/adapter/adapter.ts';
import { vendorFailure } from '../../src/adapter/vendor-failure.ts';
import { makeWorld } from '../kit/world.ts';

/** A box of which each user has one, at an address that they enter. */
const box = {
  slug: 'box',
  name: 'Box',
  credentials: Type.Object({ address: Type.String({ maxLength: 200 }) }, { additionalProperties: false }),
  hosts: { api: 'https://unused.example' },
  chosenAddress: ({ address }) => String(address),
  pushes: false,
  pollSeconds: 0,
  async link(session) {
    await session.http.send({ path: '/', use: 'list' }).catch((error: unknown) => {
      throw vendorFailure('Box', error);
    });
    return { vendorAccount: 'box', devices: [{ id: 'box-1', type: 'light' }] };
  },
  kinds: {
    light: kind<null>({ read: async () => null, status: () => ({ online: true }), reads: {}, controls: {} }),
  },
} satisfies Adapter;

describe('an address that an account enters', () => {
  let asked = 0;
  let server: Server;
  let port: number;
  before(async () => {
    server = createServer((_request, response) => {
      asked += 1;
      response.end('{}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
  });
  after(() => server.close());

  it('cannot be in a private network', async () => {
    const world = await makeWorld({ engine: 'sqlite', adapters: [box] });
    const caller = await world.newAccount();
    const private_ = [
      `http://127.0.0.1:${port}`,
      `https://127.0.0.1:${port}`,
      'https://127.1',
      'https://0x7f.1',
      'https://2130706433',
      'https://[::1]',
      'https://[::ffff:127.0.0.1]',
      'https://[64:ff9b::7f00:1]',
      'https://169.254.169.254',
      'https://10.0.0.1',
      'https://192.168.1.1',
      'https://100.64.0.1',
      'https://[fd00::1]',
      'https://[fe80::1]',
      'https://localhost',
      'https://user:pw@10.0.0.1',
    ];
    for (const address of private_) {
      const answer = await caller.call('POST', '/link', {
        vendor: 'box',
        user_ref: 'u',
        credentials: { address },
      });
      assert.equal(answer.status, 502, `${address}: ${JSON.stringify(answer.body)}`);
    }
    assert.equal(asked, 0, 'nothing was called');
    await world.close();
  });

  it('can be in one once the operator allows it', async () => {
    const env = { ELNAV_ALLOW_PRIVATE_ADDRESSES: 'on' };
    const world = await makeWorld({ engine: 'sqlite', adapters: [box], env });
    const caller = await world.newAccount();
    const credentials = { address: `http://127.0.0.1:${port}` };
    const answer = await caller.call('POST', '/link', { vendor: 'box', user_ref: 'u', credentials });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    assert.equal(asked, 1);
    await world.close();
  });
});
