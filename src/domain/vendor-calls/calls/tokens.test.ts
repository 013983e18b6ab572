import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openAccounts } from '../../../../test/kit/accounts.ts';
import { makePlace, onEachEngine, type Place } from '../../../../test/kit/databases.ts';
import { until } from '../../../../test/kit/until.ts';
import type { Tokens } from '../../../adapter/login.ts';
import { type TurnedClock, turnedClock } from '../../../core/clock.ts';
import { HOUR_MS } from '../../../core/durations.ts';
import { AppError } from '../../../core/errors.ts';
import { systemRandom } from '../../../core/ids.ts';
import { silentLog } from '../../../core/log.ts';
import type { Database } from '../../../db/database.ts';
import { createTokenStore } from './store-tokens.ts';
import { createTokens } from './tokens.ts';
import { createVault } from './vault.ts';

const KEYS = [{ id: 'k1', key: Buffer.alloc(32, 7) }];

/** A vendor whose refresh tokens are good once. */
function rotatingVendor(clock: TurnedClock) {
  let good = 'refresh-0';
  let count = 0;
  const vendor = {
    asked: 0,
    /** Called after the vendor has rotated, before it answers. */
    onRotated: async () => {},
    first: (): Tokens => ({ access: 'access-0', refresh: 'refresh-0', expiresAt: clock.now() + HOUR_MS }),
    renew: async (old: Tokens): Promise<Tokens> => {
      vendor.asked += 1;
      if (old.refresh !== good) throw new AppError('vendor.login_expired', 'the vendor knows no such grant');
      count += 1;
      good = `refresh-${count}`;
      const fresh = { access: `access-${count}`, refresh: good, expiresAt: clock.now() + HOUR_MS };
      await vendor.onRotated();
      return fresh;
    },
  };
  return vendor;
}

onEachEngine('tokens', (engine) => {
  let place: Place;
  let database: Database;
  let account: number;
  const clock = turnedClock();
  const opened: Database[] = [];
  before(async () => {
    place = await makePlace(engine);
    database = await place.open(clock);
    opened.push(database);
    const accounts = await openAccounts(database, clock);
    const user = { email: 'a@example.com', name: '', tier: 'free' };
    account = (await accounts.users.create(user, { name: 'admin', ip: '192.0.2.1', requestId: 'r' })).id;
    await accounts.close();
  });
  after(async () => {
    for (const one of opened) await one.close();
    await place.remove();
  });

  const on = (own: Database, store = createTokenStore(own)) => {
    const vault = createVault(KEYS, systemRandom);
    return { store, tokens: createTokens({ bus: own.bus, store, vault, clock, log: silentLog }) };
  };
  let links = 0;
  /** A link with the vendor's first tokens. */
  async function linkTo(vendor: ReturnType<typeof rotatingVendor>) {
    links += 1;
    const key = { account, link: `link-${links}` };
    const own = on(database);
    await database.queries
      .insertInto('links')
      .values({
        account_id: account,
        id: key.link,
        vendor: 'v',
        vendor_account: `va-${links}`,
        user_ref: 'u',
        status: 'active',
        status_since: 0,
        status_reason: null,
        refused_since: null,
        created_at: 0,
        updated_at: 0,
        vault_key: 'k1',
        sealed_credentials: 'x',
      })
      .execute();
    await own.tokens.put(database.queries, key, vendor.first());
    return { key, ...own };
  }

  it('tokens are used until shortly before they end, then renewed', async () => {
    const vendor = rotatingVendor(clock);
    const { key, tokens } = await linkTo(vendor);
    const keeper = tokens.keeper(key, vendor.renew);
    assert.equal((await keeper.current()).access, 'access-0');
    clock.turn(HOUR_MS - 61_000);
    assert.equal((await keeper.current()).access, 'access-0');
    clock.turn(2_000);
    assert.equal((await keeper.current()).access, 'access-1');
    assert.equal(vendor.asked, 1);
  });

  it('tokens are renewed once for all who use a link', async () => {
    const vendor = rotatingVendor(clock);
    const { key, tokens } = await linkTo(vendor);
    const keeper = tokens.keeper(key, vendor.renew);
    const refused = await keeper.current();
    const all = await Promise.all(Array.from({ length: 50 }, () => keeper.renewed(refused)));
    assert.deepEqual(new Set(all.map(({ access }) => access)), new Set(['access-1']));
    assert.equal((await keeper.renewed(refused)).access, 'access-1', 'somebody has renewed them since');
    assert.equal(vendor.asked, 1);
  });

  it('tokens are stored before anybody uses them', async () => {
    const vendor = rotatingVendor(clock);
    const { key, tokens, store } = await linkTo(vendor);
    const fresh = await tokens.keeper(key, vendor.renew).renewed(vendor.first());
    const another = on(database).tokens.keeper(key, vendor.renew);
    assert.deepEqual(await another.current(), fresh);
    const row = await store.find(key);
    assert.doesNotMatch(JSON.stringify(row), /access-|refresh-/, 'what is stored is sealed');
  });

  it('tokens stay what they were while the vendor is unreachable or limits us', async () => {
    for (const code of ['vendor.unreachable', 'vendor.rate_limited', 'vendor.timeout'] as const) {
      const vendor = rotatingVendor(clock);
      const { key, tokens } = await linkTo(vendor);
      const failing = tokens.keeper(key, async () => {
        throw new AppError(code, 'not now');
      });
      await assert.rejects(failing.renewed(vendor.first()), { code });
      const again = await tokens.keeper(key, vendor.renew).renewed(vendor.first());
      assert.equal(again.access, 'access-1', code);
    }
  });

  it('tokens that the vendor knows no more are not asked about again', async () => {
    const vendor = rotatingVendor(clock);
    const { key, tokens } = await linkTo(vendor);
    const keeper = tokens.keeper(key, async (old) => vendor.renew({ ...old, refresh: 'another' }));
    for (let turn = 0; turn < 3; turn += 1)
      await assert.rejects(keeper.renewed(vendor.first()), { code: 'vendor.login_expired' });
    assert.equal(vendor.asked, 1);
    await tokens.put(database.queries, key, vendor.first());
    await tokens.forget(key);
    assert.equal((await tokens.keeper(key, vendor.renew).current()).access, 'access-0', 'linked again');
  });

  it('tokens of a process that died after the vendor rotated end as a lost login, without a loop', async () => {
    const vendor = rotatingVendor(clock);
    const { key, tokens, store } = await linkTo(vendor);
    // The process dies before it stores the new tokens.
    vendor.onRotated = () => new Promise(() => {});
    tokens
      .keeper(key, vendor.renew)
      .renewed(vendor.first())
      .catch(() => {});
    await until('it is so', () => vendor.asked === 1);
    let attempts = 0;
    const counted: typeof store = {
      ...store,
      async beginRenewal(row, lease) {
        const isTaken = await store.beginRenewal(row, lease);
        attempts += 1;
        return isTaken;
      },
    };
    const survivor = on(database, counted).tokens.keeper(key, vendor.renew);
    let end: string | undefined;
    survivor.renewed(vendor.first()).then(
      () => {
        end = 'renewed';
      },
      (error: AppError) => {
        end = error.code;
      },
    );
    let turned = 0;
    await until('the renewal of the survivor has ended', () => {
      // Only while it sleeps between two attempts: however slow the database is, time does not run ahead of it.
      if (attempts > turned) {
        turned = attempts;
        clock.turn(500);
      }
      return end !== undefined;
    });
    assert.equal(end, 'vendor.login_expired');
    await assert.rejects(survivor.current(), { code: 'vendor.login_expired' });
    assert.equal(vendor.asked, 2);
  });

  it('tokens of an account that is linked again are not overwritten by a renewal on its way', async () => {
    const vendor = rotatingVendor(clock);
    const { key, tokens } = await linkTo(vendor);
    const rotated = Promise.withResolvers<void>();
    vendor.onRotated = () => rotated.promise;
    const renewing = tokens.keeper(key, vendor.renew).renewed(vendor.first());
    await until('it is so', () => vendor.asked === 1);
    const signedIn = { access: 'new-access', refresh: 'new-refresh', expiresAt: clock.now() + HOUR_MS };
    clock.turn(1);
    await tokens.put(database.queries, key, signedIn);
    await tokens.forget(key);
    rotated.resolve();
    assert.deepEqual(await renewing, signedIn);
    assert.deepEqual(await tokens.keeper(key, vendor.renew).current(), signedIn);
  });

  it('tokens that were read before they changed are not kept', async () => {
    const vendor = rotatingVendor(clock);
    const { key, store } = await linkTo(vendor);
    const isRead = Promise.withResolvers<void>();
    const goesOn = Promise.withResolvers<void>();
    let slow = true;
    const tokens = createTokens({
      bus: database.bus,
      store: {
        ...store,
        async find(link) {
          const row = await store.find(link);
          if (!slow) return row;
          slow = false;
          isRead.resolve();
          await goesOn.promise;
          return row;
        },
      },
      vault: createVault(KEYS, systemRandom),
      clock,
      log: silentLog,
    });
    const reading = tokens.keeper(key, vendor.renew).current();
    await isRead.promise;
    const signedIn = { access: 'new-access', refresh: 'new-refresh', expiresAt: clock.now() + HOUR_MS };
    clock.turn(1);
    await tokens.put(database.queries, key, signedIn);
    await tokens.forget(key);
    goesOn.resolve();
    await reading;
    assert.deepEqual(await tokens.keeper(key, vendor.renew).current(), signedIn);
  });

  it('tokens are waited for when the process is to stop: what the vendor gave must be stored', async () => {
    const vendor = rotatingVendor(clock);
    const { key, tokens } = await linkTo(vendor);
    const rotated = Promise.withResolvers<void>();
    vendor.onRotated = () => rotated.promise;
    const renewing = tokens.keeper(key, vendor.renew).renewed(vendor.first());
    await until('it is so', () => vendor.asked === 1);
    let isSettled = false;
    const settled = tokens.settled().then(() => {
      isSettled = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(isSettled, false);
    rotated.resolve();
    await settled;
    const stored = await on(database).tokens.keeper(key, vendor.renew).current();
    assert.equal(stored.access, 'access-1');
    await renewing;
    await tokens.settled();
  });

  it('tokens are stored in the end when the database is unreachable for a moment', async () => {
    const vendor = rotatingVendor(clock);
    const { key, store } = await linkTo(vendor);
    let failures = 3;
    const shaky = createTokens({
      bus: database.bus,
      store: {
        ...store,
        renewed: async (...given) => {
          failures -= 1;
          if (failures >= 0) throw new AppError('database.unavailable', 'away');
          return store.renewed(...given);
        },
      },
      vault: createVault(KEYS, systemRandom),
      clock,
      log: silentLog,
    });
    let isDone = false;
    const renewing = shaky
      .keeper(key, vendor.renew)
      .renewed(vendor.first())
      .finally(() => {
        isDone = true;
      });
    await until('it is so', () => {
      clock.turn(200);
      return isDone;
    });
    assert.equal((await renewing).access, 'access-1');
    assert.equal((await on(database).tokens.keeper(key, vendor.renew).current()).access, 'access-1');
    assert.equal(vendor.asked, 1);
  });

  it('tokens that could not be stored are stored as soon as the database is back, though another has given up meanwhile', async () => {
    const vendor = rotatingVendor(clock);
    const { key, store } = await linkTo(vendor);
    const row = await store.find(key);
    assert.ok(row !== undefined);
    let isAway = true;
    const cutOff = createTokens({
      bus: database.bus,
      store: {
        ...store,
        renewed: async (...given) => {
          if (isAway) throw new AppError('database.unavailable', 'away');
          return store.renewed(...given);
        },
      },
      vault: createVault(KEYS, systemRandom),
      clock,
      log: silentLog,
    });
    let isDone = false;
    const renewing = cutOff.keeper(key, vendor.renew).renewed(vendor.first());
    const refused = assert.rejects(renewing, { code: 'database.unavailable' }).then(() => {
      isDone = true;
    });
    await until('it gives up', () => {
      clock.turn(200);
      return isDone;
    });
    await refused;
    // Another process has the old refresh token only, and learns that it is no longer valid.
    clock.turn(75_000);
    const other = on(database).tokens.keeper(key, vendor.renew);
    await assert.rejects(other.renewed(vendor.first()), { code: 'vendor.login_expired' });
    isAway = false;
    await until('it is stored', async () => {
      clock.turn(1_000);
      return (await store.find(key))?.version === row.version + 1;
    });
    assert.equal((await other.current()).access, 'access-1');
  });

  // The embedded database has one process.
  if (engine === 'sqlite') return;

  it('tokens are renewed by one of two processes', async () => {
    const vendor = rotatingVendor(clock);
    const { key, tokens, store } = await linkTo(vendor);
    const second = await place.open(clock);
    opened.push(second);
    const other = on(second).tokens;
    const both = [tokens, other].flatMap((one) =>
      Array.from({ length: 10 }, () => one.keeper(key, vendor.renew).renewed(vendor.first())),
    );
    let isDone = false;
    const all = Promise.all(both).finally(() => {
      isDone = true;
    });
    await until('it is so', async () => {
      clock.turn(100);
      // Time must not run ahead of a slow database: the lease would end.
      await store.find(key);
      return isDone;
    });
    assert.deepEqual(new Set((await all).map(({ access }) => access)), new Set(['access-1']));
    assert.equal(vendor.asked, 1);
  });

  it('tokens of several links are renewed in one statement, and each version only once', async () => {
    const first = await linkTo(rotatingVendor(clock));
    const second = await linkTo(rotatingVendor(clock));
    const { store } = first;
    const row = (await store.find(first.key)) ?? assert.fail();
    const other = (await store.find(second.key)) ?? assert.fail();
    const begin = (which: typeof row, renewer: string) =>
      store.beginRenewal(which, { renewer, leaseMs: 1_000 });
    assert.deepEqual(await Promise.all([begin(row, 'a'), begin(row, 'b'), begin(other, 'b')]), [
      true,
      false,
      true,
    ]);
    const sealed = (text: string) => ({ sealed: { keyId: 'k1', text }, expiresAt: 5 });
    const stale = { ...other, version: other.version - 1 };
    assert.deepEqual(
      await Promise.all([
        store.renewed(row, sealed('one')),
        store.renewed(row, sealed('two')),
        store.renewed(stale, sealed('three')),
      ]),
      [true, false, false],
    );
    const stored = await store.find(first.key);
    assert.deepEqual([stored?.sealed.text, stored?.version], ['one', row.version + 1]);
    assert.equal((await store.find(second.key))?.version, other.version);
  });
});

describe('tokens of a link that is being made', () => {
  it('tokens of a link that is being made are renewed in memory, and the latest are told', async () => {
    const clock = turnedClock();
    const vendor = rotatingVendor(clock);
    const tokens = createTokens({
      bus: { live: true, on: () => {}, onGap: () => {} } as never,
      store: {} as never,
      vault: createVault(KEYS, systemRandom),
      clock,
      log: silentLog,
    });
    const keeper = tokens.ofNew(vendor.first(), vendor.renew);
    clock.turn(HOUR_MS);
    const all = await Promise.all([keeper.current(), keeper.current()]);
    assert.deepEqual(
      all.map(({ access }) => access),
      ['access-1', 'access-1'],
    );
    assert.equal(keeper.latest().refresh, 'refresh-1');
  });
});
