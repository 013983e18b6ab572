import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpServer, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { after, before, describe, it } from 'node:test';
import type { Json } from '../../src/core/json.ts';
import { MOST_INSTANCES } from '../../src/gateway/wire/discovery.ts';
import { shelly } from '../../src/vendors/shelly/index.ts';
import { sonnen } from '../../src/vendors/sonnen/index.ts';
import { sunspec } from '../../src/vendors/sunspec/index.ts';
import { HOME, homeGateway } from '../kit/home-gateway.ts';
import { until } from '../kit/until.ts';
import { type Answer, type Caller, makeWorld, type World } from '../kit/world.ts';

interface Discovered {
  readonly devices: readonly { readonly vendor: string; readonly host: string; readonly name: string }[];
  readonly truncated: boolean;
}

const servers: Server[] = [];

async function listening(server: Server): Promise<number> {
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

/** A device that answers whatever it is asked in one way. */
const http = (answer: (response: ServerResponse) => void): Promise<number> =>
  listening(createHttpServer((_request, response) => answer(response)));

const json =
  (value: Json) =>
  (response: ServerResponse): void =>
    void response.end(JSON.stringify(value));

const plug = (name: string) => json({ id: 'shellyplus1-a8032ab12345', gen: 2, name, auth_en: false });

/** A body that has no end. */
function endless(response: ServerResponse): void {
  const more = () => {
    if (!response.destroyed) response.write(' '.repeat(1_000), () => setImmediate(more));
  };
  more();
}

describe('a discovery', () => {
  let world: World;
  let caller: Caller;
  before(async () => {
    world = await makeWorld({
      engine: 'sqlite',
      adapters: [sunspec, shelly, sonnen],
      env: { ELNAV_LOCAL_NETWORKS: 'off' },
    });
    caller = await world.newAccount();
  });
  after(async () => {
    await world.close();
    for (const server of servers) server.close();
  });

  const discover = (id: string) => caller.call('POST', `/gateways/${id}/discover`);
  const codeOf = ({ status, headers }: Answer) => [status, headers.get('elnav-error')];
  const errorOf = ({ body }: Answer) => (body as { error: string }).error;

  it('a discovery finds the devices among whatever else answers, and follows nothing that they say', async () => {
    const places = new Map([
      ['10.9.0.1:80', await http((response) => void response.end(`"${'x'.repeat(10_000_000)}"`))],
      ['10.9.0.2:80', await http(endless)],
      ['10.9.0.3:80', await http(() => {})],
      ['10.9.0.4:80', await http(plug(`<script>alert(1)</script>\u0007\u202e\n${'x'.repeat(500)}`))],
      ['10.9.0.5:80', await http(json([[[]]]))],
      [
        '10.9.0.6:80',
        await http((response) => void response.writeHead(302, { location: 'http://10.9.0.99/shelly' }).end()),
      ],
      ['10.9.0.7:80', await http(json({ type: 'SHSW-25', mac: 'A8032AB12345', auth: false }))],
      ['10.9.0.8:502', await listening(createServer(() => {}))],
      ['10.9.0.9:502', await listening(createServer((socket) => socket.end(Buffer.alloc(300, 0xa5))))],
      ['10.9.0.10:80', await listening(createServer((socket) => void socket.destroy()))],
      ['10.9.0.11:80', await http(plug('Sauna'))],
    ]);
    const gateway = await homeGateway(caller, { url: world.connect, places });
    const { status, body } = await discover(gateway.id);
    assert.equal(status, 200, JSON.stringify(body));
    const { devices } = body as Discovered;
    assert.deepEqual(
      devices.map(({ vendor, host }) => [vendor, host]),
      [
        ['shelly', '10.9.0.4'],
        ['shelly', '10.9.0.11'],
      ],
    );
    const [odd] = devices;
    assert.match(odd?.name ?? '', /^Shelly <script>alert\(1\)<\/script> x+$/);
    assert.equal(odd?.name.length, 100);
    assert.deepEqual(
      gateway.opened.filter((place) => !places.has(place)),
      [],
    );
    await gateway.close();
  });

  it('a discovery says that there is more, where too much announces itself', async () => {
    const places = new Map([['10.9.0.11:80', await http(plug('Sauna'))]]);
    const instances = Array.from({ length: MOST_INSTANCES }, (_, index) => ({
      ...{ service: '_shelly._tcp', name: `plug-${index}`, host: 'plug.local', port: 1_000 + index, txt: {} },
      addresses: [`10.9.${index}.9`],
    }));
    const gateway = await homeGateway(caller, {
      ...{ url: world.connect, places },
      look: async (_question, usual) => ({ ...usual, instances }),
    });
    const { body } = await discover(gateway.id);
    const { devices, truncated } = body as Discovered;
    assert.deepEqual([devices.map(({ name }) => name), truncated], [['Shelly Sauna'], true]);
    await gateway.close();
  });

  it('a discovery runs once at a time for a gateway, and is at hand again afterwards', async () => {
    const looked = Promise.withResolvers<void>();
    const gateway = await homeGateway(caller, {
      ...{ url: world.connect, places: new Map() },
      async look(_question, usual) {
        await looked.promise;
        return usual;
      },
    });
    const first = discover(gateway.id);
    await until('the gateway is asked', () => gateway.asked.length === 1);
    const second = await discover(gateway.id);
    assert.deepEqual(codeOf(second), [409, 'gateway.discovering']);
    assert.ok(Number(second.headers.get('retry-after')) > 0);
    looked.resolve();
    assert.equal((await first).status, 200);
    assert.equal((await discover(gateway.id)).status, 200);
    await gateway.close();
  });

  it('a discovery says what is wrong with the gateway', async () => {
    const { id } = (await caller.call('POST', '/gateways', { name: 'Summer house' })).body as { id: string };
    const never = await discover(id);
    assert.deepEqual(codeOf(never), [502, 'vendor.unreachable']);
    assert.match(errorOf(never), /the gateway Summer house has never been connected/);

    const old = await homeGateway(caller, {
      ...{ url: world.connect, places: new Map() },
      look: () => undefined,
    });
    const unsupported = await discover(old.id);
    assert.deepEqual(codeOf(unsupported), [422, 'gateway.unsupported']);
    assert.match(errorOf(unsupported), /update elnav where it runs/);
    await old.close();
    await until('it is known to be away', async () => (await discover(old.id)).status === 502);

    const open = [{ address: 'router.example', port: 80 }];
    for (const answer of [
      null,
      { networks: 1 },
      { networks: [HOME], instances: [], open, is_complete: true },
    ]) {
      const liar = await homeGateway(caller, {
        ...{ url: world.connect, places: new Map() },
        look: async () => answer as Json,
      });
      assert.deepEqual(codeOf(await discover(liar.id)), [502, 'vendor.answer_invalid']);
      await liar.close();
    }
  });

  it('a discovery fails where the gateway is lost in the middle of it', async () => {
    const silent = createServer(() => {});
    const places = new Map([['10.9.0.8:502', await listening(silent)]]);
    const gateway = await homeGateway(caller, { url: world.connect, places });
    const connected = once(silent, 'connection');
    const running = discover(gateway.id);
    await connected;
    await gateway.close();
    const { status, body } = await running;
    assert.equal(status, 502, JSON.stringify(body));
  });
});
