import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { WebSocket } from 'ws';
import { encode } from '../../src/gateway/wire/frame.ts';
import { PAIRING_CODE, PATH, SUBPROTOCOL } from '../../src/gateway/wire/protocol.ts';
import { gatewayOf } from '../kit/gateways.ts';
import { until } from '../kit/until.ts';
import { type Caller, makeWorld, type World } from '../kit/world.ts';

const newKey = () => randomBytes(32).toString('base64url');

describe('the door for gateways', () => {
  let world: World;
  let caller: Caller;
  before(async () => {
    world = await makeWorld({ engine: 'sqlite', env: { ELNAV_TRUST_PROXY: '127.0.0.1' } });
    caller = await world.newAccount();
  });
  after(() => world.close());

  const knock = (
    { key, code, protocol = SUBPROTOCOL }: { key: string; code?: string; protocol?: string },
    from = '192.0.2.10',
  ) =>
    new WebSocket(`${world.connect.replace('http', 'ws')}/${PATH}`, protocol, {
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

  it('the door for gateways bans an address that guesses, and still lets in whoever has a right key there', async () => {
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
    const banned = await refusal(knock({ key: newKey(), code: other.pairing_code }, from));
    assert.deepEqual(banned, [403, 'client.banned']);
    const again = knock({ key }, from);
    await once(again, 'open');
    await until('it is connected', async () => (await gatewayOf(caller, id)).connected);
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
