import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { banLengthMs } from './bans.ts';
import { clientAddress, isLoopback } from './client-address.ts';
import { canonicalEmail, faultInEmail } from './email.ts';
import { mostLinks, tierPolicy } from './policy.ts';
import { parseScopes, SCOPES } from './scope.ts';

describe('an email address', () => {
  it('is one address however it is written', () => {
    assert.equal(canonicalEmail('  Anna.Svensson@Example.COM '), 'anna.svensson@example.com');
  });
  for (const email of [
    'a@b.se',
    'a+b@c-d.example',
    "o'hara@example.com",
    'x@xn--rksmrgs-5wao1o.se',
    'dev@localhost',
  ]) {
    it(`may be ${email}`, () => assert.equal(faultInEmail(email), null));
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
    it(`may not be ${email.slice(0, 30)}`, () => assert.match(faultInEmail(email) ?? '', reason));
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
    it(`is ${expected} for ${ip}`, () => assert.equal(clientAddress(ip), expected));
  }
  for (const ip of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1', '0:0:0:0:0:0:0:1']) {
    it(`is loopback for ${ip}`, () => assert.equal(isLoopback(ip), true));
  }
  for (const ip of ['128.0.0.1', '::2', '10.0.0.1', '::ffff:10.0.0.1', 'nonsense']) {
    it(`is not loopback for ${ip}`, () => assert.equal(isLoopback(ip), false));
  }
});

describe('scopes', () => {
  it('default to all three', () => {
    assert.deepEqual(parseScopes(''), SCOPES);
    assert.deepEqual(parseScopes('  '), SCOPES);
  });
  it('are listed once and in one order', () => {
    assert.deepEqual(parseScopes('devices:read  link:write devices:read'), ['link:write', 'devices:read']);
  });
  it('are refused when unknown', () => {
    assert.match(String(parseScopes('devices:read admin')), /"admin" is not a scope; .*devices:command/);
  });
});

describe('tiers', () => {
  it('with an unknown name have the limits of free', () => {
    assert.deepEqual(tierPolicy('gold'), tierPolicy('free'));
    assert.equal(tierPolicy('free').per_minute, 60);
    assert.deepEqual(['free', 'gold', 'pro'].map(mostLinks), [200, 200, 20_000]);
    assert.equal(tierPolicy('pro').per_day, 200_000);
  });
});

describe('the length of a ban', () => {
  it('doubles with each repetition, up to seven days', () => {
    const hours = [0, 1, 2, 3, 7, 8, 60].map((before) => banLengthMs(before) / 3_600_000);
    assert.deepEqual(hours, [1, 2, 4, 8, 128, 168, 168]);
  });
});
