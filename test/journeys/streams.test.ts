import assert from 'node:assert/strict';
import { it } from 'node:test';
import { easee } from '../../src/vendors/easee/index.ts';
import { onEachEngine } from '../kit/databases.ts';
import { until } from '../kit/until.ts';
import { makeWorld } from '../kit/world.ts';

onEachEngine('a link whose vendor has a stream', (engine) => {
  it('a link whose vendor has a stream receives changes over a WebSocket, and closes it when the server stops', async () => {
    const world = await makeWorld({ engine, adapters: [easee], env: { ELNAV_SIMULATE: 'easee' } });
    try {
      const caller = await world.newAccount();
      const { createSimulator } = await easee.simulator();
      const { user } = createSimulator({
        clock: { now: Date.now, after: () => () => {} },
        random: (bytes) => Buffer.alloc(bytes),
        baseUrl: () => 'http://127.0.0.1:1',
      });
      const { status, body } = await caller.call('POST', '/link', {
        vendor: 'easee',
        user_ref: 'u',
        credentials: user.credentials,
      });
      assert.equal(status, 200, JSON.stringify(body));
      const metric = async () =>
        /elnav_streams_open\{vendor="easee"\} (\d+)/.exec(
          await (await fetch(`${world.connect}/metrics`)).text(),
        )?.[1];
      await until('the stream is open', async () => (await metric()) === '1');
      const { devices } = body as { devices: { id: string }[] };
      const states = async () => (await caller.call('GET', '/devices')).body as { state?: object }[];
      await until(
        'every charger has reported its state',
        async () => (await states()).filter(({ state }) => state !== undefined).length === devices.length,
      );
    } finally {
      await world.close();
    }
  });
});
