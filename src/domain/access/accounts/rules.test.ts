import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { systemRandom } from '../../../core/ids.ts';
import {
  API_KEY_PATTERN,
  issueApiKey,
  isWellFormedKey,
  keyIdOf,
  parseScopes,
  SCOPES,
  sha256OfKey,
} from './api-key.ts';
import { banLengthMs, clientAddress, isLoopback } from './bans.ts';
import { canonicalEmail, faultInEmail } from './names-and-emails.ts';
import { tierPolicy } from './policy.ts';

describe('an email address', () => {
  it('an email address is one address however it is written', () => {
    assert.equal(canonicalEmail('  Anna.Svensson@Example.COM '), 'anna.svensson@example.com');
  });
  for (const email of [
    'a@b.se',
    'a+b@c-d.example',
    "o'hara@example.com",
    'x@xn--rksmrgs-5wao1o.se',
    'dev@localhost',
  ]) {
    it(`an email address may be ${email}`, () => assert.equal(faultInEmail(email), null));
  }
  const wrong = {
    'no at': /@-sign/,
    '@example.com': /before the @-sign/,
    'a b@example.com': /before the @-sign/,
    'a@example': /period/,
    'a@-example.com': /domain name/,
    'a@exämple.com': /domain name/,
    'a@example..com': /domain name/,
    'å@example.com': /before the @-sign/,
    [`${'a'.repeat(65)}@example.com`]: /1 to 64/,
    [`a@${'b.'.repeat(150)}se`]: /254/,
  };
  for (const [email, reason] of Object.entries(wrong)) {
    it(`an email address may not be ${email.slice(0, 30)}`, () =>
      assert.match(faultInEmail(email) ?? '', reason));
  }
});

describe('the address of a client', () => {
  const addresses = {
    '192.0.2.7': '192.0.2.7',
    '::ffff:192.0.2.7': '192.0.2.7',
    '2001:db8:1:2:3:4:5:6': '2001:db8:1:2::/64',
    '2001:0db8:0001:0002::': '2001:db8:1:2::/64',
    '2001:db8::1': '2001:db8:0:0::/64',
    'fe80::1%eth0': 'fe80:0:0:0::/64',
    '64:ff9b::192.0.2.33': '64:ff9b:0:0::/64',
    '::1': '0:0:0:0::/64',
  };
  for (const [ip, expected] of Object.entries(addresses)) {
    it(`the address of a client is ${expected} for ${ip}`, () => assert.equal(clientAddress(ip), expected));
  }
  for (const ip of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1', '0:0:0:0:0:0:0:1']) {
    it(`the address of a client is loopback for ${ip}`, () => assert.equal(isLoopback(ip), true));
  }
  for (const ip of ['128.0.0.1', '::2', '10.0.0.1', '::ffff:10.0.0.1', 'nonsense']) {
    it(`the address of a client is not loopback for ${ip}`, () => assert.equal(isLoopback(ip), false));
  }
});

describe('scopes', () => {
  it('scopes default to all three', () => {
    assert.deepEqual(parseScopes(''), SCOPES);
    assert.deepEqual(parseScopes('  '), SCOPES);
  });
  it('scopes are listed once and in one order', () => {
    assert.deepEqual(parseScopes('devices:read  link:write devices:read'), ['link:write', 'devices:read']);
  });
  it('scopes are refused when unknown', () => {
    assert.match(String(parseScopes('devices:read admin')), /"admin" is not a scope; .*devices:command/);
  });
});

describe('tiers', () => {
  it('tiers with an unknown name have the limits of free', () => {
    assert.deepEqual(tierPolicy('gold'), tierPolicy('free'));
    assert.equal(tierPolicy('free').per_minute, 60);
    assert.deepEqual(
      ['free', 'gold', 'pro'].map((tier) => tierPolicy(tier).most_links),
      [200, 200, 20_000],
    );
    assert.equal(tierPolicy('pro').per_day, 200_000);
  });
});

describe('the length of a ban', () => {
  it('the length of a ban doubles with each repetition, up to seven days', () => {
    const hours = [0, 1, 2, 3, 7, 8, 60].map((before) => banLengthMs(before) / 3_600_000);
    assert.deepEqual(hours, [1, 2, 4, 8, 128, 168, 168]);
  });
});

const LETTERS = [...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-'];

describe('an API key', () => {
  it('an API key is found by the pattern in any text, whole, and names its id', () => {
    for (let round = 0; round < 500; round += 1) {
      const { id, key, sha256 } = issueApiKey(systemRandom);
      assert.equal(API_KEY_PATTERN.exec(`token: "${key}", next`)?.[0], key);
      assert.equal(isWellFormedKey(key), true);
      assert.equal(keyIdOf(key), id);
      assert.equal(sha256OfKey(key), sha256);
    }
  });

  it('an API key has at least 160 random bits beside its public id', () => {
    const { id, key } = issueApiKey(systemRandom);
    const secret = key.slice('elnav_'.length + id.length + 1, -6);
    assert.ok(secret.length * Math.log2(62) >= 160);
  });

  it('an API key is refused offline when any one character is another', () => {
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

  it('an API key is refused when it is cut, lengthened or made up', () => {
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
