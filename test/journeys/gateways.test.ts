import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Adapter } from '../../src/adapter/adapter.ts';
import { systemClock } from '../../src/core/clock.ts';
import { systemRandom } from '../../src/core/ids.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { type ServedLocal, serveLocal } from '../../src/proof/simulation/serve-local.ts';
import { modbus } from '../../src/vendors/modbus/index.ts';
import { makePlace } from '../kit/databases.ts';
import { gatewayOf, pairedGateway, startGatewayProcess } from '../kit/gateways.ts';
import { createMeter, meters, type SimulatedMeter } from '../kit/meters.ts';
import { callWith } from '../kit/service.ts';
import { until } from '../kit/until.ts';
import { type Caller, makeWorld, type World } from '../kit/world.ts';

interface Read {
  readonly state: { readonly online: boolean; readonly power_w?: number };
}

/** False as well where the read failed: the connection may be lost only now. */
const isOnline = (read: Partial<Read>): boolean => read.state?.online === true;

describe('a device behind a gateway', () => {
  let world: World;
  let caller: Caller;
  let served: ServedLocal;
  let meter: SimulatedMeter;

  before(async () => {
    served = await serveLocal({
      module: {
        createLocalSimulator(options) {
          meter = createMeter(options);
          return meter;
        },
      },
      clock: systemClock,
      random: systemRandom,
    });
    world = await makeWorld({
      engine: 'sqlite',
      adapters: [{ ...meters(), pollSeconds: 0 }],
      env: { ELNAV_LOCAL_NETWORKS: 'off' },
    });
    caller = await world.newAccount();
  });
  after(async () => {
    await world.close();
    await served.close();
  });

  const link = (of: Caller, gateway: string | undefined) =>
    of.call('POST', '/link', {
      vendor: 'meters',
      user_ref: 'anna',
      credentials: { ...served.address, ...(gateway === undefined ? {} : { gateway }) },
    });
  const linkStatus = async () =>
    ((await caller.call('GET', '/links')).body as { status: string }[])[0]?.status;
  const read = async () => (await caller.call('GET', '/devices/lamp-1')).body as Read;

  it('a device behind a gateway is linked, read and commanded through it alone, and comes back with it', async () => {
    // Nothing here may connect to this machine.
    assert.equal((await link(caller, undefined)).status, 403);
    const gateway = await pairedGateway(caller, world.connect);
    const linked = await link(caller, gateway.id);
    assert.equal(linked.status, 200, JSON.stringify(linked.body));
    assert.equal((await read()).state.online, true);
    const sent = await caller.call('POST', '/devices/lamp-1/command', { type: 'turn_on' });
    assert.equal(sent.status, 200, JSON.stringify(sent.body));
    assert.equal(meter.isOn(), true);
    assert.equal((await read()).state.power_w, 9);

    gateway.kill('SIGKILL');
    await gateway.exited;
    // As listed: nobody has asked for them.
    await until('its devices are offline', async () => {
      const [device] = (await caller.call('GET', '/devices')).body as Read[];
      return device?.state.online === false;
    });
    assert.equal((await read()).state.online, false);
    await until('its links are unreachable', async () => (await linkStatus()) === 'unreachable');
    const seen = await gatewayOf(caller, gateway.id);
    assert.ok(seen.last_heard_at !== null);
    const refused = await caller.call('POST', '/devices/lamp-1/command', { type: 'turn_off' });
    assert.equal(refused.status, 502);
    assert.equal(refused.headers.get('elnav-error'), 'vendor.unreachable');
    assert.match(JSON.stringify(refused.body), /the gateway Home is not connected; it was last heard at 20/);
    assert.equal(meter.isOn(), true);

    // Without a code: its key is its own.
    const again = startGatewayProcess({ url: world.connect, dataDir: gateway.dataDir });
    await until(
      'the gateway is connected again',
      async () => (await gatewayOf(caller, gateway.id)).connected,
    );
    await until('its devices are online', async () => isOnline(await read()));
    await until('its links work', async () => (await linkStatus()) === 'active');
    again.kill('SIGTERM');
    assert.equal(await again.exited, 0, again.output());
  });

  it('a device behind a gateway is linked on a page that does not ask for the gateway, which the app has named', async () => {
    const gateway = await pairedGateway(caller, world.connect);
    const session = { vendor: 'meters', user_ref: 'bo', gateway: gateway.id };
    const stranger = await world.newAccount();
    assert.equal((await stranger.call('POST', '/link/sessions', session)).status, 404);
    const begun = await caller.call('POST', '/link/sessions', session);
    assert.equal(begun.status, 200, JSON.stringify(begun.body));
    const { session: id, url } = begun.body as { session: string; url: string };
    const headers = { accept: 'text/html' };
    const page = await (await fetch(url, { headers })).text();
    const action = /<form class="stack" method="post" action="([^"]+)"/.exec(page)?.[1] ?? assert.fail(page);
    assert.match(page, /name="host"/);
    assert.doesNotMatch(page, /name="gateway"/);
    assert.match(page, /wants to read and control your devices from/);
    const form = new URLSearchParams(
      Object.entries(served.address).map(([name, value]) => [name, String(value)] as [string, string]),
    );
    const posted = await fetch(new URL(action, world.connect), {
      ...{ method: 'POST', headers: { ...headers, origin: world.connect }, redirect: 'manual', body: form },
    });
    assert.equal(posted.status, 303, await posted.clone().text());
    const ended = (await caller.call('GET', `/link/sessions/${id}`)).body as { status: string };
    assert.equal(ended.status, 'linked');
    assert.equal((await read()).state.online, true);
    gateway.kill('SIGTERM');
    await gateway.exited;
  });

  it('a device behind a gateway is not told of to another account, and its code is good once', async () => {
    const made = (await caller.call('POST', '/gateways', { name: 'Once' })).body as {
      id: string;
      pairing_code: string;
    };
    const stranger = await world.newAccount();
    const foreign = await link(stranger, made.id);
    const unknown = await link(stranger, 'no-such-gateway');
    assert.equal(foreign.status, 404);
    assert.equal(
      JSON.stringify(foreign.body).replaceAll(made.id, 'ID'),
      JSON.stringify(unknown.body).replaceAll('no-such-gateway', 'ID'),
    );
    const first = startGatewayProcess({ url: world.connect, code: made.pairing_code.toLowerCase() });
    await until('it is paired', async () => (await gatewayOf(caller, made.id)).connected);
    assert.equal(statSync(join(first.dataDir, 'gateway.key')).mode & 0o777, 0o600);
    const second = startGatewayProcess({ url: world.connect, code: made.pairing_code });
    assert.equal(await second.exited, 1);
    assert.match(second.output(), /does not let this gateway in: .*pairing code/);
    const removed = await caller.call('DELETE', `/gateways/${made.id}`);
    assert.equal(removed.status, 204);
    await until('its connection ends', () => first.output().includes('the connection has ended'));
    first.kill('SIGTERM');
    await first.exited;
  });

  it('a device behind a gateway is not on the machine of the gateway, whatever an account says', async () => {
    const made = (await caller.call('POST', '/gateways', { name: 'Strict' })).body as {
      id: string;
      pairing_code: string;
    };
    const strict = startGatewayProcess({
      ...{ url: world.connect, code: made.pairing_code, main: 'src/bin/gateway.ts' },
      env: { ELNAV_GATEWAY_NETWORKS: '127.0.0.0/8,192.168.0.0/16' },
    });
    await until('it is connected', async () => (await gatewayOf(caller, made.id)).connected);
    const refused = await link(caller, made.id);
    assert.equal(refused.status, 403, JSON.stringify(refused.body));
    assert.match(
      JSON.stringify(refused.body),
      /the gateway does not permit this address; set ELNAV_GATEWAY_NETWORKS/,
    );
    strict.kill('SIGTERM');
    await strict.exited;
  });

  it('a device behind a gateway leaves the outcome of a command unknown where the gateway is lost in the middle of it', async () => {
    const gateway = await pairedGateway(caller, world.connect);
    assert.equal((await link(caller, gateway.id)).status, 200);
    await served.fault('half_open');
    const met = served.met();
    const sent = caller.call('POST', '/devices/lamp-1/command', { type: 'turn_on' });
    await met;
    gateway.kill('SIGKILL');
    const { headers, status } = await sent;
    assert.deepEqual([status, headers.get('elnav-error')], [502, 'command.outcome_unknown']);
    await served.fault(null);
  });

  it('a device behind a gateway ends a read that is under way where the gateway is lost, and reads again through the next one', async () => {
    const gateway = await pairedGateway(caller, world.connect);
    assert.equal((await link(caller, gateway.id)).status, 200);
    await served.fault('half_open');
    const met = served.met();
    const reading = link(caller, gateway.id);
    await met;
    gateway.kill('SIGKILL');
    const { headers, status } = await reading;
    assert.deepEqual([status, headers.get('elnav-error')], [502, 'vendor.unreachable']);
    await served.fault(null);
    const again = startGatewayProcess({ url: world.connect, dataDir: gateway.dataDir });
    await until('the device is online again', async () => isOnline(await read()));
    again.kill('SIGTERM');
    await again.exited;
  });
});

const skip = process.env.TEST_DATABASE_URL === undefined ? 'TEST_DATABASE_URL is not set' : false;

describe('a gateway that is connected to another instance', { skip }, () => {
  it('a gateway that is connected to another instance is reached from every instance, and its devices are polled by the one that it is connected to', async () => {
    let meter: SimulatedMeter | undefined;
    const served = await serveLocal({
      module: {
        createLocalSimulator(options) {
          meter = createMeter(options);
          return meter;
        },
      },
      clock: systemClock,
      random: systemRandom,
    });
    const place = await makePlace('postgres');
    const pace = { active: 1, idle: 1, asleep: 1 };
    const env = { ELNAV_LOCAL_NETWORKS: 'off' };
    const options = { engine: 'postgres', place, env, adapters: [{ ...meters(), pace }] } as const;
    const near = await makeWorld(options);
    const far = await makeWorld(options);
    const caller = await near.newAccount();
    const gateway = await pairedGateway(caller, near.connect);
    const credentials = { ...served.address, gateway: gateway.id };
    const linked = await caller.call('POST', '/link', { vendor: 'meters', user_ref: 'anna', credentials });
    assert.equal(linked.status, 200, JSON.stringify(linked.body));

    const headers = { 'x-api-key': caller.key, 'content-type': 'application/json' };
    const command = await fetch(`${far.connect}/devices/lamp-1/command`, {
      ...{ method: 'POST', headers },
      body: JSON.stringify({ type: 'turn_on' }),
    });
    assert.equal(command.status, 200, await command.clone().text());
    assert.equal(meter?.isOn(), true);
    const seen = (await (await fetch(`${far.connect}/devices/lamp-1`, { headers })).json()) as Read;
    assert.deepEqual([seen.state.online, seen.state.power_w], [true, 9]);

    // The other instance, for which the device is out of reach, takes no turn of it.
    const polls = async (of: World) =>
      (await (await fetch(`${of.connect}/metrics`)).text())
        .split('\n')
        .filter((line) => line.startsWith('elnav_polls_total{') && line.includes('vendor="meters"'));
    await until('it is polled', async () => (await polls(near)).some((line) => line.includes('"read"')));
    assert.deepEqual(await polls(far), []);
    gateway.kill('SIGTERM');
    await gateway.exited;
    await Promise.all([near.close(), far.close()]);
    await place.remove();
    await served.close();
  });

  it('a gateway that is connected to another instance links, lists again and releases for callers of every instance', async (test) => {
    const module = await modbus.localSimulator();
    const listed: Adapter = { ...modbus, list: async (session) => (await modbus.link(session)).devices };
    const served = await serveLocal({ module, clock: systemClock, random: systemRandom });
    const place = await makePlace('postgres');
    const env = { ELNAV_LOCAL_NETWORKS: 'off' };
    const options = { engine: 'postgres', place, env, adapters: [listed] } as const;
    const near = await makeWorld(options);
    const far = await makeWorld(options);
    const caller = await near.newAccount();
    const gateway = await pairedGateway(caller, near.connect);
    test.after(async () => {
      gateway.kill('SIGKILL');
      await Promise.all([near.close(), far.close()]);
      await place.remove();
      await served.close();
    });
    const atFar = callWith(caller.key);
    const linkWith = (credentials: JsonObject) =>
      atFar(far.connect, { path: '/link', body: { vendor: 'modbus', user_ref: 'anna', credentials } });

    const credentials = { ...served.device.credentials, gateway: gateway.id };
    const stranger = await linkWith({ ...credentials, gateway: 'of-somebody-else' });
    assert.deepEqual([stranger.status, stranger.headers.get('elnav-error')], [404, 'gateway.not_found']);
    const wrong = await linkWith({ ...credentials, preset: 'no such' });
    assert.deepEqual([wrong.status, wrong.headers.get('elnav-error')], [400, 'link.credentials_invalid']);
    const linked = await linkWith(credentials);
    assert.equal(linked.status, 200, JSON.stringify(linked.body));
    const { devices } = linked.body as { devices: { id: string; device_type: string }[] };
    const machine = devices.find(({ device_type }) => device_type === 'industrial')?.id ?? '';

    const [{ id = '' } = {}] = (await atFar(far.connect, { path: '/links' })).body as { id: string }[];
    const refreshed = await atFar(far.connect, { method: 'POST', path: `/links/${id}/refresh` });
    assert.equal(refreshed.status, 200, JSON.stringify(refreshed.body));
    assert.deepEqual((refreshed.body as { devices: unknown }).devices, devices);

    const command = { type: 'set_limit', max_w: 1_000 };
    const sent = await atFar(far.connect, { path: `/devices/${machine}/command`, body: command });
    assert.equal(sent.status, 200, JSON.stringify(sent.body));
    const told = served.device.commands().length;
    const ended = await atFar(far.connect, {
      method: 'DELETE',
      path: `/devices/${machine}/set-points/set_limit`,
    });
    assert.equal(ended.status, 200, JSON.stringify(ended.body));
    assert.equal(served.device.commands().length, told + 1);
    const left = await atFar(far.connect, { path: `/devices/${machine}/set-points` });
    assert.deepEqual(left.body, []);
    const unknown = await atFar(far.connect, {
      method: 'DELETE',
      path: `/devices/${machine}/set-points/set_current`,
    });
    assert.equal(unknown.headers.get('elnav-error'), 'device.set_point_unsupported');
  });
});
