import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isPermitted } from './index.ts';

it('a gateway opens no connection to its own machine, the control of clouds or other networks, whatever is listed', () => {
  const everything = ['0.0.0.0/0', '::/0'];
  for (const address of ['127.0.0.1', '127.8.8.8', '::1', '169.254.169.254', 'fe80::1', '::ffff:10.0.0.1'])
    assert.equal(isPermitted(address, everything, []), false, address);
  for (const address of ['100.100.100.200', '168.63.129.16', 'fd00:ec2::254', '224.0.0.1', 'router.example'])
    assert.equal(isPermitted(address, everything, []), false, address);
  assert.equal(isPermitted('192.168.1.9', ['192.168.1.0/24'], []), true);
  assert.equal(isPermitted('192.168.2.9', ['192.168.1.0/24'], []), false);
  assert.equal(isPermitted('fd12::9', ['fd12::/16'], []), true);
});

it('a gateway opens no connection to an address of its own machine in its network, unless it is listed by itself', () => {
  const own = ['127.0.0.1', '192.168.1.5', '::1', 'fe80::5', 'fd12::5'];
  for (const address of ['192.168.1.5', 'fd12::5', 'fd12:0:0::5'])
    assert.equal(isPermitted(address, ['192.168.1.0/24', 'fd12::/16'], own), false, address);
  assert.equal(isPermitted('192.168.1.5', ['192.168.1.0/24', '192.168.1.5/32'], own), true);
  assert.equal(isPermitted('fd12::5', ['fd12::5/128'], own), true);
  assert.equal(isPermitted('192.168.1.6', ['192.168.1.0/24', '192.168.1.5/32'], own), true);
  assert.equal(isPermitted('127.0.0.1', ['127.0.0.1/32'], own), false);
});
