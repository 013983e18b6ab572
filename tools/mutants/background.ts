import type { Mutant } from './mutant.ts';

const LOOP = 'src/core/loop.ts';
const LOOP_TESTS = ['src/core/loop.test.ts'];
const CLAIM = 'src/db/claim.ts';
const CLAIM_TESTS = ['src/db/claim.test.ts'];

export const mutants: readonly Mutant[] = [
  {
    control: 'a read that is under way is not planned for when its claim ends',
    file: 'src/domain/devices/next-read.ts',
    from: 'const isBySelf = isUnderWay ||',
    to: 'const isBySelf =',
    tests: ['src/domain/devices/next-read.test.ts'],
  },
  {
    control: 'nobody is promised a read of a link whose user must sign in again',
    file: 'src/domain/devices/next-read.ts',
    from: "if (plan.isLinkLost) return without('needs_relink');",
    to: '',
    tests: ['src/domain/devices/next-read.test.ts'],
  },
  {
    control: 'a device is not remembered with the plan before its last background read',
    file: 'src/domain/devices/index.ts',
    from: 'for (const { account, id } of devices) lookup.forget(account, id);',
    to: 'void devices;',
    tests: ['src/domain/polling/polling.test.ts'],
  },
  {
    control: 'a device that is refused slows down no other of its link',
    file: 'src/domain/polling/turn.ts',
    from: 'if (fault !== undefined && all.length === 0) throw fault;',
    to: 'if (fault !== undefined) throw fault;',
    tests: ['src/domain/polling/polling.test.ts'],
  },
  {
    control: 'background work never runs twice at once',
    file: LOOP,
    from: 'else if (running === undefined) begin();',
    to: 'else if (!isWanted) begin();',
    tests: LOOP_TESTS,
  },
  {
    control: 'background work that is closed starts no further run',
    file: LOOP,
    from: '    if (isClosed) return;\n    if (withinMs > 0)',
    to: '    if (withinMs > 0)',
    tests: LOOP_TESTS,
  },
  {
    control: 'those who wait for a run learn that it failed',
    file: LOOP,
    from: 'caller.reject(error);',
    to: 'caller.resolve();',
    tests: LOOP_TESTS,
  },
  {
    control: 'a failure of background work that repeats itself is logged once an hour',
    file: LOOP,
    from: 'if (logged?.reason === reason && now - logged.at < LOGGED_AGAIN_MS) return;',
    to: '',
    tests: LOOP_TESTS,
  },
  {
    control: 'rows that a process has claimed are claimed by no other',
    file: CLAIM,
    from: '${moments.nowOnce} + ${claimMs}',
    to: '${moments.nowOnce} - ${claimMs}',
    tests: CLAIM_TESTS,
  },
  {
    control: 'claiming rows does not wait for another claim',
    file: CLAIM,
    from: 'sql`for update skip locked`',
    to: 'sql`for update`',
    tests: CLAIM_TESTS,
    needs: ['postgres'],
  },
  {
    control: 'a link is deleted without a deadlock with what its devices end with',
    file: 'src/domain/links/store.ts',
    from: "['device_turns', 'device_id'],",
    to: '',
    tests: ['test/faults/lock-order.test.ts'],
    needs: ['postgres'],
  },
  {
    control: 'vendors are told the address of their own webhooks',
    file: 'src/domain/deliveries/index.ts',
    from: '    ...options.host,\n    ...options,\n',
    to: '    ...options,\n    ...options.host,\n    urlOf: () => undefined,\n',
    tests: ['test/journeys/simulated-webhooks.test.ts'],
  },
];
