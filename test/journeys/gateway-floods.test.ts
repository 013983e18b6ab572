import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, it } from 'node:test';
import { shelly } from '../../src/vendors/shelly/index.ts';
import { type HomeGateway, homeGateway } from '../kit/home-gateway.ts';
import { until } from '../kit/until.ts';
import { type Caller, makeWorld, type World } from '../kit/world.ts';

/** How a flood has to end: with the close code of a broken protocol, of a message too large, or with a status. */
const ENDS: Readonly<Record<string, number>> = {
  pings: 1002,
  'pings of the WebSocket': 1002,
  text: 1002,
  'messages that are too large': 1009,
  'data of streams that are not there': 1002,
  'answers without end, in small pieces': 1002,
  'confirmations without end': 1002,
  connections: 429,
};

describe('a gateway that floods Connect', () => {
  let world: World;
  let honest: Caller;
  let wild: Caller;
  let home: HomeGateway;
  const plug = createServer((_request, response) =>
    response.end(JSON.stringify({ id: 'shellyplus1-a8032ab12345', gen: 2, name: 'Plug', auth_en: false })),
  );
  before(async () => {
    await once(plug.listen(0, '127.0.0.1'), 'listening');
    world = await makeWorld({
      engine: 'sqlite',
      adapters: [shelly],
      env: { ELNAV_LOCAL_NETWORKS: 'off' },
    });
    [honest, wild] = await Promise.all([world.newAccount(), world.newAccount()]);
    const places = new Map([['10.9.0.5:80', (plug.address() as AddressInfo).port]]);
    home = await homeGateway(honest, { url: world.connect, places });
  });
  after(async () => {
    await home.close();
    await world.close();
    plug.close();
  });

  /** A stream through the gateway of another account, to its end. */
  const othersGoOn = async () => {
    const found = await honest.call('POST', `/gateways/${home.id}/discover`);
    assert.equal(found.status, 200, JSON.stringify(found.body));
    assert.deepEqual(
      (found.body as { devices: { host: string }[] }).devices.map(({ host }) => host),
      ['10.9.0.5'],
    );
  };

  for (const [flood, end] of Object.entries(ENDS))
    it(`a gateway that floods Connect is ended with ${end} for ${flood}, and other gateways go on`, async () => {
      const { id, pairing_code: code } = (await wild.call('POST', '/gateways', { name: 'Wild' })).body as {
        id: string;
        pairing_code: string;
      };
      const program = join(import.meta.dirname, '../kit/flooding-gateway.ts');
      const key = randomBytes(32).toString('base64url');
      const child = spawn(process.execPath, [program, world.connect, key, code, flood], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let [isConnected, ended] = [false, ''];
      createInterface(child.stdout).on('line', (line) => {
        isConnected ||= line === 'connected';
        if (line.startsWith('ended')) ended = line;
      });
      await until('the gateway is connected', () => isConnected);
      // Connect opens a stream to it, of which it makes what it wants.
      const asked = wild.call('POST', `/gateways/${id}/discover`);
      await othersGoOn();
      await until('the flood has ended', () => ended !== '');
      assert.equal(ended, `ended ${end}`);
      const { status } = await asked;
      assert.ok(status >= 400 && status < 600 && status !== 500, String(status));
      await othersGoOn();
    });
});
