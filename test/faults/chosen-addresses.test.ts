import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import Type from 'typebox';
import { type Adapter, kind } from '../../src/adapter/adapter.ts';
import { vendorFailure } from '../../src/adapter/failures.ts';
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

  const linkTo = async (address: string, env: Record<string, string>) => {
    const world = await makeWorld({ engine: 'sqlite', adapters: [box], env });
    const caller = await world.newAccount();
    const answer = await caller.call('POST', '/link', {
      vendor: 'box',
      user_ref: 'u',
      credentials: { address },
    });
    await world.close();
    return answer;
  };

  it('an address that an account enters cannot be in a network that the operator does not permit, however it is written', async () => {
    const world = await makeWorld({
      engine: 'sqlite',
      adapters: [box],
      env: { ELNAV_LOCAL_NETWORKS: '192.168.7.0/24' },
    });
    const caller = await world.newAccount();
    const elsewhere = [
      `http://127.0.0.1:${port}`,
      `https://127.0.0.1:${port}`,
      'https://127.1',
      'https://0x7f.1',
      'https://2130706433',
      'https://[::1]',
      'https://[::ffff:127.0.0.1]',
      'https://[::ffff:192.168.7.1]',
      'https://[64:ff9b::7f00:1]',
      'https://169.254.169.254',
      'https://10.0.0.1',
      'https://192.168.1.1',
      'https://100.64.0.1',
      'https://[fd00::1]',
      'https://[fe80::1]',
      'https://localhost',
      `http://localhost:${port}`,
      'https://user:pw@10.0.0.1',
      'http://93.184.215.14',
      'https://93.184.215.14:9200',
    ];
    for (const address of elsewhere) {
      const answer = await caller.call('POST', '/link', {
        vendor: 'box',
        user_ref: 'u',
        credentials: { address },
      });
      assert.deepEqual(
        [answer.status, Object.keys(answer.body as object)],
        [403, ['error']],
        `${address}: ${JSON.stringify(answer.body)}`,
      );
    }
    assert.equal(asked, 0, 'nothing was called');
    await world.close();
  });

  it('an address that an account enters is refused with what would have to be set, and with the other way', async () => {
    const refused = await linkTo('http://192.168.1.20', { ELNAV_LOCAL_NETWORKS: 'off' });
    assert.deepEqual(refused.body, {
      error:
        '192.168.1.20 is in a private network that is not called from here: ELNAV_LOCAL_NETWORKS is off; set it to 192.168.1.0/24, or link the device through a gateway in its network (POST /gateways)',
    });
  });

  it('an address that an account enters can be in a network that the operator permits, or that is the own one of a developer', async () => {
    const address = `http://127.0.0.1:${port}`;
    const answers = [
      await linkTo(address, { ELNAV_LOCAL_NETWORKS: '127.0.0.0/8' }),
      await linkTo(address, {}),
      await linkTo(`http://localhost:${port}`, { ELNAV_LOCAL_NETWORKS: '127.0.0.0/8,::1/128' }),
    ];
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200],
    );
    assert.equal(asked, 3);
    const behindProxy = await linkTo(address, { ELNAV_TRUST_PROXY: '127.0.0.1' });
    assert.equal(behindProxy.status, 403);
  });
});
