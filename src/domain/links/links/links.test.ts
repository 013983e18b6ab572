import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, beforeEach, it } from 'node:test';
import { sql } from 'kysely';
import { type Core, type CoreWorld, makeCoreWorld } from '../../../../test/kit/core-world.ts';
import { type Engine, onEachEngine } from '../../../../test/kit/databases.ts';
import { until } from '../../../../test/kit/until.ts';
import { testVendor } from '../../../../test/kit/vendor-for-tests.ts';
import { AppError } from '../../../core/errors.ts';
import { createVault, rotateVault } from '../../vendor-calls/calls/index.ts';
import { createLinkStore } from './store.ts';

const SECRET = `canary-${randomBytes(9).toString('hex')}`;

/** Everything that the database holds, as it stands on the disk or comes out of a dump. */
const DUMP: Readonly<Record<Engine, (core: CoreWorld) => Promise<string>>> = {
  async sqlite({ database, place }) {
    await sql`PRAGMA wal_checkpoint(TRUNCATE)`.execute(database.queries);
    const files = readdirSync(place.dataDir).filter((name) => name.startsWith('elnav.sqlite'));
    return files.map((name) => readFileSync(join(place.dataDir, name), 'latin1')).join('');
  },
  async postgres({ database }) {
    const tables = await database.queries.introspection.getTables();
    const schema = await sql<{ schema: string }>`select current_schema() as schema`.execute(database.queries);
    const own = tables.filter((table) => table.schema === schema.rows[0]?.schema);
    const rows = await Promise.all(
      own.map(({ name }) =>
        sql`select to_jsonb(t) as row from ${sql.table(name)} t`.execute(database.queries),
      ),
    );
    return JSON.stringify(rows.map((one) => one.rows));
  },
};

onEachEngine('links', (engine) => {
  const vendor = testVendor();
  const dumb = testVendor({ slug: 'dumb' });
  let core: CoreWorld;
  let account: number;
  before(async () => {
    core = await makeCoreWorld(engine, [vendor.adapter, dumb.adapter]);
  });
  after(() => core.remove());
  beforeEach(async () => {
    account = await core.newAccount();
    vendor.devices = ['light-1', 'charger-1'];
    vendor.reading = { online: true, on: false, watt: 10 };
    vendor.calls.length = 0;
    vendor.onLink = async () => {};
    vendor.onRead = async () => {};
  });

  const idsOf = async (process: Core, owner: number) => (await process.list(owner)).map(({ id }) => id);

  it('links take their tokens along, out of the memory too', async () => {
    await core.link(account, 'testvendor');
    const [link] = await core.links.list(account);
    const key = { account, link: link?.id ?? '' };
    const tokens = { access: 'a', refresh: null, expiresAt: core.clock.now() + 3_600_000 };
    await core.calls.tokens.put(core.database.queries, key, tokens);
    const keeper = core.calls.tokens.keeper(key, () => Promise.reject(new Error('it is not renewed')));
    assert.equal((await keeper.current()).access, 'a');
    await core.links.remove(account, key.link);
    await assert.rejects(keeper.current(), { code: 'vendor.login_expired' });
  });

  it('links are updated when the same vendor account is linked again, and keep their id and states', async () => {
    const first = await core.link(account, 'testvendor', { user: 'anna', password: 'old' });
    const [link] = await core.links.list(account);
    await core.read(account, 'light-1');
    vendor.devices = ['light-1', 'light-2'];
    const second = await core.links.link({
      account,
      vendor: 'testvendor',
      userRef: 'renamed',
      credentials: { user: 'anna', password: 'new' },
      begun: async () => {},
    });
    assert.deepEqual(
      first.map(({ id }) => id),
      ['charger-1', 'light-1'],
    );
    assert.deepEqual(
      second.devices.map(({ id }) => id),
      ['light-1', 'light-2'],
    );
    const after = await core.links.list(account);
    assert.equal(after.length, 1);
    assert.deepEqual(after[0], { ...link, user_ref: 'renamed', status_since: after[0]?.status_since });
    const states = (await core.list(account)).map(({ id, state }) => [id, state !== undefined]);
    assert.deepEqual(states, [
      ['light-1', true],
      ['light-2', false],
    ]);
    const passwords: unknown[] = [];
    vendor.onRead = async (_device, session) => {
      passwords.push(session.credentials.password);
    };
    await core.read(account, 'light-1');
    assert.deepEqual(passwords, ['new'], 'the new credentials are used at once');
  });

  it('links of two accounts stay two', async () => {
    const other = await core.newAccount();
    await core.link(account, 'testvendor');
    await core.link(other, 'testvendor');
    const [mine] = await core.links.list(account);
    const [theirs] = await core.links.list(other);
    assert.notEqual(mine?.id, theirs?.id);
    for (const id of [mine?.id ?? '', 'nothing', ''])
      await assert.rejects(core.links.remove(other, id), { code: 'link.not_found' });
    await core.links.remove(other, theirs?.id ?? '');
    assert.deepEqual(await idsOf(core, account), ['charger-1', 'light-1']);
    assert.deepEqual(await idsOf(core, other), []);
  });

  it('links are as many as the account may have, and one that is there can be linked again', async () => {
    core.bounds.links = 2;
    await core.link(account, 'testvendor', { user: 'anna', password: 'a' });
    await core.link(account, 'dumb', { user: 'anna', password: 'a' });
    await assert.rejects(core.link(account, 'testvendor', { user: 'berit', password: 'b' }), {
      code: 'link.too_many',
      message: /^the account has 2 links, /,
    });
    await core.link(account, 'testvendor', { user: 'anna', password: 'new' });
    assert.equal((await core.links.list(account)).length, 2);
    core.bounds.links = 1_000;
  });

  it('links are listed whole, however many pages that takes', async () => {
    await core.link(account, 'testvendor');
    const { queries } = core.database;
    const made = queries.selectFrom('links').selectAll().where('account_id', '=', account);
    const row = await made.executeTakeFirstOrThrow();
    const copies = Array.from({ length: 100 }, (_, index) => index);
    for (let hundred = 0; hundred < 10; hundred += 1)
      await queries
        .insertInto('links')
        .values(
          copies.map((of) => ({ ...row, id: `copy${hundred}x${of}`, vendor_account: `${hundred} ${of}` })),
        )
        .execute();
    const listed = await core.links.list(account);
    assert.equal(new Set(listed.map(({ id }) => id)).size, 1_001);
    assert.deepEqual(
      listed.filter(({ device_count }) => device_count > 0).map(({ id }) => id),
      [row.id],
    );
    assert.equal((await core.links.page(account, { limit: 1_000 })).links.length, 1_000);
    await queries.deleteFrom('links').where('account_id', '=', account).execute();
  });

  it('links may have no devices', async () => {
    vendor.devices = [];
    assert.deepEqual(await core.link(account, 'testvendor'), []);
    assert.equal((await core.links.list(account))[0]?.device_count, 0);
  });

  it('links are revoked at the vendor with word of others that are of the same vendor account', async () => {
    const other = await core.newAccount();
    for (const one of [account, other]) await core.link(one, 'testvendor', { user: 'bea', password: SECRET });
    for (const one of [account, other])
      await core.links.remove(one, (await core.links.list(one))[0]?.id ?? '');
    const unlinked = vendor.calls.flatMap(({ call, isLast }) => (call === 'unlink' ? [isLast] : []));
    assert.deepEqual(unlinked, [false, true]);
  });

  it('links are forgotten whole', async () => {
    await core.link(account, 'testvendor', { user: 'anna', password: SECRET });
    const [link] = await core.links.list(account);
    const key = { account, link: link?.id ?? '' };
    await core.calls.documents(key).put('note', { a: 1 });
    await core.read(account, 'light-1');
    await core.links.remove(account, key.link);
    assert.equal(vendor.count('unlink', 'anna'), 1);
    assert.deepEqual(await core.links.list(account), []);
    assert.deepEqual(await core.list(account), []);
    assert.equal(await core.calls.documents(key).get('note'), undefined);
    assert.equal(await core.calls.find(key), undefined);
    await assert.rejects(core.read(account, 'light-1'), { code: 'device.not_found' });
    for (const table of ['links', 'devices', 'link_documents'] as const) {
      const rows = await core.database.queries
        .selectFrom(table)
        .select('account_id')
        .where('account_id', '=', account)
        .execute();
      assert.deepEqual(rows, [], table);
    }
  });

  it('links are deleted once, when two ask for it at once', async () => {
    await core.link(account, 'testvendor');
    const [link] = await core.links.list(account);
    let asked = 0;
    const both = Promise.withResolvers<void>();
    vendor.onUnlink = () => {
      asked += 1;
      if (asked === 2) both.resolve();
      return both.promise;
    };
    const remove = () => core.links.remove(account, link?.id ?? '');
    assert.deepEqual(await Promise.all([remove(), remove()]), [undefined, undefined]);
    vendor.onUnlink = async () => {};
    const { rows } = await sql`
      select type from events where account_id = ${account} and type = 'link.removed'`.execute(
      core.database.queries,
    );
    assert.equal(rows.length, 1);
  });

  it('links are one, when the same is linked many times at once', async () => {
    const many = await Promise.all(
      Array.from({ length: 8 }, () => core.link(account, 'testvendor', { user: 'anna', password: 'p' })),
    );
    assert.equal(new Set(many.map((devices) => JSON.stringify(devices))).size, 1);
    assert.equal((await core.links.list(account)).length, 1);
    assert.deepEqual(await idsOf(core, account), ['charger-1', 'light-1']);
  });

  it('links are refused for a vendor or credentials that do not exist, and nothing is kept', async () => {
    await assert.rejects(core.link(account, 'nobody'), {
      code: 'vendor.unknown',
      message: /dumb, testvendor/,
    });
    await assert.rejects(core.link(account, 'testvendor', { user: 'anna', password: 'wrong' }), {
      code: 'link.credentials_refused',
    });
    vendor.onLink = async () => {
      throw new TypeError(`a fault that names ${SECRET}`);
    };
    await assert.rejects(core.link(account, 'testvendor'), (error) => {
      assert.ok(error instanceof AppError && error.code === 'vendor.answer_invalid');
      assert.ok(!error.message.includes(SECRET));
      return true;
    });
    assert.deepEqual(await core.links.list(account), []);
  });

  it('links keep what was linked again while an older call still failed', async () => {
    await core.link(account, 'testvendor', { user: 'anna', password: 'old' });
    const gate = Promise.withResolvers<void>();
    let begun = false;
    vendor.onRead = async () => {
      begun = true;
      await gate.promise;
      throw new AppError('vendor.login_expired', 'link again');
    };
    const failing = core.read(account, 'light-1').catch((error: unknown) => error);
    await until('the vendor is asked', () => begun);
    core.clock.turn(1_000);
    await core.link(account, 'testvendor', { user: 'anna', password: 'new' });
    gate.resolve();
    await failing;
    const passwords: unknown[] = [];
    vendor.onRead = async (_device, session) => {
      passwords.push(session.credentials.password);
    };
    // The status is noted beside the answer; a turn of the database lets it arrive.
    await core.list(account);
    assert.equal((await core.links.list(account))[0]?.status, 'active');
    await core.read(account, 'light-1');
    assert.deepEqual(passwords, ['new']);
  });

  it('links are sealed: no credentials stand in the database in clear', async () => {
    await core.link(account, 'testvendor', { user: 'anna', password: SECRET });
    await core.read(account, 'light-1');
    const dump = await DUMP[engine](core);
    assert.ok(dump.includes('charger-1'), 'the dump holds what is not secret');
    assert.ok(!dump.includes(SECRET));
    assert.ok(!dump.includes(Buffer.from(SECRET).toString('base64').slice(0, 20)));
  });

  it('links do not open with what was sealed for another', async () => {
    const other = await core.newAccount();
    await core.link(account, 'testvendor', { user: 'anna', password: 'a' });
    await core.link(account, 'testvendor', { user: 'bertil', password: 'b' });
    await core.link(other, 'testvendor', { user: 'anna', password: 'c' });
    const store = createLinkStore(core.database);
    const mine = await store.page({ account, limit: 10 });
    const [theirs] = await store.page({ account: other, limit: 10 });
    const [first, second] = ['anna', 'bertil'].map((user) => mine.find((row) => row.vendorAccount === user));
    assert.ok(first !== undefined && second !== undefined && theirs !== undefined);
    assert.equal(core.calls.credentials.unseal(first).user, 'anna');
    for (const sealed of [second.sealed, theirs.sealed])
      assert.throws(() => core.calls.credentials.unseal({ ...first, sealed }), { code: 'vault.mismatch' });
    // The same swap in the table itself.
    await core.database.queries
      .updateTable('links')
      .set({ sealed_credentials: theirs.sealed.text })
      .where('account_id', '=', account)
      .where('id', '=', second.link)
      .execute();
    core.calls.forget(second);
    await assert.rejects(core.read(account, 'light-1'), { code: 'vault.mismatch' });
  });

  it('links are sealed again when the key changes, while the old one still opens', async () => {
    await core.link(account, 'testvendor', { user: 'anna', password: SECRET });
    const keys = [
      { id: 'k2', key: randomBytes(32) },
      { id: 'k1', key: Buffer.alloc(32, 1) },
    ];
    const vault = createVault(keys, randomBytes);
    const store = createLinkStore(core.database);
    const [signedIn] = (await store.page({ account, limit: 10 })).toReversed();
    assert.ok(signedIn !== undefined);
    const given = { access: 'access', refresh: 'refresh', expiresAt: 2_000_000_000_000 };
    await core.calls.tokens.put(core.database.queries, signedIn, given);
    // The link that the test before tampered with is told, stays as it is, and does not hold up the others.
    const first = await rotateVault(core.database, vault);
    assert.ok(first.resealed >= 2);
    assert.equal(first.unreadable.length, 1);
    assert.deepEqual(await rotateVault(core.database, vault), { resealed: 0, unreadable: first.unreadable });
    const [row] = await store.page({ account, limit: 10 });
    assert.ok(row !== undefined);
    assert.equal(row.sealed.keyId, 'k2');
    const onlyNew = createVault(keys.slice(0, 1), randomBytes);
    const kept = await core.database.queries
      .selectFrom('link_tokens')
      .selectAll()
      .where('link_id', '=', signedIn.link)
      .executeTakeFirstOrThrow();
    assert.deepEqual(
      JSON.parse(
        onlyNew.open(
          { keyId: kept.vault_key, text: kept.sealed_tokens },
          { account, link: signedIn.link, field: 'tokens' },
        ),
      ),
      given,
    );
    const plain = onlyNew.open(row.sealed, { account, link: row.link, field: 'credentials' });
    assert.equal((JSON.parse(plain) as { password: string }).password, SECRET);
    assert.throws(() => core.calls.credentials.unseal(row), { code: 'vault.mismatch' });
  });
});
