import assert from 'node:assert/strict';
import { it } from 'node:test';
import { requireOwnHeaders } from './headers.ts';

const listed = (headers: Readonly<Record<string, string>>) =>
  Object.entries(headers).map(([name, value]) => ({ name, value }));

it('own headers of deliveries are tokens and printable values, and none that deliveries set themselves', () => {
  requireOwnHeaders(listed({ 'X-Api-Key': 'a b', Authorization: 'Bearer x', a: 'x'.repeat(1_000) }));
  const ours = [
    'Host',
    'content-type',
    'Content-Length',
    'webhook-id',
    'Transfer-Encoding',
    'proxy-authorization',
  ];
  for (const name of ours)
    assert.throws(() => requireOwnHeaders([{ name, value: 'x' }]), /set themselves/, name);
  for (const name of ['', 'a b', 'a:b', 'a\r\nb', 'å', 'x'.repeat(101)])
    assert.throws(() => requireOwnHeaders([{ name, value: 'x' }]), /is no name of a header/, name);
  for (const value of ['', ' a', 'a ', 'a\r\nb: c', 'å', 'x'.repeat(1_001)])
    assert.throws(() => requireOwnHeaders([{ name: 'a', value }]), /must be 1 to 1000 printable/, value);
  assert.throws(() => requireOwnHeaders(listed({ 'X-A': '1', 'x-a': '2' })), /twice/);
});
