import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, it } from 'node:test';
import Type from 'typebox';
import { type Adapter, kind } from '../../src/adapter/adapter.ts';
import { vendorFailure } from '../../src/adapter/failures.ts';
import { objectIn } from '../../src/adapter/kit/index.ts';
import { turnedClock } from '../../src/core/clock.ts';
import { systemRandom } from '../../src/core/ids.ts';
import { silentLog } from '../../src/core/log.ts';
import { createVendorHosts } from '../../src/outbound/vendor-hosts.ts';
import { type SimulatedCertificate, simulatedCertificate, simulatedRoot } from '../kit/certificates.ts';
import { type CoreWorld, makeCoreWorld } from '../kit/core-world.ts';
import { LOOPBACK } from '../kit/loopback.ts';

const maker = simulatedRoot('Root of Boxes');
const stranger = simulatedRoot('Root of Boxes');

/** A box at home that answers over https, and takes a secret with each call. */
const box = {
  slug: 'box',
  name: 'Box',
  credentials: Type.Object({ address: Type.String({ maxLength: 200 }) }, { additionalProperties: false }),
  hosts: { api: 'https://unused.example' },
  isLocal: true,
  chosenAddress: ({ address }) => String(address),
  deviceCertificates: { roots: [maker.cert] },
  pushes: false,
  pollSeconds: 0,
  async link(session) {
    await ask(session, 'list');
    return { vendorAccount: 'box', devices: [{ id: 'box-1', type: 'light' }] };
  },
  kinds: {
    light: kind<null>({
      read: (session) => ask(session, 'read'),
      status: () => ({ online: true, power_on: true }),
      reads: {},
      controls: {},
      whyWithheld: () => 'it is only looked at',
    }),
  },
} satisfies Adapter;

async function ask(session: Parameters<Adapter['link']>[0], use: 'list' | 'read'): Promise<null> {
  const headers = { authorization: 'Bearer of-the-box' };
  await session.http.send({ path: '/', use, headers }).catch((error: unknown) => {
    throw vendorFailure('Box', error);
  });
  return null;
}

describe('a device with a certificate of its own', () => {
  const own = simulatedCertificate('box-1', maker);
  let server: Server;
  let world: CoreWorld;
  let hosts: ReturnType<typeof createVendorHosts>;
  let account: number;
  /** What the box was sent. */
  let asked: (string | undefined)[] = [];
  /** Certificates for the next connections; the last one stays. */
  let next: SimulatedCertificate[] = [];

  beforeEach(async () => {
    asked = [];
    next = [];
    server = createServer(own, (request, response) => {
      asked.push(request.headers.authorization);
      response.end('{}');
    });
    server.prependListener('connection', () => {
      const [certificate] = next.splice(0, 1);
      if (certificate !== undefined) server.setSecureContext(certificate);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const clock = turnedClock();
    hosts = createVendorHosts({
      baseUrlOf: () => undefined,
      localNetworks: LOOPBACK,
      clock,
      random: systemRandom,
      log: silentLog,
      userAgent: 'elnav/9',
    });
    const { hostOf, certificateAt } = hosts;
    world = await makeCoreWorld('sqlite', [box], { clock, hostOf, certificateAt });
    account = await world.newAccount();
  });
  afterEach(async () => {
    await world.remove();
    await hosts.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const address = () => `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const link = () => world.link(account, 'box', { address: address() });
  /** From now on another certificate is shown. */
  function shows(certificate: SimulatedCertificate): void {
    server.setSecureContext(certificate);
    server.closeAllConnections();
    asked = [];
  }
  const read = async () => objectIn((await world.read(account, 'box-1')).state).power_on;
  const status = async () => (await world.links.list(account))[0]?.status;

  it('a device with a certificate of its own is asked for it before anything is sent, and is called with it afterwards', async () => {
    await link();
    assert.deepEqual(asked, ['Bearer of-the-box']);
    assert.equal(await read(), true);
  });

  it('a device with a certificate of its own is not called once it shows another: the link is unreachable until it is linked again', async () => {
    await link();
    shows(simulatedCertificate('box-1'));
    await assert.rejects(read(), {
      code: 'vendor.unreachable',
      message: /shows another certificate than when it was linked.*link it again/,
    });
    assert.deepEqual(asked, []);
    assert.equal(await status(), 'unreachable');
    await link();
    assert.equal(await read(), true);
    assert.equal(await status(), 'active');
  });

  it('a device with a certificate of its own may have it renewed by its maker, for itself alone', async () => {
    await link();
    shows(simulatedCertificate('box-1', maker));
    assert.equal(await read(), true);
    for (const other of [simulatedCertificate('box-2', maker), simulatedCertificate('box-1', stranger)]) {
      shows(other);
      await assert.rejects(read(), { code: 'vendor.unreachable' });
      assert.deepEqual(asked, []);
    }
  });

  it('a device with a certificate of its own that signs for itself stays the same to the letter, whatever its name', async () => {
    const self = simulatedCertificate('box-1');
    shows(self);
    await link();
    shows(simulatedCertificate('box-1', maker));
    await assert.rejects(read(), { code: 'vendor.unreachable' });
    shows(self);
    assert.equal(await read(), true);
  });

  it('a device with a certificate of its own is not linked when somebody else answers in between', async () => {
    next = [own, simulatedCertificate('box-1')];
    await assert.rejects(link(), { code: 'vendor.unreachable' });
    assert.deepEqual(asked, []);
  });

  it('a device with a certificate of its own is not linked without TLS', async () => {
    server.removeAllListeners('connection');
    server.on('connection', (socket) => socket.resume().end('HTTP/1.1 200 OK\r\n\r\n'));
    await assert.rejects(link(), { code: 'vendor.unreachable' });
  });
});
