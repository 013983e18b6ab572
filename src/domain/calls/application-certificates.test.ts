import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { openAccounts } from '../../../test/kit/accounts.ts';
import { makePlace, onEachEngine, type Place } from '../../../test/kit/databases.ts';
import { turnedClock } from '../../core/clock.ts';
import { systemRandom } from '../../core/ids.ts';
import type { VaultKey } from '../../core/settings/index.ts';
import type { Database } from '../../db/database.ts';
import { createApplicationCertificates } from './application-certificates.ts';
import { bindingOf, createApplicationCertificateStore } from './store-application-certificates.ts';
import { createVault } from './vault.ts';

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

  it('is made once, is the same after a restart, and is not that of another account', async () => {
    const [one = 0, other = 0] = accounts;
    const first = await start().of(one);
    assert.match(first.applicationUri, /^urn:elnav:/);
    assert.deepEqual(await start().of(one), first);
    assert.notDeepEqual(await start().of(other), first);
    assert.equal(made, 2);
  });

  it('is the same for processes that make it at the same time', async () => {
    const [, , account = 0] = accounts;
    const both = await Promise.all([start().of(account), start().of(account)]);
    assert.deepEqual(both[0], both[1]);
    assert.deepEqual(await start().of(account), both[0]);
  });

  it('is sealed, for this account alone', async () => {
    const [one = 0, other = 0] = accounts;
    const { store, vault } = start();
    const sealed = await store.find(one);
    assert.ok(sealed !== undefined);
    assert.doesNotMatch(sealed.text, /canary/);
    assert.match(vault.open(sealed, bindingOf(one)), /canary-key/);
    assert.throws(() => vault.open(sealed, bindingOf(other)));
  });

  it('stays the same when vault keys rotate, and is not replaced where its key is lost', async () => {
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
