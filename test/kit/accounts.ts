import { after, before } from 'node:test';
import { type TurnedClock, turnedClock } from '../../src/core/clock.ts';
import { systemRandom } from '../../src/core/ids.ts';
import { silentLog } from '../../src/core/log.ts';
import type { VaultKey } from '../../src/core/settings/index.ts';
import type { Database } from '../../src/db/database.ts';
import { issueApiKey } from '../../src/domain/access/accounts/api-key.ts';
import { type Accounts, type Actor, createAccounts } from '../../src/domain/access/accounts/index.ts';
import { type Engine, makePlace, type Place } from './databases.ts';

/** A key that protects nothing, for tests only. */
export const TEST_KEYS: readonly VaultKey[] = [{ id: 'k1', key: Buffer.alloc(32, 1) }];

export const ADMIN: Actor = { name: 'admin', ip: '192.0.2.1', requestId: 'test-1' };

/** A well-formed key that was never issued. */
export const unknownKey = (): string => issueApiKey(systemRandom).key;

/** Accounts on an empty database, with a clock that the test advances. */
export interface AccountsWorld {
  readonly place: Place;
  readonly clock: TurnedClock;
  readonly database: Database;
  readonly accounts: Accounts;
  /** A user with one key, of the free tier by default. */
  userWithKey(tier?: string): Promise<{ readonly id: number; readonly keyId: string; readonly key: string }>;
}

/** Created before and removed after the tests of the suite that calls it. */
export function accountsWorld(engine: Engine): AccountsWorld {
  let made: { place: Place; database: Database; accounts: Accounts } | undefined;
  const clock = turnedClock();
  const open = () => {
    if (made === undefined) throw new Error('the world is made before the tests, not yet now');
    return made;
  };
  let users = 0;
  before(async () => {
    const place = await makePlace(engine);
    const database = await place.open(clock);
    made = { place, database, accounts: await openAccounts(database, clock) };
  });
  after(async () => {
    const { accounts, database, place } = open();
    await accounts.close();
    await database.close();
    await place.remove();
  });
  return {
    clock,
    get place() {
      return open().place;
    },
    get database() {
      return open().database;
    },
    get accounts() {
      return open().accounts;
    },
    async userWithKey(tier = 'free') {
      users += 1;
      const { accounts } = open();
      const { id } = await accounts.users.create(
        { email: `user${users}@example.com`, name: '', tier },
        ADMIN,
      );
      const key = await accounts.keys.create(id, { label: '' }, ADMIN);
      return { id, keyId: key.id, key: key.api_key };
    },
  };
}

export function openAccounts(
  database: Database,
  clock: TurnedClock,
  vaultKeys: readonly VaultKey[] = TEST_KEYS,
): Promise<Accounts> {
  return createAccounts({ database, clock, random: systemRandom, log: silentLog, vaultKeys });
}
