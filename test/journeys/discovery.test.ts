import assert from 'node:assert/strict';
import { type AddressInfo, connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { createServer, type Server } from 'node:tls';
import type { LocalSimulatorModule } from '../../src/adapter/simulator.ts';
import { systemClock } from '../../src/core/clock.ts';
import { systemRandom } from '../../src/core/ids.ts';
import type { Json, JsonObject } from '../../src/core/json.ts';
import { type ServedLocal, serveLocal } from '../../src/proof/simulation/serve-local.ts';
import { ferroamp } from '../../src/vendors/ferroamp/index.ts';
import { fronius } from '../../src/vendors/fronius/index.ts';
import { hue_bridge } from '../../src/vendors/hue_bridge/index.ts';
import { shelly } from '../../src/vendors/shelly/index.ts';
import { sonnen } from '../../src/vendors/sonnen/index.ts';
import { sunspec } from '../../src/vendors/sunspec/index.ts';
import { simulatedCertificate } from '../kit/certificates.ts';
import { makePlace } from '../kit/databases.ts';
import { HOME, type HomeGateway, homeGateway } from '../kit/home-gateway.ts';
import { type ServedVendor, serveVendor } from '../kit/served-vendor.ts';
import { until } from '../kit/until.ts';
import { type Answer, type Caller, makeWorld, type World } from '../kit/world.ts';

interface Discovered {
  readonly devices: readonly {
    readonly vendor: string;
    readonly name: string;
    readonly host: string;
    readonly link: { readonly vendor: string; readonly credentials: JsonObject };
    readonly missing: readonly string[];
    readonly is_linked: boolean;
    readonly certain: boolean;
  }[];
  readonly networks: readonly string[];
  readonly truncated: boolean;
}

const found = ({ status, body }: Answer): Discovered => {
  assert.equal(status, 200, JSON.stringify(body));
  return body as Discovered;
};

const portOf = (url: string) => Number(new URL(url).port);

describe('devices in the network of a gateway', () => {
  let world: World;
  let caller: Caller;
  let gateway: HomeGateway;
  let tls: Server;
  const clouds = new Map<string, ServedVendor>();
  const locals = new Map<string, ServedLocal>();
  const places = new Map<string, number>();
  /** What the gateway hears by multicast DNS. */
  const announced: Json[] = [];

  const local = async (slug: string, load: () => Promise<LocalSimulatorModule>) => {
    const served = await serveLocal({ module: await load(), clock: systemClock, random: systemRandom });
    locals.set(slug, served);
    return served.address.port;
  };

  before(async () => {
    for (const adapter of [fronius, shelly, sonnen, hue_bridge])
      clouds.set(adapter.slug, await serveVendor(adapter, systemClock));
    const at = (slug: string) => portOf(clouds.get(slug)?.url ?? '');
    tls = createServer(simulatedCertificate('001788fffe686f6d'), (socket) => {
      const inner = connect(at('hue_bridge'), '127.0.0.1');
      for (const one of [socket, inner]) one.on('error', () => {});
      socket.pipe(inner).pipe(socket);
    });
    await new Promise<void>((resolve) => tls.listen(0, '127.0.0.1', resolve));
    places.set('10.9.0.4:443', (tls.address() as AddressInfo).port);
    places.set('10.9.0.3:80', at('sonnen'));
    places.set('10.9.0.2:80', at('shelly'));
    places.set('10.9.0.1:80', at('fronius'));
    places.set('10.9.0.1:502', await local('sunspec', sunspec.localSimulator));
    places.set('10.9.0.10:1883', await local('ferroamp', ferroamp.localSimulator));
    world = await makeWorld({
      engine: 'sqlite',
      adapters: [sunspec, fronius, shelly, hue_bridge, sonnen, ferroamp],
      env: { ELNAV_LOCAL_NETWORKS: 'off' },
    });
    caller = await world.newAccount();
    gateway = await homeGateway(caller, {
      ...{ url: world.connect, places },
      look: async (_question, usual) => ({ ...usual, instances: announced }),
    });
  });
  after(async () => {
    await gateway.close();
    await world.close();
    tls.close();
    for (const served of [...clouds.values(), ...locals.values()]) await served.close();
  });

  const discover = (of = caller) => of.call('POST', `/gateways/${gateway.id}/discover`);

  it('devices in the network of a gateway are listed with what linking them takes, and no secret was sent to find them', async () => {
    const { devices, networks, truncated } = found(await discover());
    assert.deepEqual([networks, truncated], [[HOME], false]);
    const gatewayId = gateway.id;
    const at = (host: string, more: JsonObject = {}) => ({ host, ...more, gateway: gatewayId });
    assert.deepEqual(
      devices.map(({ vendor, host, link, missing, certain }) => [
        vendor,
        host,
        link.credentials,
        missing,
        certain,
      ]),
      [
        ['fronius', '10.9.0.1', at('10.9.0.1'), [], true],
        ['sunspec', '10.9.0.1', at('10.9.0.1', { unit: 1 }), [], true],
        ['shelly', '10.9.0.2', at('10.9.0.2'), ['password'], true],
        ['sonnen', '10.9.0.3', at('10.9.0.3'), ['api_key'], true],
        ['hue_bridge', '10.9.0.4', at('10.9.0.4'), [], true],
        ['ferroamp', '10.9.0.10', at('10.9.0.10'), ['username', 'password'], false],
      ],
    );
    assert.ok(devices.every(({ is_linked, link, vendor }) => !is_linked && link.vendor === vendor));
    const names = new Map(devices.map(({ vendor, name }) => [vendor, name]));
    assert.equal(names.get('shelly'), 'Shelly Utility room (simulated)');
    assert.equal(names.get('hue_bridge'), 'Hue Bridge (simulated)');
    assert.equal(names.get('sunspec'), 'Fronius Symo GEN24 8.0');
    const asked = [...clouds.values()].flatMap((served) => served.asked);
    assert.ok(asked.length > 3);
    assert.ok(!asked.some((one) => !one.startsWith('GET ')), asked.join(', '));
    assert.deepEqual(
      [...locals.values()].flatMap(({ device }) => device.commands()),
      [],
    );
    await until('no connection is left open', () => locals.get('sunspec')?.connections().open === 0);
  });

  it('devices in the network of a gateway are linked with what was listed and what was missing, and are not asked again while they work', async () => {
    const secrets: Readonly<Record<string, JsonObject>> = {
      shelly: clouds.get('shelly')?.vendor.user.credentials ?? {},
      sonnen: clouds.get('sonnen')?.vendor.user.credentials ?? {},
      ferroamp: locals.get('ferroamp')?.device.credentials ?? {},
    };
    const { devices } = found(await discover());
    for (const { vendor, link, missing } of devices) {
      const given = Object.fromEntries(missing.map((name) => [name, secrets[vendor]?.[name] ?? null]));
      const linked = await caller.call('POST', '/link', {
        ...{ vendor: link.vendor, user_ref: 'anna' },
        credentials: { ...link.credentials, ...given },
      });
      assert.equal(linked.status, 200, `${vendor}: ${JSON.stringify(linked.body)}`);
    }
    for (const served of clouds.values()) served.asked.splice(0);
    // The gateway is asked not to connect there. Who announces itself is heard all the same.
    announced.push({
      ...{ service: '_shelly._tcp', name: 'shellyplus1', host: 'shellyplus1.local', port: 80, txt: {} },
      addresses: ['10.9.0.2'],
    });
    const opened = gateway.opened.length;
    const again = found(await discover());
    assert.deepEqual(
      again.devices.map(({ vendor, is_linked }) => [vendor, is_linked]).toSorted(),
      ['ferroamp', 'fronius', 'hue_bridge', 'shelly', 'sonnen', 'sunspec'].map((vendor) => [vendor, true]),
    );
    assert.deepEqual(gateway.asked.at(-1)?.except.length, 6);
    assert.ok(!gateway.opened.slice(opened).includes('10.9.0.1:502'));
    // Its reads and its stream go on meanwhile, and do not ask that.
    const asked = clouds.get('shelly')?.asked ?? [];
    assert.ok(!asked.includes('GET /shelly'), asked.join(', '));
    assert.doesNotMatch(JSON.stringify(again), /simulated-password|simulated-key|pinned/);
    const battery = again.devices.find(({ vendor }) => vendor === 'sonnen');
    assert.deepEqual(battery?.missing, ['api_key']);
  });

  it('devices in the network of a gateway are recognized as linked at another address', async () => {
    const moved = new Map([['10.9.0.77:502', places.get('10.9.0.1:502') ?? 0]]);
    const other = await homeGateway(caller, { url: world.connect, places: moved });
    const { devices } = found(await caller.call('POST', `/gateways/${other.id}/discover`));
    assert.deepEqual(
      devices.map(({ vendor, host, is_linked }) => [vendor, host, is_linked]),
      [['sunspec', '10.9.0.77', true]],
    );
    await other.close();
  });

  it('devices in the network of a gateway are not listed to another account, nor without the scope', async () => {
    const stranger = await world.newAccount();
    const foreign = await discover(stranger);
    const unknown = await stranger.call('POST', '/gateways/no-such-gateway/discover');
    assert.deepEqual([foreign.status, unknown.status], [404, 404]);
    assert.equal(
      JSON.stringify(foreign.body).replaceAll(gateway.id, 'ID'),
      JSON.stringify(unknown.body).replaceAll('no-such-gateway', 'ID'),
    );
    const reader = await world.newAccount('devices:read');
    assert.equal((await discover(reader)).status, 403);
  });
});

const skip = process.env.TEST_DATABASE_URL === undefined ? 'TEST_DATABASE_URL is not set' : false;

describe('a gateway that is connected to another instance', { skip }, () => {
  it('a gateway that is connected to another instance is asked for devices by every instance', async () => {
    const served = await serveVendor(shelly, systemClock);
    const place = await makePlace('postgres');
    const options = { engine: 'postgres', place, adapters: [shelly] } as const;
    const near = await makeWorld(options);
    const far = await makeWorld(options);
    const caller = await near.newAccount();
    const places = new Map([['10.9.0.2:80', portOf(served.url)]]);
    const gateway = await homeGateway(caller, { url: near.connect, places });
    const response = await fetch(`${far.connect}/gateways/${gateway.id}/discover`, {
      method: 'POST',
      headers: { 'x-api-key': caller.key },
    });
    const { devices } = (await response.json()) as Discovered;
    assert.deepEqual(
      devices.map(({ vendor, host }) => [vendor, host]),
      [['shelly', '10.9.0.2']],
    );
    await gateway.close();
    await Promise.all([near.close(), far.close()]);
    await place.remove();
    await served.close();
  });
});
