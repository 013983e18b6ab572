import type { Mutant } from './mutant.ts';

const PLAN = 'src/domain/set-points/plan.ts';
const STORE = 'src/domain/set-points/store.ts';
const PLAN_TESTS = ['src/domain/set-points/plan.test.ts'];
const TESTS = ['src/domain/set-points/set-points.test.ts'];
const REPORT_TESTS = ['src/domain/set-points/gateway-report.test.ts'];
const UNLINKING_TESTS = ['src/domain/set-points/unlinking.test.ts'];
const WILLS_TESTS = ['src/domain/set-points/wills.test.ts'];

/** Set-points: renewed while they are wanted, by one writer, and released. */
export const mutants: readonly Mutant[] = [
  {
    control: 'a set-point that was not renewed for long is not taken up again',
    file: PLAN,
    from: 'if (!isOver && !hasLapsed)',
    to: 'if (!isOver)',
    tests: PLAN_TESTS,
  },
  {
    control: 'a set-point ends with its time',
    file: PLAN,
    from: 'const isOver = until !== null && now >= until;',
    to: 'const isOver = until !== null && now > until + 1e9;',
    tests: PLAN_TESTS,
  },
  {
    control: 'a command of unknown outcome is released, not repeated',
    file: PLAN,
    from: "  if (planned.isInDoubt) return { step: 'release', reason: 'unknown' };\n",
    to: '',
    tests: PLAN_TESTS,
  },
  {
    control: 'a release is given up after a day',
    file: PLAN,
    from: 'if (now >= givenUpAt(planned))',
    to: 'if (now < 0)',
    tests: PLAN_TESTS,
  },
  {
    control: 'a set-point is looked at when its time is over',
    file: PLAN,
    from: 'Math.min(left, periodMs(revertMs))',
    to: 'periodMs(revertMs)',
    tests: PLAN_TESTS,
  },
  {
    control: 'failures are retried less and less often',
    file: PLAN,
    from: 'FIRST_RETRY_MS * 2 ** Math.min(failures - 1, 10)',
    to: 'FIRST_RETRY_MS',
    tests: PLAN_TESTS,
  },
  {
    control: 'a device is sent its set-point before its timer ends',
    file: PLAN,
    from: 'KEPT_PERIOD_MS : revertMs / 3',
    to: 'KEPT_PERIOD_MS : revertMs * 3',
    tests: PLAN_TESTS,
  },
  {
    control: 'a command that the device refused leaves what was in force',
    file: STORE,
    from: 'await ofVersion(of).set({ next_json: null, due_at: moments.now }).execute();',
    to: 'await removal(of).execute();',
    tests: TESTS,
  },
  {
    control: 'the newest command of all accounts is the only one that is renewed',
    file: STORE,
    from: 'command_type = ${of.type} and account_id <> ${of.account}',
    to: 'command_type = ${of.type} and account_id < 0 and account_id <> ${of.account}',
    tests: TESTS,
  },
  {
    control: 'a link with a device that would keep its set-point waits for its deletion',
    file: 'src/domain/set-points/index.ts',
    from: 'row.removesLinkOf === link.linkedAt && endsAt(row) !== undefined',
    to: 'row.removesLinkOf === link.linkedAt',
    tests: UNLINKING_TESTS,
  },
  {
    control: 'a link that is being deleted takes no set-point',
    file: STORE,
    from: 'return rows.length > 0;',
    to: 'return rows.length >= 0;',
    tests: UNLINKING_TESTS,
  },
  {
    control: 'what was sent since is not ended by what a gateway did before',
    file: 'src/domain/set-points/gateway-report.ts',
    from: ' || row.version !== version',
    to: '',
    tests: REPORT_TESTS,
  },
  {
    control: 'what a gateway only began to release is released once more',
    file: 'src/domain/set-points/gateway-report.ts',
    from: "if (state === 'done') await keeper.over(row);",
    to: "if (state === 'done' || state === 'begun') await keeper.over(row);",
    tests: REPORT_TESTS,
  },
  {
    control: 'a gateway speaks of the set-points of its own account alone',
    file: 'src/domain/set-points/gateway-report.ts',
    from: 'await store.ofDevice(account, named.vendor, named.device)',
    to: 'await store.ofDevice(1, named.vendor, named.device)',
    tests: REPORT_TESTS,
  },
  {
    control: 'a gateway that is too old is asked nothing',
    file: 'src/domain/set-points/wills.ts',
    from: "return keeps === 'yes' ? gateway : undefined;",
    to: 'return gateway;',
    tests: WILLS_TESTS,
  },
  {
    control: 'what a gateway could not be told fails no command',
    file: 'src/domain/set-points/wills.ts',
    from: '      failing.add(gateway);\n',
    to: '      throw error;\n',
    tests: WILLS_TESTS,
  },
];
