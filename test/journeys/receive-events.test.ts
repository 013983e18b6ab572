import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { makePlace, type Place } from '../kit/databases.ts';
import {
  type Call,
  callWith,
  envOf,
  openAccount,
  type Service,
  startService,
  stopService,
  until,
} from '../kit/service.ts';

const EXAMPLE = join(import.meta.dirname, '../../docs/examples/receive-events.mjs');

/** A port of this machine that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** It verifies with the library that the authors of Standard Webhooks publish. */
describe('the receiver in the guide to events', () => {
  let place: Place;
  let service: Service;
  let call: Call;
  let port: number;
  const children: ChildProcess[] = [];
  before(async () => {
    place = await makePlace('sqlite');
    service = await startService({ env: envOf(place) });
    call = callWith((await openAccount(service.grid)).key);
    port = await freePort();
  });
  after(async () => {
    for (const child of children) child.kill('SIGKILL');
    await stopService(service);
    await place.remove();
  });

  const receive = async (secret: string) => {
    const child = spawn(process.execPath, [EXAMPLE], {
      env: { PATH: process.env.PATH, SECRET: secret, PORT: String(port) },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    let printed = '';
    child.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
    });
    const prints = (what: RegExp) =>
      until(`it prints ${what}`, () => (what.test(printed) ? printed : undefined), 60_000);
    await prints(/^listening at /);
    return { prints, printed: () => printed, stop: () => child.kill('SIGKILL') };
  };
  const link = (user: string) =>
    call(service.connect, {
      path: '/link',
      body: { vendor: 'sandbox', user_ref: user, credentials: { device_types: ['light'] } },
    });
  const of = (user: string) => new RegExp(`^device\\.linked .*"user_ref":"${user}"`, 'm');

  it('the receiver in the guide to events gets what happens, after a rotation and after it was away too, and refuses what is forged', async () => {
    const url = `http://127.0.0.1:${port}/`;
    const made = await call(service.connect, {
      path: '/subscriptions',
      body: { url, types: ['device.linked'] },
    });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    const { id, secret } = made.body as { id: string; secret: string };
    const first = await receive(secret);
    assert.equal((await link('vera')).status, 200);
    await first.prints(of('vera'));

    const forged = await fetch(url, {
      method: 'POST',
      headers: {
        'webhook-id': 'msg_1',
        'webhook-timestamp': String(Math.floor(Date.now() / 1_000)),
        'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')}`,
      },
      body: JSON.stringify({ events: [{ id: 'evt_1', type: 'forged', subject: {} }] }),
    });
    assert.equal(forged.status, 401);

    const rotated = await call(service.connect, { method: 'POST', path: `/subscriptions/${id}/rotate` });
    assert.equal(rotated.status, 200, JSON.stringify(rotated.body));
    const { secret: newSecret } = rotated.body as { secret: string };
    assert.notEqual(newSecret, secret);
    await link('with-the-old-secret');
    await first.prints(of('with-the-old-secret'));
    assert.doesNotMatch(first.printed(), /forged/);
    first.stop();

    await link('while-away');
    const second = await receive(newSecret);
    await second.prints(of('while-away'));
  });
});
