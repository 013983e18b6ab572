import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { OperatorError } from '../../core/errors.ts';
import { createVault } from './vault.ts';

const binding = { account: 1, link: 'l', field: 'credentials' };
const keys = [
  { id: 'k2', key: Buffer.alloc(32, 2) },
  { id: 'k1', key: Buffer.alloc(32, 1) },
];

describe('the vault', () => {
  it('opens what it sealed, whatever the text', () => {
    const vault = createVault(keys, randomBytes);
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
        const sealed = vault.seal(text, binding);
        assert.equal(vault.open(sealed, binding), text);
        assert.notEqual(sealed.text, vault.seal(text, binding).text, 'a nonce is used once');
      }),
    );
  });

  it('opens for its account, link, field and key alone', () => {
    const vault = createVault(keys, randomBytes);
    const sealed = vault.seal('secret', binding);
    const others = [
      { ...binding, account: 2 },
      { ...binding, link: 'm' },
      { ...binding, field: 'refresh_token' },
      { account: 1, link: 'l","credentials', field: '' },
    ];
    for (const other of others) assert.throws(() => vault.open(sealed, other), /authenticate/);
    assert.throws(() => vault.open({ ...sealed, keyId: 'k1' }, binding), /authenticate/);
    assert.throws(() => vault.open({ ...sealed, keyId: 'k9' }, binding), /k9/);
  });

  it('notices every changed, missing and added byte', () => {
    const vault = createVault(keys, randomBytes);
    const { keyId, text } = vault.seal('secret', binding);
    const bytes = Buffer.from(text, 'base64');
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      assert.throws(() => vault.open({ keyId, text: changed.toString('base64') }, binding), `byte ${at}`);
      const cut = bytes.subarray(0, at).toString('base64');
      assert.throws(() => vault.open({ keyId, text: cut }, binding), `cut at ${at}`);
    }
    const longer = Buffer.concat([bytes, Buffer.from([0])]).toString('base64');
    assert.throws(() => vault.open({ keyId, text: longer }, binding));
  });

  it('seals with the first key and opens with all', () => {
    const old = createVault(keys.slice(1), randomBytes).seal('secret', binding);
    const vault = createVault(keys, randomBytes);
    assert.equal(vault.currentKey, 'k2');
    assert.equal(vault.open(old, binding), 'secret');
    assert.equal(vault.seal('secret', binding).keyId, 'k2');
    assert.throws(() => createVault([], randomBytes), OperatorError);
  });
});
