import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { FastifyRequest } from 'fastify';
import { DeviceId, deviceIn, nameIn, readPath, VendorOfSession } from './path.ts';

const requestOf = (params: object) => ({ params }) as FastifyRequest;

it('reads what the schema of a path declares, and nothing else', () => {
  const request = requestOf({ session: 's', vendor: 'v', other: 'o' });
  assert.deepEqual(readPath(VendorOfSession, request), { session: 's', vendor: 'v' });
});

it('takes an id that no store can hold for one that nothing has', () => {
  for (const id of ['a\u0000b', '\ud800', '\udc00x'])
    assert.equal(deviceIn(requestOf({ id })), '\u{fffd}', JSON.stringify(id));
  assert.equal(nameIn(['a', 'b']), '\u{fffd}');
  assert.equal(deviceIn(requestOf({ id: 'käns 1' })), 'käns 1');
});

it('names a route whose path has no such parameter', () => {
  assert.throws(() => readPath(DeviceId, requestOf({ device: 'd' })), /no parameter id/);
});
