import type { Mutant } from './mutant.ts';

const GROUPS = 'src/db/group-commit.ts';
const GROUP_TESTS = ['src/db/group-commit.test.ts'];

const LOCK_TESTS = ['test/faults/lock-order.test.ts'];

export const mutants: readonly Mutant[] = [
  {
    control: 'commands to many devices at once share their commits',
    file: GROUPS,
    from: 'const MOST_AT_ONCE = 200;',
    to: 'const MOST_AT_ONCE = 1;',
    tests: ['src/domain/commands/shared-commits.test.ts'],
  },
  {
    control: 'a write that the database refuses fails no other of its commit',
    file: GROUPS,
    from: 'if (isSingle || !isOfOneWrite(error))',
    to: 'if (isSingle || !isOfOneWrite(error) || batches.length > 0)',
    tests: GROUP_TESTS,
  },
  {
    control: 'writes whose commit may have been made are not made again',
    file: GROUPS,
    from: "!(error instanceof AppError && error.code.startsWith('database.'));",
    to: "!(error instanceof AppError && error.code.startsWith('database.none'));",
    tests: GROUP_TESTS,
  },
  {
    control: 'batches of one kind of write run one after the other',
    file: GROUPS,
    from: '      await done;\n',
    to: '',
    tests: GROUP_TESTS,
  },
  {
    control: 'a commit of the embedded database waits for the disk',
    file: 'src/db/sqlite.ts',
    from: 'PRAGMA synchronous = FULL;',
    to: 'PRAGMA synchronous = NORMAL;',
    tests: GROUP_TESTS,
  },
  {
    control: 'closing the database waits for submitted writes',
    file: GROUPS,
    from: 'while (writing !== undefined) await writing;',
    to: 'await Promise.resolve();',
    tests: GROUP_TESTS,
  },
  {
    control: 'a command is durable before its vendor is asked',
    file: 'src/domain/commands/queue.ts',
    from: '      id = await entered(entry);',
    to: "      id = '';\n      entered(entry).catch(() => {});",
    tests: ['test/faults/commands-kill.test.ts'],
  },
  {
    control: 'processes that change the same rows lock them in the same order',
    file: 'src/db/rows.ts',
    from: '    order by ${sql.join(order)} for no key update',
    to: '    for no key update',
    tests: LOCK_TESTS,
    needs: ['postgres'],
  },
  {
    control: 'commands are entered in the same order by all processes',
    file: 'src/domain/commands/store.ts',
    from: '        order by account, vendor, device_id\n',
    to: '',
    tests: LOCK_TESTS,
    needs: ['postgres'],
  },
  {
    control: 'changes of the devices of a link lock them in the order in which their states are stored',
    file: 'src/domain/devices/store-lists.ts',
    from: "if (engine === 'sqlite') return;",
    to: "if (engine === 'sqlite' || account > 0) return;",
    tests: LOCK_TESTS,
    needs: ['postgres'],
  },
  {
    control: 'a commit waits for the disk, even if PostgreSQL is configured not to',
    file: 'src/db/postgres.ts',
    from: "set_config('synchronous_commit', 'on', false)",
    to: "set_config('synchronous_commit', 'off', false)",
    tests: GROUP_TESTS,
    needs: ['postgres'],
  },
  {
    control: 'concurrent reads share statements',
    file: 'src/db/shared-reads.ts',
    from: 'if (waiting.length === 0) setImmediate(readWaiting);\n      waiting.push({ key, resolve, reject });',
    to: 'void readBatch([{ key, resolve, reject }]);\n      if (waiting.length > 0) readWaiting();',
    tests: ['src/domain/commands/shared-commits.test.ts'],
  },
  {
    control: 'a migration does not break statements prepared before it',
    file: 'src/db/postgres.ts',
    from: 'if (!isOutdated(cause)) throw cause;',
    to: 'if (isOutdated(cause) || !isOutdated(cause)) throw cause;',
    tests: GROUP_TESTS,
    needs: ['postgres'],
  },
];
