import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { systemRandom } from '../../core/ids.ts';
import { API_KEY_PATTERN, issueApiKey, isWellFormedKey, keyIdOf, sha256OfKey } from './api-key.ts';

const LETTERS = [...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-'];

describe('an API key', () => {
  it('is found by the pattern in any text, whole, and names its id', () => {
    for (let round = 0; round < 500; round += 1) {
      const { id, key, sha256 } = issueApiKey(systemRandom);
      assert.equal(API_KEY_PATTERN.exec(`token: "${key}", next`)?.[0], key);
      assert.equal(isWellFormedKey(key), true);
      assert.equal(keyIdOf(key), id);
      assert.equal(sha256OfKey(key), sha256);
    }
  });

  it('has at least 160 random bits beside its public id', () => {
    const { id, key } = issueApiKey(systemRandom);
    const secret = key.slice('elnav_'.length + id.length + 1, -6);
    assert.ok(secret.length * Math.log2(62) >= 160);
  });

  it('is refused offline when any one character is another', () => {
    const { key } = issueApiKey(systemRandom);
    let changes = 0;
    for (let index = 0; index < key.length; index += 1) {
      for (const letter of LETTERS.filter((other) => other !== key[index])) {
        const changed = key.slice(0, index) + letter + key.slice(index + 1);
        assert.equal(isWellFormedKey(changed), false, changed);
        changes += 1;
      }
    }
    assert.equal(changes, key.length * (LETTERS.length - 1));
  });

  it('is refused when it is cut, lengthened or made up', () => {
    const { key } = issueApiKey(systemRandom);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: key.length - 1 }), fc.string({ minLength: 1 }), (cut, more) => {
        assert.equal(isWellFormedKey(key.slice(0, cut)), false);
        assert.equal(isWellFormedKey(key + more), false);
        assert.equal(isWellFormedKey(more), false);
      }),
    );
  });
});
