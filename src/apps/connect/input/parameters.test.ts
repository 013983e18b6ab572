import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import {
  DeviceId,
  deviceIn,
  limitParameter,
  nameIn,
  readPath,
  readQuery,
  VendorOfSession,
  vendorIn,
} from './parameters.ts';

const Filters = Type.Object({
  name: Type.Optional(Type.String()),
  kind: Type.Optional(Type.Enum(['car', 'van'])),
  limit: limitParameter(1_000),
  from: Type.Optional(Type.String({ format: 'date-time' })),
  day: Type.Optional(Type.String({ format: 'date' })),
});

describe('the query of a request', () => {
  it('the query of a request is read as its schema declares it', () => {
    const query = { name: '', kind: 'van', limit: '0020', from: '2026-11-21T09:00:00+01:00', other: ['x'] };
    assert.deepEqual(readQuery(Filters, query), {
      name: '',
      kind: 'van',
      limit: 20,
      from: '2026-11-21T09:00:00+01:00',
    });
    assert.deepEqual(readQuery(Filters, { day: '2028-02-29' }), { day: '2028-02-29' });
    assert.deepEqual(readQuery(Filters, {}), {});
  });

  it('the query of a request is refused with what would be right', () => {
    const limit = 'limit must be a whole number from 1 to 1000';
    const refused: [object, string][] = [
      [{ name: ['a', 'b'] }, 'name must be given once'],
      [{ kind: 'bus' }, 'kind must be one of car, van'],
      ...['', '0', '1001', '-1', '1.5', '1e2', ' 1', '0000001', 'many'].map((text): [object, string] => [
        { limit: text },
        limit,
      ]),
      [{ limit: ['1', '2'] }, 'limit must be given once'],
      ...['2026-11-21', 'now', '2026-11-21T25:00:00Z', '1'].map((text): [object, string] => [
        { from: text },
        'from must be a time such as 2026-11-21T09:00:00Z',
      ]),
    ];
    for (const day of [
      '2026-02-29',
      '2026-2-1',
      '2026-11-21T09:00:00Z',
      '0000-01-01',
      '1969-12-31',
      'today',
      '',
    ])
      refused.push([{ day }, 'day must be a day such as 2026-11-21']);
    for (const [query, message] of refused)
      assert.throws(() => readQuery(Filters, query), { code: 'request.invalid', message });
    for (const text of ['a\0', '\ud800'])
      assert.throws(() => readQuery(Filters, { name: text }), { code: 'request.invalid', message: /^name / });
  });

  it('the query of a request names a vendor in whatever case it was written', () => {
    assert.equal(vendorIn({ vendor: 'Netatmo' }), 'netatmo');
    assert.equal(vendorIn({}), undefined);
  });
});

const requestOf = (params: object) => ({ params }) as FastifyRequest;

it('the check of a path reads what the schema of a path declares, and nothing else', () => {
  const request = requestOf({ session: 's', vendor: 'v', other: 'o' });
  assert.deepEqual(readPath(VendorOfSession, request), { session: 's', vendor: 'v' });
});

it('the check of a path takes an id that no store can hold for one that nothing has', () => {
  for (const id of ['a\u0000b', '\ud800', '\udc00x'])
    assert.equal(deviceIn(requestOf({ id })), '\u{fffd}', JSON.stringify(id));
  assert.equal(nameIn(['a', 'b']), '\u{fffd}');
  assert.equal(deviceIn(requestOf({ id: 'käns 1' })), 'käns 1');
});

it('the check of a path names a route whose path has no such parameter', () => {
  assert.throws(() => readPath(DeviceId, requestOf({ device: 'd' })), /no parameter id/);
});
