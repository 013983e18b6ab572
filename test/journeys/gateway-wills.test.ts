import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { sql } from 'kysely';
import type { Adapter } from '../../src/adapter/adapter.ts';
import { systemClock } from '../../src/core/clock.ts';
import { systemRandom } from '../../src/core/ids.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { serveLocal } from '../../src/proof/simulation/serve-local.ts';
import { ferroamp } from '../../src/vendors/ferroamp/index.ts';
import { modbus } from '../../src/vendors/modbus/index.ts';
import { sonnen } from '../../src/vendors/sonnen/index.ts';
import type { SonnenSimulator } from '../../src/vendors/sonnen/simulator.ts';
import { makePlace } from '../kit/databases.ts';
import { gatewayOf, pairedGateway, startGatewayProcess } from '../kit/gateways.ts';
import { serveVendor } from '../kit/served-vendor.ts';
import {
  type Call,
  callWith,
  envOf,
  openAccount,
  type Service,
  startService,
  stopService,
} from '../kit/service.ts';
import { until } from '../kit/until.ts';

interface Linked {
  readonly devices: readonly { readonly id: string; readonly device_type: string }[];
}

/** A device on this machine, and what it was told last. */
interface Home {
  readonly vendor: string;
  readonly credentials: JsonObject;
  readonly type: string;
  readonly command: JsonObject;
  /** Whether it runs by itself. */
  isAutomatic(): boolean;
  said(): unknown;
  /** Connections to it that are kept. */
  open(): number;
  close(): Promise<void>;
}

async function local(
  adapter: Adapter,
  home: Pick<Home, 'type' | 'command'>,
  released: RegExp,
): Promise<Home> {
  const module = await adapter.localSimulator?.();
  assert.ok(module !== undefined);
  const served = await serveLocal({ module, clock: systemClock, random: systemRandom });
  return {
    ...home,
    vendor: adapter.slug,
    credentials: served.device.credentials,
    isAutomatic: () => released.test(served.device.commands().at(-1) ?? ''),
    said: () => served.device.commands(),
    open: () => served.connections().open,
    close: served.close,
  };
}

const battery = { type: 'battery', command: { type: 'set_battery_power', power_w: -1_000 } };
const machine = { type: 'industrial', command: { type: 'set_limit', max_w: 1_000 } };

/** Over MQTT, over Modbus and over HTTP. */
async function homes(): Promise<Home[]> {
  const served = await serveVendor(sonnen, systemClock);
  const { box, user } = served.vendor as SonnenSimulator;
  const { host } = new URL(served.url);
  return [
    await local(ferroamp, battery, /auto/),
    await local(modbus, machine, /122 = (65535|4294967295)/),
    {
      ...battery,
      vendor: sonnen.slug,
      credentials: { ...user.credentials, host },
      isAutomatic: () => box.mode !== '1',
      said: () => [box.mode, served.asked],
      open: () => 0,
      close: served.close,
    },
  ];
}

const setPointsOf = async (call: Call, { connect }: Service, id: string) =>
  (await call(connect, { path: `/devices/${id}/set-points` })).body as JsonObject[];

async function commanded(
  call: Call,
  { connect }: Service,
  { home, gateway }: { home: Home; gateway: string },
) {
  const { vendor, credentials, type, command } = home;
  const body = { vendor, user_ref: 'anna', credentials: { ...credentials, gateway } };
  const linked = await call(connect, { path: '/link', body });
  assert.equal(linked.status, 200, JSON.stringify(linked.body));
  const id = (linked.body as Linked).devices.find((one) => one.device_type === type)?.id ?? '';
  const sent = await call(connect, { path: `/devices/${id}/command`, body: command });
  assert.equal(sent.status, 200, JSON.stringify(sent.body));
  assert.equal(home.isAutomatic(), false, vendor);
  return id;
}

it('a gateway that has lost Connect returns devices to automatic operation, and Connect hears of it', async (test) => {
  const place = await makePlace('sqlite');
  const devices = await homes();
  test.after(async () => {
    for (const device of devices) await device.close();
    await place.remove();
  });
  const env = { ...envOf(place), ELNAV_LOCAL_NETWORKS: 'off' };
  const service = await startService({ env });
  const call = callWith((await openAccount(service.grid)).key);
  const caller = {
    call: (method: string, path: string, body?: unknown) => call(service.connect, { method, path, body }),
  };
  const first = await pairedGateway(caller, service.connect);
  const ids: string[] = [];
  for (const home of devices) ids.push(await commanded(call, service, { home, gateway: first.id }));
  assert.equal(statSync(join(first.dataDir, 'wills.json')).mode & 0o777, 0o600);

  assert.ok(
    devices.some((home) => home.open() > 0),
    'streams are open when Connect dies',
  );
  service.signal('SIGKILL');
  await service.exited;
  await until('the gateway has noticed', () => first.output().includes('is unreachable'));
  await until('its connections to devices have ended', () => devices.every((home) => home.open() === 0));
  assert.deepEqual(
    devices.map((home) => home.isAutomatic()),
    [false, false, false],
    'not at once',
  );
  // Its restart loses nothing.
  first.kill('SIGKILL');
  await first.exited;
  const gateway = startGatewayProcess({ url: service.connect, dataDir: first.dataDir });
  await until('it has looked for Connect', () => gateway.output().includes('is unreachable'));
  gateway.kill('SIGUSR2');
  await until('all run by themselves', () => devices.every((home) => home.isAutomatic()));
  await until('it says so', () => gateway.output().split('was returned to automatic').length === 4);

  gateway.kill('SIGKILL');
  await gateway.exited;

  // For Connect as much time has passed as for the gateway.
  const database = await place.open();
  await sql`update set_points set renewed_at = renewed_at - 180000`.execute(database.queries);
  await database.close();
  const { port } = new URL(service.connect);
  const again = await startService({ env: { ...env, ELNAV_CONNECT_PORT: port } });
  for (const id of ids) {
    const [held] = await setPointsOf(call, again, id);
    assert.equal(held?.state, 'unknown', 'nobody has heard of the gateway since');
    assert.match(String(held?.error), /has lost its connection/);
    assert.match(JSON.stringify(held?.if_unreachable), /"ended_by":"gateway","at":"20/);
  }
  const back = startGatewayProcess({ url: service.connect, dataDir: first.dataDir });
  await until('Connect hears of it', () => again.output().split('released a set-point').length === 4);
  await until('it is connected', async () => (await gatewayOf(caller, first.id)).connected);
  for (const id of ids) {
    assert.deepEqual(await setPointsOf(call, again, id), []);
    await until('it is read again', async () => {
      const { state } = (await call(again.connect, { path: `/devices/${id}` })).body as {
        state?: JsonObject;
      };
      return state?.online === true;
    });
  }
  // Nothing is renewed.
  assert.deepEqual(
    devices.map((home) => home.isAutomatic()),
    [true, true, true],
    JSON.stringify(devices.map((home) => home.said())),
  );
  back.kill('SIGTERM');
  await back.exited;
  await stopService(again);
});
