import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { WebSocket } from 'ws';
import { encode } from '../../src/gateway/wire/frame.ts';
import { PAIRING_CODE, PATH, SUBPROTOCOL } from '../../src/gateway/wire/protocol.ts';
import { unknownKey } from '../kit/accounts.ts';
import { gatewayOf } from '../kit/gateways.ts';
import { until } from '../kit/until.ts';
import { type Caller, makeWorld, type World } from '../kit/world.ts';

interface Knock {
  readonly key: string;
  readonly code?: string;
  readonly protocol?: string;
  /** Of the page that opens it. */
  readonly origin?: string;
}

const newKey = () => randomBytes(32).toString('base64url');

describe('the door for gateways', () => {
  let world: World;
  let caller: Caller;
  before(async () => {
    world = await makeWorld({ engine: 'sqlite', env: { ELNAV_TRUST_PROXY: '127.0.0.1' } });
    caller = await world.newAccount();
  });
  after(() => world.close());

  const knock = ({ key, code, protocol = SUBPROTOCOL, origin }: Knock, from = '192.0.2.10') =>
    new WebSocket(`${world.connect.replace('http', 'ws')}/${PATH}`, protocol, {
      ...(origin === undefined ? {} : { origin }),
      headers: {
        authorization: `Bearer ${key}`,
        'x-forwarded-for': from,
        ...(code === undefined ? {} : { [PAIRING_CODE]: code }),
      },
    });
  const refusal = async (socket: WebSocket): Promise<readonly [number | undefined, unknown]> => {
    const [, response] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
    socket.on('error', () => {});
    socket.terminate();
    return [response.statusCode, response.headers['elnav-error']];
  };
  const newGateway = async () =>
    (await caller.call('POST', '/gateways', { name: 'Home' })).body as { id: string; pairing_code: string };

  /** An address that has shown ten API keys which are nobody's. */
  const banned = async (from: string) => {
    for (let guess = 0; guess < 10; guess += 1)
      await caller.call('GET', '/devices', undefined, {
        'x-api-key': unknownKey(),
        'x-forwarded-for': from,
      });
    assert.equal(await statusOf(from), 403);
  };
  const statusOf = async (from: string): Promise<number> =>
    (await fetch(`${world.connect}/vendors`, { headers: { 'x-forwarded-for': from } })).status;

  it('the door for gateways refuses what a page in a browser opens, and bans nobody for it', async () => {
    const from = '192.0.2.70';
    const { pairing_code: code } = await newGateway();
    for (const origin of ['https://evil.example', world.connect, 'null', 'file://'])
      for (let knocks = 0; knocks < 4; knocks += 1)
        assert.deepEqual(await refusal(knock({ key: newKey(), code: `${code}x`, origin }, from)), [
          403,
          'origin.foreign',
        ]);
    assert.equal(await statusOf(from), 200);
  });

  it('a gateway that was removed bans nobody at its address, and another one is paired there', async () => {
    const from = '192.0.2.71';
    const { id, pairing_code: code } = await newGateway();
    const key = newKey();
    const paired = knock({ key, code }, from);
    await once(paired, 'open');
    assert.equal((await caller.call('DELETE', `/gateways/${id}`)).status, 204);
    // As one that is started again and again with the code in its settings.
    for (let knocks = 0; knocks < 30; knocks += 1)
      assert.deepEqual(await refusal(knock({ key, code }, from)), [401, 'gateway.key_invalid']);
    assert.equal(await statusOf(from), 200);
    const next = await newGateway();
    const other = knock({ key: newKey(), code: next.pairing_code }, from);
    await once(other, 'open');
    other.terminate();
  });

  it('the door for gateways takes ten wrong pairing codes of an address, and none more until later', async () => {
    const from = '192.0.2.77';
    const { id, pairing_code: code } = await newGateway();
    const key = newKey();
    const paired = knock({ key, code }, from);
    await once(paired, 'open');
    paired.terminate();
    for (let guess = 0; guess < 10; guess += 1)
      assert.deepEqual(await refusal(knock({ key: newKey(), code: `GUESS-${guess}` }, from)), [
        401,
        'gateway.key_invalid',
      ]);
    const other = await newGateway();
    const refused = await refusal(knock({ key: newKey(), code: other.pairing_code }, from));
    assert.deepEqual(refused, [429, 'limit.exceeded']);
    assert.equal(await statusOf(from), 200);
    const again = knock({ key }, from);
    await once(again, 'open');
    await until('it is connected', async () => (await gatewayOf(caller, id)).connected);
    again.terminate();
  });

  it('the door for gateways looks up sixty unknown keys of an address in a minute, and every key that was right', async () => {
    const from = '192.0.2.78';
    const { pairing_code: code } = await newGateway();
    const key = newKey();
    const paired = knock({ key, code }, from);
    await once(paired, 'open');
    paired.terminate();
    for (let knocks = 0; knocks < 60; knocks += 1)
      assert.equal((await refusal(knock({ key: newKey() }, from)))[0], 401);
    assert.deepEqual(await refusal(knock({ key: newKey() }, from)), [429, 'limit.exceeded']);
    const again = knock({ key }, from);
    await once(again, 'open');
    again.terminate();
  });

  it('a banned address pairs a gateway with a right code, and its gateways connect', async () => {
    const from = '192.0.2.79';
    await banned(from);
    const { pairing_code: code } = await newGateway();
    const key = newKey();
    const paired = knock({ key, code }, from);
    await once(paired, 'open');
    paired.terminate();
    const again = knock({ key }, from);
    await once(again, 'open');
    again.terminate();
  });

  it('the door for gateways ends a gateway that opens streams itself, and the others go on', async () => {
    const [honest, wild] = [await newGateway(), await newGateway()];
    const sockets = [honest, wild].map(({ pairing_code: code }) => knock({ key: newKey(), code }));
    await Promise.all(sockets.map((socket) => once(socket, 'open')));
    const [first, second] = sockets;
    assert.ok(first !== undefined && second !== undefined);
    const closed = once(second, 'close');
    for (let stream = 1; stream < 200; stream += 1)
      second.send(encode('open', stream, Buffer.from('169.254.169.254:80')));
    assert.equal((await closed)[0], 1002);
    assert.equal(first.readyState, WebSocket.OPEN);
    assert.equal((await gatewayOf(caller, honest.id)).connected, true);
    first.terminate();
  });

  it('the door for gateways keeps the newest connection of a gateway, and refuses another version of the protocol', async () => {
    const { pairing_code: code } = await newGateway();
    const key = newKey();
    const old = knock({ key, code });
    await once(old, 'open');
    const closed = once(old, 'close');
    const fresh = knock({ key });
    await once(fresh, 'open');
    await closed;
    assert.equal(fresh.readyState, WebSocket.OPEN);
    fresh.terminate();
    assert.deepEqual(await refusal(knock({ key, protocol: 'elnav-gateway.99' })), [400, 'request.invalid']);
  });
});
