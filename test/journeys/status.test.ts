import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Caller, callJson, makeWorld, type World } from '../kit/world.ts';

describe('the status of both services', () => {
  let world: World;
  let caller: Caller;
  before(async () => {
    world = await makeWorld({
      engine: 'sqlite',
      env: { ELNAV_SIMULATE: 'easee', ELNAV_TESLA_CLIENT_ID: 'id', ELNAV_TESLA_CLIENT_SECRET: 'secret' },
    });
    caller = await world.newAccount();
    await caller.call('POST', '/link', { vendor: 'sandbox', user_ref: 'anna', credentials: {} });
  });
  after(() => world?.close());

  const status = async () =>
    (await callJson(`${world.grid}/status`, {})).body as {
      readonly services: object;
      readonly vendors: readonly { readonly vendor: string; readonly state: string }[];
    };

  it('the status of both services tells of the clouds that can be linked, not of simulators, stations or devices at home', async () => {
    const { services, vendors } = await status();
    assert.deepEqual(services, { grid: 'ok', connect: 'ok' });
    const told = vendors.map(({ vendor }) => vendor);
    for (const cloud of ['tesla', 'zaptec', 'chargeamps']) assert.ok(told.includes(cloud), cloud);
    for (const other of ['easee', 'sandbox', 'ocpp', 'modbus', 'mqtt', 'shelly', 'hue_bridge'])
      assert.ok(!told.includes(other), other);
    assert.ok(
      vendors.every(({ state }) => state === 'unknown'),
      'nobody has linked any of them',
    );
  });

  it('the status of both services names no account, user, device, link or address', async () => {
    const text = JSON.stringify(await status());
    for (const secret of ['anna', caller.keyId, '127.0.0.1', 'sandbox', world.place.dataDir])
      assert.ok(!text.includes(secret), secret);
  });

  it('the status of both services is linked from the pages of both services', async () => {
    const headers = { accept: 'text/html', 'accept-language': 'en' };
    assert.match(await (await fetch(world.grid, { headers })).text(), /<a href="\/status">Status<\/a>/);
    const start = await (await fetch(world.connect, { headers })).text();
    assert.ok(start.includes(`<a href="${world.grid}/status">Status</a>`));
  });

  it('the status of both services has its metrics: checks of both services, links by state', async () => {
    const text = await (await fetch(`${world.connect}/metrics`)).text();
    for (const line of [
      'elnav_check_ok{service="connect",check="database"} 1',
      'elnav_check_ok{service="grid",check="mail"} 1',
      'elnav_check_ok{service="grid",check="prices"} 0',
      'elnav_links{vendor="sandbox",state="active"} 1',
    ])
      assert.ok(text.includes(`\n${line}\n`), `${line}\n${text.match(/^elnav_(?:check|links).*$/gm)}`);
  });
});
