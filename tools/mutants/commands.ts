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
    from: 'where ${moments.now} < deadline',
    to: 'where deadline > 0',
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
    from: 'if (await store.begin({ name, leaseMs: LEASE_MS })) return;',
    to: 'if ((await store.begin({ name, leaseMs: LEASE_MS })) || true) return;',
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
  {
    control: 'who did not acknowledge a change is told',
    file: 'src/domain/accounts/announce.ts',
    from: 'if (silent.length > 0) {',
    to: 'if (silent.length > 1_000) {',
    tests: ['src/domain/accounts/announce.test.ts'],
    needs: ['postgres'],
  },
  {
    control: 'a process soon finds out that it is cut off from the others',
    file: 'src/db/postgres-bus.ts',
    from: 'query_timeout: SILENT_MS,',
    to: 'query_timeout: 60_000,',
    tests: ['src/db/bus.test.ts'],
    needs: ['postgres'],
  },
  {
    control: 'a command whose process is gone is not waited for',
    file: 'src/db/postgres-bus.ts',
    from: 'if (peer !== undefined) lookAgain();',
    to: 'if (peer === -1) lookAgain();',
    tests: ['src/db/bus.test.ts'],
    needs: ['postgres'],
  },
  {
    control: 'a station that nobody can be asked for is not told as away',
    file: 'src/domain/commands/ask-holder.ts',
    from: "if (asked.state === 'lost') throw cutOff();",
    to: '',
    tests: ['src/domain/commands/elsewhere.test.ts'],
    needs: ['postgres'],
  },
  {
    control: "leases are judged by the database's clock",
    file: 'src/db/database.ts',
    from: 'clock.isTurned === true ? ownMoments(clock) : serverMoments(clock)',
    to: 'clock.isTurned === undefined || clock.isTurned ? ownMoments(clock) : serverMoments(clock)',
    tests: ['src/domain/commands/elsewhere.test.ts', 'src/db/lease.test.ts'],
    needs: ['postgres'],
  },
  {
    control: 'what ends a fault of a simulated device does not wait for its commands',
    file: 'src/vendors/sandbox/simulator.ts',
    from: "return typeof answer === 'string' ? failing(session, answer) : answer;",
    to: "return typeof answer === 'string' ? inTurn(session, device, async () => failing(session, answer)) : answer;",
    tests: ['test/journeys/sandbox.test.ts'],
  },
];
