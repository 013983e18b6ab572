import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { faultInNetwork, isIn, isPublicAddress, networkAround, networkOf, whyNoDevice } from './addresses.ts';

describe('addresses of the public internet', () => {
  it('addresses of the public internet are told from all others', () => {
    const inside = [
      '127.0.0.1 127.255.0.1 10.1.2.3 172.16.0.1 172.31.255.255 192.168.1.1 169.254.169.254 100.64.0.1 100.127.255.255',
      '0.0.0.0 192.0.0.8 198.18.0.1 203.0.113.5 224.0.0.1 255.255.255.255 :: ::1 fe80::1 fe80::1%eth0 fc00::1 fd12::1',
      '::ffff:127.0.0.1 ::ffff:93.184.215.14 64:ff9b::7f00:1 64:ff9b:1::1 2002:7f00:1:: 2001:db8::1 2001::1 ff02::1 localhost',
      '168.63.129.16',
    ].flatMap((line) => line.split(' '));
    for (const address of inside) assert.equal(isPublicAddress(address), false, address);
    const outside =
      '93.184.215.14 172.32.0.1 100.128.0.1 11.0.0.1 2606:4700::1111 2a00:1450:400f::1 2001:200::1';
    for (const address of outside.split(' ')) assert.equal(isPublicAddress(address), true, address);
  });
});

describe('networks of users', () => {
  it('networks of users hold the addresses in them, and none that is written in another way', () => {
    const networks = ['192.168.1.0/24', 'fd00::/8'];
    for (const address of ['192.168.1.1', '192.168.1.255', 'fd12:3456::1'])
      assert.ok(isIn(address, networks), address);
    for (const address of ['192.168.2.1', 'fc00::1', '::ffff:192.168.1.1', '64:ff9b::c0a8:101', 'router'])
      assert.ok(!isIn(address, networks), address);
  });

  it('networks of users hold no device at addresses that tell the secrets of a machine', () => {
    const never =
      '169.254.169.254 fd00:ec2::254 fd20:ce::254 100.100.100.200 192.0.0.192 168.63.129.16 fe80::1 0.0.0.0 :: 224.0.0.251 ff02::fb ::ffff:10.0.0.1 255.255.255.255';
    for (const address of never.split(' ')) assert.notEqual(whyNoDevice(address), null, address);
    for (const address of ['192.168.1.1', '127.0.0.1', '::1', 'fd00::1', '93.184.215.14'])
      assert.equal(whyNoDevice(address), null, address);
  });

  it('networks of users cannot be permitted where no device is, nor all at once', () => {
    for (const network of [
      '0.0.0.0/0',
      '::/0',
      '169.254.169.0/24',
      'fe80::/64',
      '224.0.0.0/8',
      '::ffff:10.0.0.0/104',
    ])
      assert.match(faultInNetwork(network) ?? '', /^holds addresses of .*, at which no device is$/, network);
    for (const network of ['192.168.1.0', '192.168.1.0/33', 'home', '192.168.1/24', 'fd00::/129'])
      assert.match(faultInNetwork(network) ?? '', /^is no network such as/, network);
    for (const network of [
      '192.168.0.0/16',
      '10.0.0.0/8',
      '127.0.0.0/8',
      'fd00::/8',
      '2a00:1450::/64',
      '10.0.0.7/32',
    ])
      assert.equal(faultInNetwork(network), null, network);
  });

  it('networks of users are proposed as they usually are', () => {
    for (const [address, network] of [
      ['192.168.1.20', '192.168.1.0/24'],
      ['127.0.0.1', '127.0.0.0/8'],
      ['::1', '::1/128'],
      ['fd12:3456:0:7::9', 'fd12:3456:0:7::/64'],
      ['fd00::9', 'fd00::/64'],
    ] as const) {
      assert.equal(networkAround(address), network);
      assert.ok(isIn(address, [network]), address);
    }
  });

  it('networks of users begin where their prefix ends', () => {
    assert.equal(networkOf('192.168.77.20', 20), '192.168.64.0/20');
    assert.equal(networkOf('127.0.0.1', 8), '127.0.0.0/8');
    assert.equal(networkOf('fd12:3456:789a:bcde::1', 52), 'fd12:3456:789a:b000::/52');
    assert.equal(networkOf('::1', 128), '::1/128');
  });
});
