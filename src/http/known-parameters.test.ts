import assert from 'node:assert/strict';
import { it } from 'node:test';
import { bareServer } from '../../test/kit/bare-server.ts';
import { systemClock } from '../core/clock.ts';
import type { Access } from './access.ts';
import type { Service } from './errors.ts';

const QUERY = { querystring: { type: 'object', properties: { vendor: {}, user_ref: {} } } };

async function askAt(service: Service, access: Access, query: string, schema: object = QUERY) {
  const { app } = bareServer({ service, clock: systemClock });
  app.get('/here', { config: { access }, schema }, () => 'answered');
  const { statusCode, headers, json, body } = await app.inject({ url: `/here${query}` });
  const sentence = statusCode === 200 ? body : Object.values(json<Record<string, unknown>>())[0];
  return [statusCode, headers['elnav-error'], sentence];
}

it('a query parameter that a call does not have is refused, with the one that was probably meant', async () => {
  const refused = (sentence: string) => [400, 'request.invalid', sentence];
  assert.deepEqual(
    await askAt('connect', 'devices:read', '?user=anna'),
    refused('there is no query parameter "user" (did you mean user_ref?); this call has vendor, user_ref'),
  );
  assert.deepEqual(
    await askAt('connect', 'key', '?vendor=easee&userref=anna'),
    refused('there is no query parameter "userref" (did you mean user_ref?); this call has vendor, user_ref'),
  );
  assert.deepEqual(
    await askAt('connect', 'console', '?x=1', {}),
    refused('there is no query parameter "x"; this call has none'),
  );
  const msg = 'there is no query parameter "x"; this call has none';
  assert.deepEqual(await askAt('grid', 'admin', '?x=1', {}), [
    422,
    'request.invalid',
    [{ loc: ['query', 'x'], msg, type: 'extra_forbidden' }],
  ]);
});

it('a query parameter that a page or a public look-up does not have is ignored', async () => {
  const answered = [200, undefined, 'answered'];
  assert.deepEqual(await askAt('connect', 'devices:read', '?vendor=easee&user_ref=anna'), answered);
  for (const access of ['public', 'anonymous', 'optional', 'session', 'operator'] as const)
    assert.deepEqual(await askAt('connect', access, '?utm_source=x'), answered, access);
  assert.deepEqual(await askAt('grid', 'key', '?utm_source=x'), answered);
});
