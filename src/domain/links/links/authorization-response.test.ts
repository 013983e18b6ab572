import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readAuthorizationResponse } from './vendor-oauth.ts';

const ISSUER = 'https://id.vendor.example';
const read = (query: string, issuer: string | undefined = ISSUER) =>
  readAuthorizationResponse(new URLSearchParams(query), issuer);

describe('an authorization response', () => {
  it('an authorization response has a code, with or without the issuer that was asked', () => {
    assert.deepEqual(read('state=s&code=c'), { code: 'c' });
    assert.deepEqual(read(`state=s&code=c&iss=${encodeURIComponent(ISSUER)}`), { code: 'c' });
    assert.deepEqual(readAuthorizationResponse(new URLSearchParams('code=c&iss=any'), undefined), {
      code: 'c',
    });
  });

  it('an authorization response is not trusted of another issuer, with a parameter twice, or of a flow that was not asked for', () => {
    for (const query of [
      'code=c&iss=https://evil.example',
      `code=c&iss=${ISSUER}/`,
      `code=c&iss=${ISSUER}&iss=${ISSUER}`,
      'code=c&state=s&state=s',
      'error=access_denied&error=access_denied',
      'code=c&id_token=x',
      'code=c&token=x',
      'code=c&access_token=x',
      'response=eyJ',
    ])
      assert.deepEqual(read(query), { fault: 'untrusted' }, query);
  });

  it("an authorization response tells the vendor's word for what went wrong, whatever else is there", () => {
    assert.deepEqual(read('error=access_denied&code=c'), { error: 'access_denied' });
    assert.deepEqual(read('error=%3Cscript%3E'), { error: '' });
    assert.deepEqual(read(`error=${'a'.repeat(62)}`), { error: '' });
  });

  it('an authorization response needs one code', () => {
    for (const query of ['', 'state=s', 'code=', 'code=a&code=b'])
      assert.deepEqual(read(query), { fault: 'no_code' }, query);
  });
});
