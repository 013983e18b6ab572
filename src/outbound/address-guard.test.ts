import assert from 'node:assert/strict';
import type { LookupAddress } from 'node:dns';
import { describe, it } from 'node:test';
import { LOOPBACK } from '../../test/kit/loopback.ts';
import { turnedClock } from '../core/clock.ts';
import { AppError } from '../core/errors.ts';
import { listedNetworks, ownNetworks } from '../core/local-networks.ts';
import { silentLog } from '../core/log.ts';
import { type AddressGuard, createAgent, createHttp, permittedAddresses, publicAddresses } from './index.ts';
import { answers, testServer } from './test-server.ts';

const PUBLIC: LookupAddress = { address: '93.184.215.14', family: 4 };

/** What is said of a base address; undefined where it may be called as far as it stands. */
function said(guard: AddressGuard, url: string): string | undefined {
  try {
    guard.checkUrl(new URL(url));
    return undefined;
  } catch (error) {
    assert.ok(error instanceof AppError && error.code === 'vendor.address_not_permitted', String(error));
    return error.message;
  }
}

/** What a name leads to over the lookup for a way of calling: an address, or what is said. */
const looked = (guard: AddressGuard, place: string, all = false) =>
  new Promise((resolve) => {
    const lookup = guard.lookupForUrl(new URL(place));
    lookup('a.example', { all }, (error, address) => resolve(error?.message ?? address));
  });

const inside =
  (...addresses: string[]) =>
  async (): Promise<LookupAddress[]> =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

describe('a base address, where no local network is permitted', () => {
  it('a base address, where no local network is permitted is public, over https, and without a password', () => {
    const guard = publicAddresses();
    for (const host of ['127.0.0.1', '0x7f.1', '127.1', '2130706433', '[::1]', '10.0.0.1'])
      assert.match(said(guard, `https://${host}/api`) ?? '', /is in a private network/, host);
    for (const host of ['169.254.169.254', '[::ffff:127.0.0.1]'])
      assert.match(said(guard, `https://${host}/api`) ?? '', /at which no device is/, host);
    assert.match(said(guard, 'http://example.org') ?? '', /^example.org is called over https only/);
    assert.match(said(guard, 'https://example.org:22') ?? '', /at the ports 443 and 8443 only/);
    assert.match(said(guard, 'https://a:b@example.org') ?? '', /user name or a password/);
    assert.equal(said(guard, 'https://example.org/api'), undefined);
    assert.equal(said(guard, 'https://93.184.215.14:8443'), undefined);
  });

  it('a base address, where no local network is permitted is refused with the network, the setting, and the other way', () => {
    assert.equal(
      said(publicAddresses(), 'http://192.168.1.20'),
      '192.168.1.20 is in a private network that is not called from here: ELNAV_LOCAL_NETWORKS is off; set it to 192.168.1.0/24, or link the device through a gateway in its network (POST /gateways)',
    );
  });

  it('a base address, where no local network is permitted does not tell strangers where names of a network lead', async () => {
    const told = await looked(publicAddresses(inside('10.3.4.5')), 'https://a.example');
    assert.match(String(told), /^a.example leads into a private network that .* such as 192.168.1.0\/24, or/);
    assert.doesNotMatch(String(told), /10\.3/);
  });
});

describe('a base address, where local networks are permitted', () => {
  const home = listedNetworks(['192.168.1.0/24', 'fd00::/8']);

  it('a base address, where local networks are permitted is called there without https and at any port, and nowhere else', async () => {
    const guard = permittedAddresses(home, inside('192.168.1.20'));
    for (const url of ['http://192.168.1.20', 'https://192.168.1.20:1234', 'http://[fd12::1]:81'])
      assert.equal(said(guard, url), undefined, url);
    assert.equal(said(guard, 'http://a.example:81'), undefined);
    assert.equal(await looked(guard, 'http://a.example:81'), '192.168.1.20');
    assert.match(
      said(guard, 'http://10.0.0.1') ?? '',
      /ELNAV_LOCAL_NETWORKS is 192.168.1.0\/24,fd00::\/8; set it to 192.168.1.0\/24,fd00::\/8,10.0.0.0\/24, or/,
    );
    for (const url of ['http://169.254.169.254', 'http://[fd00:ec2::254]', 'http://[::ffff:192.168.1.20]'])
      assert.match(said(guard, url) ?? '', /at which no device is/, url);
  });

  it('a base address, where local networks are permitted is called as before where it is public', async () => {
    const guard = permittedAddresses(home, inside(PUBLIC.address));
    assert.equal(await looked(guard, 'https://a.example'), PUBLIC.address);
    for (const url of ['http://a.example', 'https://a.example:9200'])
      assert.match(
        String(await looked(guard, url)),
        /^a.example is called .* only, unless it is in a local/,
        url,
      );
    assert.match(said(guard, `http://${PUBLIC.address}`) ?? '', /over https only/);
  });

  it('a base address, where local networks are permitted is refused whole where a name has one address elsewhere', async () => {
    const guard = permittedAddresses(home, inside('192.168.1.20', '10.0.0.1'));
    assert.match(
      String(await looked(guard, 'http://a.example')),
      /^a.example leads to 10.0.0.1 in a private/,
    );
    const metadata = permittedAddresses(home, inside('192.168.1.20', '169.254.169.254'));
    assert.match(
      String(await looked(metadata, 'http://a.example')),
      /leads to 169.254.169.254, a link-local/,
    );
  });

  it('a base address, where local networks are permitted follows the networks of the machine, without those that it shares with strangers', () => {
    const named = (address: string, cidr: string | null) =>
      ({
        address,
        cidr,
        internal: address.startsWith('127.'),
        family: 'IPv4',
        netmask: '',
        mac: '',
      }) as const;
    let interfaces = {
      lo: [named('127.0.0.1', '127.0.0.1/8')],
      wifi: [named('192.168.1.7', '192.168.1.7/24')],
    };
    const own = ownNetworks({ interfaces: () => interfaces, hasLoopback: true });
    const guard = permittedAddresses(own);
    assert.equal(said(guard, 'http://127.0.0.1:8080'), undefined);
    assert.equal(said(guard, 'http://192.168.1.20'), undefined);
    interfaces = {
      lo: interfaces.lo,
      wifi: [
        named('10.9.8.7', '10.9.8.7/24'),
        named('93.184.215.14', '93.184.215.14/24'),
        named('169.254.3.4', '169.254.3.4/16'),
      ],
    };
    assert.match(
      said(guard, 'http://192.168.1.20') ?? '',
      /ELNAV_LOCAL_NETWORKS is on, which permits 127.0.0.0\/8 and 10.9.8.0\/24; set it to 127.0.0.0\/8,10.9.8.0\/24,192.168.1.0\/24/,
    );
    assert.equal(said(guard, 'http://10.9.8.1'), undefined);
    assert.match(said(guard, 'http://93.184.215.20') ?? '', /over https only/);
    const behindProxy = permittedAddresses(ownNetworks({ interfaces: () => interfaces, hasLoopback: false }));
    assert.match(said(behindProxy, 'http://127.0.0.1') ?? '', /private network/);
  });
});

describe('a guarded client', () => {
  const options = {
    name: 'tester',
    clock: turnedClock(),
    random: (bytes: number) => Buffer.alloc(bytes),
    log: silentLog,
  };
  const isRefused = { code: 'vendor.address_not_permitted' };

  it('a guarded client calls nothing inside, however it is written', async (test) => {
    // One that would answer, so that only the guard can be what stops the call.
    const { url, requests } = await testServer(test, [answers(200)]);
    const { port } = new URL(url);
    for (const host of [
      '127.0.0.1',
      '[::ffff:127.0.0.1]',
      '0x7f.1',
      '127.1',
      '169.254.169.254',
      'localhost',
    ]) {
      const http = createHttp({ ...options, baseUrl: `https://${host}:${port}`, guard: publicAddresses() });
      await assert.rejects(http.send({ path: '/' }), isRefused, host);
      await http.close();
    }
    assert.equal(requests.length, 0);
  });

  it('a guarded client connects to the address that it judged: a name that turns inside is refused', async () => {
    const asked: string[] = [];
    let addresses: LookupAddress[] = [{ address: '127.0.0.1', family: 4 }];
    const guard = publicAddresses(async (hostname) => {
      asked.push(hostname);
      return addresses;
    });
    const http = createHttp({ ...options, baseUrl: 'https://rebinding.example:8443', guard });
    await assert.rejects(http.send({ path: '/' }), isRefused);
    addresses = [PUBLIC, { address: '::ffff:10.0.0.1', family: 6 }];
    await assert.rejects(http.send({ path: '/' }), isRefused, 'one address inside is enough');
    assert.deepEqual(
      asked,
      ['rebinding.example', 'rebinding.example'],
      'it is resolved once for a connection',
    );
    await http.close();
  });

  it('a guarded client gives the socket the addresses that it judged, once', async () => {
    const inTurn = [[PUBLIC], [{ address: '127.0.0.1', family: 4 }]];
    const guard = publicAddresses(async () => inTurn.shift() ?? []);
    assert.deepEqual(await looked(guard, 'https://a.example', true), [PUBLIC]);
    assert.match(String(await looked(guard, 'https://a.example')), /private network/);
    assert.equal(await looked(guard, 'https://a.example'), 'the name has no address');
  });

  it('a guarded client calls a name without https only where it is in a local network', async (test) => {
    const { url, requests } = await testServer(test, [answers(200)]);
    const { port } = new URL(url);
    let addresses = [PUBLIC];
    const guard = permittedAddresses(LOOPBACK, async () => addresses);
    const http = createHttp({ ...options, baseUrl: `http://inverter.example:${port}`, guard });
    await assert.rejects(http.send({ path: '/' }), isRefused);
    addresses = [{ address: '127.0.0.1', family: 4 }];
    assert.equal((await http.send({ path: '/' })).status, 200);
    assert.equal(requests.length, 1);
    await http.close();
  });

  it('a guarded client shares its connections and its guard', async () => {
    const agent = createAgent(publicAddresses(async () => [{ address: '127.0.0.1', family: 4 }]));
    const first = createHttp({ ...options, baseUrl: 'https://a.example', agent });
    const second = createHttp({ ...options, baseUrl: 'https://b.example', agent });
    await assert.rejects(first.send({ path: '/' }), isRefused);
    await first.close();
    await assert.rejects(second.send({ path: '/' }), isRefused, 'the shared connections are still there');
    await agent.close();
  });
});
