import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ownPath } from './own-path.ts';

describe('a path of this service', () => {
  it('a path of this service is accepted with its query', () => {
    for (const own of ['/', '/account', '/account?tab=keys&x=%2F%2Fevil.example', '/a//b'])
      assert.equal(ownPath(own), own);
    assert.equal(ownPath('/account#keys'), '/account');
    assert.equal(ownPath('/a/../account'), '/account');
  });

  it('a path of this service is refused when it leads elsewhere', () => {
    for (const foreign of [
      undefined,
      '',
      'account',
      'https://evil.example',
      '//evil.example',
      '///evil.example',
      '/\\evil.example',
      '\\/evil.example',
      '/.//evil.example',
      '/x/..//evil.example',
      '/\t/evil.example',
      '/\n/evil.example',
      ' //evil.example',
      '/%0d%0aset-cookie:x\r\n',
      'javascript:alert(1)',
      '/å',
      `/${'a'.repeat(600)}`,
    ])
      assert.equal(ownPath(foreign), undefined, String(foreign));
  });

  it('a path of this service always leads a browser to the same origin', () => {
    const sign = fc.constantFrom('/', '\\', '.', '?', '#', '@', ':', 'a', '%', '\t', '\n', ' ', '2f', 'é');
    fc.assert(
      fc.property(fc.array(sign, { maxLength: 12 }), (signs) => {
        const path = ownPath(`/${signs.join('')}`);
        assert.ok(
          path === undefined || new URL(path, 'https://elnav.example/auth/login').host === 'elnav.example',
        );
      }),
      { numRuns: 3_000 },
    );
  });
});
