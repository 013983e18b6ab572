import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import WebSocket from 'ws';
import { type ServedVendor, serveVendor } from '../../../test/kit/served-vendor.ts';
import { turnedClock } from '../../core/clock.ts';
import type { JsonObject } from '../../core/json.ts';
import { shelly } from './index.ts';
import type { ShellySimulator } from './simulator.ts';

/*
 * What clients of others ask of a Shelly, at the simulator on a port: it must be one as they know it, not as we read it. Requests, and what is
 * read of the responses, are as in the examples of Shelly's documents (curl) and in aioshelly (Apache-2.0).
 */

let served: ServedVendor;
let box: ShellySimulator;

before(async () => {
  served = await serveVendor(shelly, turnedClock());
  box = served.vendor as ShellySimulator;
  box.device.password = null;
});
after(() => served.close());

describe('curl', () => {
  it('asks which device it is, and switches a relay, by addresses alone', async () => {
    const ask = async (path: string) => (await (await fetch(`${served.url}${path}`)).json()) as JsonObject;
    const { gen, auth_en, id } = await ask('/shelly');
    assert.deepEqual([gen, auth_en, id], [2, false, box.device.id]);
    assert.deepEqual(await ask('/rpc/Switch.Set?id=0&on=true'), { was_on: false });
    const { output, aenergy } = await ask('/rpc/Switch.GetStatus?id=0');
    assert.equal(output, true);
    assert.deepEqual(Object.keys(aenergy as JsonObject), ['total', 'by_minute', 'minute_ts']);
    assert.equal((await ask('/rpc/Switch.Set?id=9&on=true')).code, -105);
  });

  it('is asked for a digest where a password is set', async () => {
    box.device.password = 'simulated-password';
    const response = await fetch(`${served.url}/rpc`, { method: 'POST', body: '{}' });
    box.device.password = null;
    assert.equal(response.status, 401);
    const challenge = response.headers.get('www-authenticate') ?? '';
    assert.match(
      challenge,
      /^Digest qop="auth", realm="shellyplus2pm-[0-9a-f]{12}", nonce="[^"]+", algorithm=SHA-256$/,
    );
  });
});

describe('aioshelly', () => {
  it('calls over a WebSocket, and is told what changes from then on', async () => {
    const socket = new WebSocket(`${served.url.replace('http', 'ws')}/rpc`);
    const frames: JsonObject[] = [];
    let arrived = () => {};
    socket.on('message', (data) => {
      frames.push(JSON.parse(String(data)) as JsonObject);
      arrived();
    });
    const next = async () => {
      if (frames.length === 0)
        await new Promise<void>((resolve) => {
          arrived = resolve;
        });
      return frames.shift();
    };
    await new Promise((resolve) => socket.once('open', resolve));
    socket.send(JSON.stringify({ id: 1, method: 'Shelly.GetDeviceInfo', src: 'aios-1' }));
    const answer = await next();
    assert.deepEqual([answer?.id, answer?.src, answer?.dst], [1, box.device.id, 'aios-1']);
    box.press(1);
    const told = await next();
    assert.equal(told?.method, 'NotifyStatus');
    const { ts, 'switch:1': changed } = (told?.params ?? {}) as JsonObject;
    assert.equal(typeof ts, 'number');
    assert.equal((changed as JsonObject).output, true);
    socket.close();
  });
});
