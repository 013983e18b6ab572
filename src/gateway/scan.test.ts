import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { NetworkInterfaceInfo } from 'node:os';
import { after, describe, it } from 'node:test';
import { systemClock, turnedClock } from '../core/clock.ts';
import { addressesIn, networksAround, openPorts } from './discover.ts';

const at = (cidr: string, internal = false): NetworkInterfaceInfo =>
  ({
    cidr,
    internal,
    address: cidr.split('/')[0],
    family: cidr.includes(':') ? 'IPv6' : 'IPv4',
  }) as NetworkInterfaceInfo;

describe('the networks that are scanned', () => {
  const interfaces = {
    lo: [at('127.0.0.1/8', true), at('::1/128', true)],
    lan: [at('192.168.1.20/24'), at('fd12::7/64')],
    company: [at('10.20.30.40/8')],
    narrow: [at('172.16.5.9/30')],
    modem: [at('100.72.3.4/10'), at('203.0.114.9/24'), at('169.254.7.7/16'), at('192.0.2.7/24')],
  };

  it('the networks that are scanned are the private ones of the machine, no wider than a /24 around its own address', () => {
    assert.deepEqual(networksAround(interfaces, ['0.0.0.0/0', '::/0']), [
      '192.168.1.0/24',
      '10.20.30.0/24',
      '172.16.5.8/30',
    ]);
  });

  it('the networks that are scanned are only what is permitted of them', () => {
    assert.deepEqual(
      networksAround(interfaces, ['192.168.1.7/32', '192.168.1.128/25', '10.20.0.0/16', '192.168.9.0/24']),
      ['192.168.1.7/32', '192.168.1.128/25', '10.20.30.0/24'],
    );
    assert.deepEqual(networksAround(interfaces, []), []);
  });
});

describe('the addresses that are scanned', () => {
  const everything = () => true;

  it('the addresses that are scanned are those of devices, in turn of the networks', () => {
    assert.deepEqual(addressesIn(['192.168.1.8/30', '10.0.0.7/32'], everything), {
      addresses: ['192.168.1.9', '10.0.0.7', '192.168.1.10'],
      areAll: true,
    });
    const { addresses } = addressesIn(['192.168.1.0/24'], everything);
    assert.deepEqual(
      [addresses.length, addresses[0], addresses.at(-1)],
      [254, '192.168.1.1', '192.168.1.254'],
    );
  });

  it('the addresses that are scanned are at most 1,024, none twice, and none that is not permitted', () => {
    const networks = [
      '10.0.0.0/24',
      '10.0.0.0/25',
      '10.0.1.0/24',
      '10.0.2.0/24',
      '10.0.3.0/24',
      '10.0.4.0/24',
    ];
    const many = addressesIn(networks, everything);
    assert.deepEqual(
      [many.addresses.length, new Set(many.addresses).size, many.areAll],
      [1_024, 1_024, false],
    );
    for (const network of ['10.0.0.', '10.0.1.', '10.0.2.', '10.0.3.', '10.0.4.'])
      assert.ok(many.addresses.filter((address) => address.startsWith(network)).length > 150, network);
    const few = addressesIn(networks, (address) => address === '10.0.4.200');
    assert.deepEqual(few, { addresses: ['10.0.4.200'], areAll: true });
  });
});

describe('ports', () => {
  const servers = ['127.0.0.1', '127.0.0.2', '127.0.0.3'].map((host) => ({ host, server: createServer() }));
  after(() => {
    for (const { server } of servers) server.close();
  });

  it('ports are open where something takes a connection, and what is excepted is not touched', async () => {
    const [first, second, third] = servers;
    assert.ok(first !== undefined && second !== undefined && third !== undefined);
    await once(first.server.listen(0, first.host), 'listening');
    const { port } = first.server.address() as AddressInfo;
    for (const { host, server } of [second, third]) await once(server.listen(port, host), 'listening');
    const touched: string[] = [];
    for (const { host, server } of servers)
      server.on('connection', (socket) => {
        touched.push(host);
        socket.destroy();
      });
    const { open, areAll } = await openPorts(['127.0.0.1', '127.0.0.2', '127.0.0.3', '127.0.0.4'], {
      ports: [port],
      except: [{ address: '127.0.0.2', port }],
      clock: systemClock,
      signal: new AbortController().signal,
    });
    assert.deepEqual(
      [open.map(({ address }) => address).toSorted(), areAll],
      [['127.0.0.1', '127.0.0.3'], true],
    );
    assert.ok(!touched.includes('127.0.0.2'), touched.join(', '));
  });

  it('ports are given up when the time is over, and that is said', async () => {
    const over = new AbortController();
    // Nobody answers in a network of documents, and the clock stands still.
    const addresses = Array.from({ length: 250 }, (_, index) => `198.51.100.${index + 1}`);
    const scanning = openPorts(addresses, {
      ports: [80, 443],
      except: [],
      clock: turnedClock(),
      signal: over.signal,
    });
    over.abort();
    assert.deepEqual(await scanning, { open: [], areAll: false });
  });
});
