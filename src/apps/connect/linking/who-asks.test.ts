import assert from 'node:assert/strict';
import { it } from 'node:test';
import { domainOf } from './who-asks.ts';

it('an address names its domain, unless anybody can have one there', () => {
  assert.equal(domainOf('dev@volta.example'), 'volta.example');
  assert.equal(domainOf('"a@b"@volta.example'), 'volta.example');
  assert.equal(domainOf('dev@vоlta.example'), 'xn--vlta-55d.example', 'a Cyrillic letter is seen');
  for (const email of ['dev@gmail.com', 'dev@GMAIL.com', 'developer@localhost', 'dev@', 'dev'])
    assert.equal(domainOf(email), null, email);
});
