import assert from 'node:assert/strict';
import type { NetworkInterfaceInfo } from 'node:os';
import { describe, it } from 'node:test';
import { ownNetworks } from './local-networks.ts';

const at = (address: string, prefix: number, internal = false): NetworkInterfaceInfo =>
  ({ address, cidr: `${address}/${prefix}`, internal }) as NetworkInterfaceInfo;

describe('the networks of a machine', () => {
  const interfaces = () => ({
    lo: [at('127.0.0.1', 8, true), at('::1', 128, true)],
    lan: [at('192.168.1.20', 24), at('fd12:3456::7', 64), at('fe80::1', 64)],
    modem: [at('100.72.3.4', 10), at('203.0.114.9', 24)],
    cloud: [at('fd00:ec2::254', 64)],
    documents: [at('192.0.2.9', 24), at('198.51.100.9', 24), at('203.0.113.9', 24), at('2001:db8::9', 64)],
  });

  it('the networks of a machine are private ones that it shares with no strangers', () => {
    assert.deepEqual(ownNetworks({ interfaces, hasLoopback: false }).current(), [
      '192.168.1.0/24',
      'fd12:3456::/64',
    ]);
  });

  it('the networks of a machine hold loopback where only its own users can ask', () => {
    assert.deepEqual(ownNetworks({ interfaces, hasLoopback: true }).current(), [
      '127.0.0.0/8',
      '::1/128',
      '192.168.1.0/24',
      'fd12:3456::/64',
    ]);
  });
});
