import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { JsonObject } from '../../core/json.ts';
import type { Session } from '../session.ts';
import { accountInToken, accountOf } from './accounts.ts';

it('an account without an id is its user name, whichever way that was typed', () => {
  assert.equal(accountOf({ username: ' Anna@Example.com ' }), 'anna@example.com');
});

it('an account is the one that the token names, else what is given otherwise', async () => {
  const account = (claims: JsonObject | undefined, of = {}) =>
    accountInToken('Acme', { http: { tokenClaims: async () => claims } as Session['http'] }, of);
  assert.equal(await account({ sub: 'anna' }, { otherwise: 'first' }), 'anna');
  assert.equal(await account({ sub: 'anna', uid: 'bo' }, { claim: 'uid' }), 'bo');
  for (const claims of [undefined, {}, { sub: '' }, { sub: 7 }])
    assert.equal(await account(claims, { otherwise: 'first' }), 'first');
  await assert.rejects(account({}), { code: 'vendor.answer_invalid', message: /of Acme about whose/ });
});
