import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bodyOf } from './routes.ts';

describe('the body of a simulated request', () => {
  const read = (contentType: string, body: string) =>
    bodyOf({
      method: 'PUT',
      path: '/',
      query: new URLSearchParams(),
      headers: { 'content-type': contentType },
      body: Buffer.from(body),
    });

  it('is JSON where its type says so, with a suffix too', () => {
    for (const type of [
      'application/json',
      'application/json; charset=utf-8',
      'application/vnd.vendor.v1+json',
      'application/json-patch+json',
    ])
      assert.deepEqual(read(type, '{"a":1}'), { a: 1 }, type);
  });

  it('is a form otherwise', () => {
    for (const type of ['application/x-www-form-urlencoded', 'application/jsonp'])
      assert.deepEqual(read(type, 'a=1'), { a: '1' }, type);
  });
});
