import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { openAccounts } from '../../../../test/kit/accounts.ts';
import { makePlace, onEachEngine, type Place } from '../../../../test/kit/databases.ts';
import { turnedClock } from '../../../core/clock.ts';
import { OperatorError } from '../../../core/errors.ts';
import { systemRandom } from '../../../core/ids.ts';
import type { VaultKey } from '../../../core/settings/index.ts';
import type { Database } from '../../../db/database.ts';
import { createApplicationCertificates } from './application-certificates.ts';
import { bindingOf, createApplicationCertificateStore } from './store-vault.ts';
import { createVault } from './vault.ts';

const binding = { account: 1, link: 'l', field: 'credentials' };
const keys = [
  { id: 'k2', key: Buffer.alloc(32, 2) },
  { id: 'k1', key: Buffer.alloc(32, 1) },
];

describe('the vault', () => {
  it('the vault opens what it sealed, whatever the text', () => {
    const vault = createVault(keys, randomBytes);
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
        const sealed = vault.seal(text, binding);
        assert.equal(vault.open(sealed, binding), text);
        assert.notEqual(sealed.text, vault.seal(text, binding).text, 'a nonce is used once');
      }),
    );
  });

  it('the vault opens for its account, link, field and key alone', () => {
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

  it('the vault notices every changed, missing and added byte', () => {
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

  it('the vault seals with the first key and opens with all', () => {
    const old = createVault(keys.slice(1), randomBytes).seal('secret', binding);
    const vault = createVault(keys, randomBytes);
    assert.equal(vault.currentKey, 'k2');
    assert.equal(vault.open(old, binding), 'secret');
    assert.equal(vault.seal('secret', binding).keyId, 'k2');
    assert.throws(() => createVault([], randomBytes), OperatorError);
  });
});

const OLD: VaultKey = { id: 'old', key: Buffer.alloc(32, 7) };
const NEW: VaultKey = { id: 'new', key: Buffer.alloc(32, 8) };

onEachEngine('the application certificate of an account', (engine) => {
  let place: Place;
  let database: Database;
  let accounts: readonly number[];
  const clock = turnedClock();
  let made = 0;

  before(async () => {
    place = await makePlace(engine);
    database = await place.open(clock);
    const all = await openAccounts(database, clock);
    const by = { name: 'admin' as const, ip: '192.0.2.1', requestId: 'r' };
    const user = async (email: string) => (await all.users.create({ email, name: '', tier: 'free' }, by)).id;
    accounts = [await user('a@example.com'), await user('b@example.com'), await user('c@example.com')];
    await all.close();
  });
  after(async () => {
    await database.close();
    await place.remove();
  });

  /** A process: it has nothing in memory yet. */
  function start(keys: readonly VaultKey[] = [OLD]) {
    const store = createApplicationCertificateStore(database);
    const vault = createVault(keys, systemRandom);
    const of = createApplicationCertificates({
      ...{ store, vault, clock, random: systemRandom },
      make: async (applicationUri) => {
        made += 1;
        return { applicationUri, certificate: `certificate-${made}`, key: `canary-key-${made}` };
      },
    });
    return { of, store, vault };
  }

  it('the application certificate of an account is made once, is the same after a restart, and is not that of another account', async () => {
    const [one = 0, other = 0] = accounts;
    const first = await start().of(one);
    assert.match(first.applicationUri, /^urn:elnav:/);
    assert.deepEqual(await start().of(one), first);
    assert.notDeepEqual(await start().of(other), first);
    assert.equal(made, 2);
  });

  it('the application certificate of an account is the same for processes that make it at the same time', async () => {
    const [, , account = 0] = accounts;
    const both = await Promise.all([start().of(account), start().of(account)]);
    assert.deepEqual(both[0], both[1]);
    assert.deepEqual(await start().of(account), both[0]);
  });

  it('the application certificate of an account is sealed, for this account alone', async () => {
    const [one = 0, other = 0] = accounts;
    const { store, vault } = start();
    const sealed = await store.find(one);
    assert.ok(sealed !== undefined);
    assert.doesNotMatch(sealed.text, /canary/);
    assert.match(vault.open(sealed, bindingOf(one)), /canary-key/);
    assert.throws(() => vault.open(sealed, bindingOf(other)));
  });

  it('the application certificate of an account stays the same when vault keys rotate, and is not replaced where its key is lost', async () => {
    const [account = 0] = accounts;
    const was = await start().of(account);
    const { store, vault } = start([NEW, OLD]);
    const page = await store.sealedWithOtherThan(NEW.id, { after: { account: 0, link: '' }, limit: 10 });
    assert.equal(page.length, 3);
    for (const { sealed, ...key } of page) {
      const again = vault.seal(vault.open(sealed, bindingOf(key.account)), bindingOf(key.account));
      assert.equal(await store.reseal(key, sealed, again), true);
    }
    assert.deepEqual(await start([NEW]).of(account), was);
    await assert.rejects(start([OLD]).of(account), { code: 'vault.mismatch' });
    assert.deepEqual(await start([NEW]).of(account), was);
  });
});
