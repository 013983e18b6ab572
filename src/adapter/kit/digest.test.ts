import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { challengeIn, digestOf } from './digest.ts';

describe('the digest of a password', () => {
  it('the digest of a password is that of the example of RFC 7616, section 3.9.1', () => {
    const user = { name: 'Mufasa', password: 'Circle of Life' };
    const challenge = {
      realm: 'http-auth@example.org',
      nonce: '7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v',
    };
    const cnonce = 'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ';
    assert.equal(
      digestOf(user, challenge, { count: '00000001', cnonce, of: 'GET:/dir/index.html' }),
      '753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1',
    );
  });

  it('the digest of a password is of a challenge that asks for SHA-256 and the protection "auth"', () => {
    const of = (rest: string) => challengeIn(`Digest realm="a b", nonce="n,1", ${rest}`);
    const known = { realm: 'a b', nonce: 'n,1' };
    assert.deepEqual(of('algorithm=SHA-256, qop="auth"'), known);
    assert.deepEqual(of('qop="auth-int, auth", algorithm="sha-256"'), known);
    for (const rest of ['algorithm=MD5, qop="auth"', 'qop="auth"', 'algorithm=SHA-256, qop="auth-int"'])
      assert.equal(of(rest), undefined, rest);
    for (const header of [undefined, '', 'Basic realm="a"', 'Digest qop="auth", algorithm=SHA-256'])
      assert.equal(challengeIn(header), undefined);
  });
});
