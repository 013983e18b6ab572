import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { claimsIn } from './token-claims.ts';

const encoded = (text: string) => Buffer.from(text).toString('base64url');
const tokenOf = (payload: string) => `${encoded('{"alg":"HS256"}')}.${encoded(payload)}.c2lnbmF0dXJl`;

describe('claims of a token', () => {
  it('are what a JWT says', () => {
    assert.deepEqual(claimsIn(tokenOf('{"sub":"å-42"}')), { sub: 'å-42' });
  });

  it('are none in a token of another form', () => {
    const others = [
      '',
      'opaque',
      'a.b',
      `${tokenOf('{}')}.more`,
      tokenOf('[1]'),
      tokenOf('null'),
      tokenOf('{'),
    ];
    assert.deepEqual(others.map(claimsIn), Array(others.length).fill(undefined));
  });
});
