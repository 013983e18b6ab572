import type { Mutant } from './mutant.ts';

const LANE = 'src/domain/commands/lane.ts';
const LOST = ['src/domain/commands/lost-database.test.ts'];
const KEYS = 'src/domain/accounts/idempotency.ts';
const KEY_STORE = 'src/domain/accounts/store-idempotency.ts';
const KEY_TESTS = ['src/domain/accounts/idempotency.test.ts'];

export const mutants: readonly Mutant[] = [
  {
    control: 'the end of a command is stored again until the database takes it',
    file: 'src/db/until-stored.ts',
    from: 'if (isClosed || clock.now() >= givenUpAt',
    to: 'if (attempt >= 0 || clock.now() >= givenUpAt',
    tests: LOST,
  },
  {
    control: 'a database that fails while a command is being sent leaves its outcome unknown',
    file: LANE,
    from: 'const told = isSent ? afterSending(error) : error;',
    to: 'const told = error;',
    tests: LOST,
    needs: ['postgres'],
  },
  {
    control: 'what was never sent leaves no entry behind',
    file: LANE,
    from: '        void withdraw(entry.account, id);\n',
    to: '',
    tests: LOST,
    needs: ['postgres'],
  },
  {
    control: 'the database makes no entry of a command after its deadline',
    file: 'src/domain/commands/store.ts',
    from: 'where ${moments.now} < ${start.deadline}',
    to: 'where ${start.deadline} > 0',
    tests: LOST,
  },
  {
    control: 'a key never keeps an error of the database that came after its request had begun',
    file: 'src/http/idempotency.ts',
    from: "if (!told.code.startsWith('database.')) return error;",
    to: 'if (told.code.length > 0) return error;',
    tests: ['test/faults/keys-of-lost-databases.test.ts'],
    needs: ['postgres'],
  },
  {
    control: 'a key whose request never began is given back though the claim was not answered',
    file: KEYS,
    from: 'const release = () => void hold(mine).release();',
    to: 'const release = () => void mine;',
    tests: ['test/faults/keys-of-lost-databases.test.ts'],
    needs: ['postgres'],
  },
  {
    control: 'a request that has lost its key begins no more',
    file: KEYS,
    from: 'if (await store.begin(name, LEASE_MS)) return;',
    to: 'if ((await store.begin(name, LEASE_MS)) || true) return;',
    tests: KEY_TESTS,
  },
  {
    control: 'the lease of a key ends soon after its process has died',
    file: KEYS,
    from: 'const LEASE_MS = 10_000;',
    to: 'const LEASE_MS = 30 * 24 * 3_600_000;',
    tests: KEY_TESTS,
  },
  {
    control: 'a key that never began is free again when its process has died',
    file: KEY_STORE,
    from: ".where('begun', '=', 0)\n        .where('lease_until', '<=', moments.now)",
    to: ".where('begun', '=', 2)\n        .where('lease_until', '<=', moments.now)",
    tests: KEY_TESTS,
  },
  {
    control: 'a request that runs long is prolonged',
    file: KEYS,
    from: 'await store.prolong(name, LEASE_MS);',
    to: 'await Promise.resolve(name);',
    tests: KEY_TESTS,
  },
];
