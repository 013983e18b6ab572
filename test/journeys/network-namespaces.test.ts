import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { JsonObject } from '../../src/core/json.ts';
import { simulatedCertificate } from '../kit/certificates.ts';
import { makePlace, type Place } from '../kit/databases.ts';
import { type GatewayProcess, gatewayOf, pairedGateway, startGatewayProcess } from '../kit/gateways.ts';
import { type Mosquitto, startMosquitto } from '../kit/mosquitto-process.ts';
import {
  askIn,
  CLOUD,
  callerIn,
  DEVICE,
  devicesIn,
  networksOf,
  withoutNamespaces,
} from '../kit/network-namespaces.ts';
import { envOf, type Service, startService } from '../kit/service.ts';
import { until } from '../kit/until.ts';
import { ADMIN_TOKEN, type Answer, type Caller } from '../kit/world.ts';

interface Linked {
  readonly devices: readonly { readonly id: string; readonly device_type: string }[];
}

interface Discovered {
  readonly devices: readonly {
    readonly link: { readonly vendor: Vendor; readonly credentials: JsonObject };
    readonly missing: readonly string[];
    readonly is_linked: boolean;
    readonly certain: boolean;
  }[];
  readonly networks: readonly string[];
  readonly truncated: boolean;
}

interface Read {
  readonly state: {
    readonly online: boolean;
    readonly power_w?: number;
    readonly power_on?: boolean;
  };
}

const USER = { username: 'anna', password: 'right-password-of-anna' };
const TLS_PORT = 8_883;
const PRESS = {
  id: 'press-at-broker',
  type: 'industrial',
  reads: { power_on: { topic: 'press/running', on: '1', off: '0' } },
  controls: { on_off: { topic: 'press/run', on: '1', off: '0' } },
  ask: [{ topic: 'press/ask', payload: '' }],
};

/**
 * Each in its own way: Modbus over TCP, OPC UA, MQTT with the broker's own certificate, https with the bridge's own, and plain HTTP. `switched` is
 * what is turned on and off there.
 */
const VENDORS = {
  sunspec: { host: DEVICE },
  mqtt: { host: DEVICE, port: TLS_PORT, tls: true, own_certificate: true, devices: [PRESS], ...USER },
  hue_bridge: { host: DEVICE },
  shelly: { host: DEVICE, password: 'simulated-password' },
  sonnen: { host: `${DEVICE}:81`, api_key: 'simulated-key-of-home' },
  fronius: { host: `${DEVICE}:82` },
};
const SWITCHED = {
  opcua: 'industrial',
  mqtt: 'industrial',
  hue_bridge: 'light',
  shelly: 'smart_home_appliance',
} as const;
type Vendor = keyof typeof VENDORS | 'opcua';

describe('devices in a network that Connect cannot reach', { skip: withoutNamespaces }, () => {
  const networks = networksOf(`elnav-${process.pid}`);
  let place: Place;
  let connect: Service;
  let caller: Pick<Caller, 'call'>;
  let gateway: GatewayProcess & { readonly id: string };
  let broker: Mosquitto;
  let credentials: Readonly<Record<Vendor, JsonObject>>;
  /** The id of a device of each vendor, by which it is known. */
  const ids = new Map<Vendor, string>();

  before(async () => {
    await networks.make();
    place = await makePlace('sqlite');
    broker = await startMosquitto({
      ...{ within: networks.device, host: DEVICE, port: TLS_PORT },
      users: { [USER.username]: USER.password },
      certificate: simulatedCertificate('broker'),
    });
    const url = `mqtts://${USER.username}:${USER.password}@${DEVICE}:${TLS_PORT}`;
    credentials = { ...VENDORS, opcua: await devicesIn(networks.device, [DEVICE, url]) };
    connect = await startService({
      within: networks.cloud,
      env: {
        ...envOf(place),
        ELNAV_HOST: CLOUD,
        // Connect may call devices there itself: what stops it is the network alone.
        ELNAV_LOCAL_NETWORKS: `${DEVICE}/32`,
      },
    });
    caller = callerIn(networks.cloud, connect.connect, await newKey());
  });
  after(async () => {
    await networks.remove();
    await place.remove();
  });

  async function newKey(): Promise<string> {
    const admin = (path: string) =>
      askIn(networks.cloud, `${connect.grid}/admin${path}`, {
        method: 'POST',
        headers: { 'x-admin-token': ADMIN_TOKEN },
      });
    const { id } = (await admin('/users?email=anna%40example.com&tier=pro')).body as { id: number };
    await admin(`/users/${id}/policy?per_minute=100000&per_hour=1000000&per_day=10000000&burst=10000`);
    return ((await admin(`/users/${id}/keys?label=test`)).body as { api_key: string }).api_key;
  }

  const slugs = () => Object.keys(credentials) as Vendor[];
  const link = (vendor: Vendor, given: JsonObject) =>
    caller.call('POST', '/link', { vendor, user_ref: 'anna', credentials: given });
  const keepId = (vendor: Vendor, linked: Answer) => {
    const type = vendor in SWITCHED ? SWITCHED[vendor as keyof typeof SWITCHED] : undefined;
    ids.set(vendor, deviceIn(linked, type ?? (vendor === 'fronius' ? 'solar_inverter' : 'battery')));
  };
  const discover = async () => {
    const { status, body } = await caller.call('POST', `/gateways/${gateway.id}/discover`);
    assert.equal(status, 200, JSON.stringify(body));
    return body as Discovered;
  };
  const deviceIn = ({ status, body }: Answer, type: string): string => {
    assert.equal(status, 200, JSON.stringify(body));
    return (body as Linked).devices.find(({ device_type }) => device_type === type)?.id ?? '';
  };
  const read = async (id: string) => (await caller.call('GET', `/devices/${id}`)).body as Read;
  const command = (id: string, body: unknown) => caller.call('POST', `/devices/${id}/command`, body);
  const statuses = async () => {
    const links = (await caller.call('GET', '/links')).body as { vendor: string; status: string }[];
    return new Set(links.map(({ status }) => status));
  };
  /** A read that fails, as the gateway is on its way, says neither. */
  const are = async (ids: readonly string[], online: boolean) =>
    (await Promise.all(ids.map(read))).every(({ state }: Partial<Read>) => state?.online === online);

  it('devices in a network that Connect cannot reach are not linked without a gateway there', async () => {
    for (const vendor of slugs()) {
      const { status, headers, body } = await link(vendor, credentials[vendor]);
      assert.deepEqual(
        [status, headers.get('elnav-error')],
        [502, 'vendor.unreachable'],
        JSON.stringify(body),
      );
    }
  });

  it('devices in a network that Connect cannot reach are found through the gateway, and linked with what was returned', async () => {
    const launch = { main: 'src/bin/gateway.ts', within: networks.gateway };
    gateway = await pairedGateway(caller, connect.connect, launch);
    const { networks: permitted } = await gatewayOf(caller, gateway.id);
    assert.ok(permitted.includes('10.77.0.0/24'), permitted.join(', '));

    const { devices, networks: scanned, truncated } = await discover();
    // Connect is in the other network of the gateway, which is no private one.
    assert.deepEqual([scanned, truncated], [['10.77.0.0/24'], false]);
    const through = { gateway: gateway.id };
    assert.deepEqual(
      devices.map(({ link: { vendor, credentials: given }, missing }) => [vendor, given, missing]),
      [
        ['shelly', { host: DEVICE, ...through }, ['password']],
        // Only what it announces tells of its port.
        ['fronius', { host: `${DEVICE}:82`, ...through }, []],
        ['hue_bridge', { host: DEVICE, ...through }, []],
        ['sunspec', { host: DEVICE, unit: 1, ...through }, []],
      ],
    );
    assert.ok(devices.every(({ is_linked, certain }) => !is_linked && certain));
    for (const { link: found, missing } of devices)
      if (missing.length === 0) keepId(found.vendor, await link(found.vendor, found.credentials));
    assert.deepEqual([...ids.keys()], ['fronius', 'hue_bridge', 'sunspec']);

    const again = await discover();
    assert.deepEqual(
      new Map(again.devices.map((one) => [one.link.vendor, one.is_linked])),
      new Map([
        ['fronius', true],
        ['hue_bridge', true],
        ['sunspec', true],
        ['shelly', false],
      ]),
    );
  });

  it('devices in a network that Connect cannot reach are read and commanded through the gateway', async () => {
    for (const vendor of slugs().filter((one) => !ids.has(one)))
      keepId(vendor, await link(vendor, { ...credentials[vendor], gateway: gateway.id }));
    assert.equal(ids.size, 7);
    assert.ok(await are([...ids.values()], true));
    const battery = ids.get('sunspec') ?? '';
    const charged = await command(battery, { type: 'set_battery_power', power_w: 1_000 });
    assert.equal(charged.status, 200, JSON.stringify(charged.body));
    assert.equal((await read(battery)).state.power_w, 1_000);
    for (const vendor of Object.keys(SWITCHED) as Vendor[])
      for (const [type, isOn] of [
        ['turn_on', true],
        ['turn_off', false],
      ] as const) {
        const id = ids.get(vendor) ?? '';
        const { status, body } = await command(id, { type });
        assert.equal(status, 200, `${vendor}: ${JSON.stringify(body)}`);
        assert.equal((await read(id)).state.power_on, isOn, vendor);
      }
  });

  it('devices in a network that Connect cannot reach are offline while the gateway is lost, and come back with it', async () => {
    const listed = (await caller.call('GET', '/devices')).body as { id: string; device_type: string }[];
    const all = listed.map(({ id }) => id);
    const relay = listed.find(({ device_type }) => device_type === 'smart_home_appliance')?.id ?? '';

    const seen: string[] = [];
    gateway.kill('SIGKILL');
    await gateway.exited;
    await until('its devices are offline', () => are(all, false));
    await until('its links are unreachable', async () => {
      const now = await statuses();
      seen.push(...now);
      return now.size === 1 && now.has('unreachable');
    });
    const refused = await command(relay, { type: 'turn_on' });
    assert.deepEqual(
      [refused.status, refused.headers.get('elnav-error')],
      [502, 'vendor.unreachable'],
      JSON.stringify(refused.body),
    );
    assert.match(JSON.stringify(refused.body), /the gateway Home is not connected; it was last heard at 20/);

    startGatewayProcess({
      ...{ url: connect.connect, dataDir: gateway.dataDir },
      ...{ main: 'src/bin/gateway.ts', within: networks.gateway },
    });
    await until('its devices are online', () => are(all, true));
    await until('its links work', async () => {
      const now = await statuses();
      seen.push(...now);
      return now.size === 1 && now.has('active');
    });
    assert.ok(!seen.includes('needs_relink'), seen.join(', '));
    assert.equal((await command(relay, { type: 'turn_on' })).status, 200);
    assert.equal((await read(relay)).state.power_on, true);
  });

  it('devices in a network that Connect cannot reach are sent nothing once they show another certificate than when they were linked', async () => {
    await broker.stop();
    await broker.start({ certificate: simulatedCertificate('broker') });
    await until('it is refused for that', async () => {
      const { status, body } = await command(ids.get('mqtt') ?? '', { type: 'turn_on' });
      return status === 502 && /MQTT shows another certificate/.test(JSON.stringify(body));
    });
  });
});
