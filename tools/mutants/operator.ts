import type { Mutant } from './mutant.ts';

const PAGES = ['src/apps/grid/routes/operator.test.ts'];
const SECTIONS = ['src/apps/grid/routes/operator-sections.test.ts'];
const VENDORS_OF_ACCOUNT = ['src/apps/grid/routes/operator-account-vendors.test.ts'];

/** The operator's pages: who gets in, and what a change needs. */
export const mutants: readonly Mutant[] = [
  {
    control: 'only an account with the role uses the pages of the operator',
    file: 'src/apps/grid/operator/caller.ts',
    from: "if (profile?.role !== 'operator')",
    to: 'if (profile === undefined)',
    tests: PAGES,
  },
  {
    control: 'a session of the operator changes nothing before changes are turned on',
    file: 'src/apps/grid/operator/scope.ts',
    from: 'if (!asked.canChange)',
    to: "if (request.url === '')",
    tests: PAGES,
  },
  {
    control: 'changes turn off by themselves',
    file: 'src/domain/operators/store.ts',
    from: "    .where('session_sha256', '=', sha256)\n    .where('expires_at', '>', now)\n",
    to: "    .where('session_sha256', '=', sha256)\n",
    tests: PAGES,
  },
  {
    control: 'a change is made only after it was confirmed',
    file: 'src/apps/grid/operator/scope.ts',
    from: "if (form.text('confirmed') !== 'yes')",
    to: "if (form.text('confirmed') === 'never')",
    tests: PAGES,
  },
  {
    control: 'a confirmation that is too old is asked for again',
    file: 'src/apps/grid/operator/scope.ts',
    from: 'if (!isFreshFormToken(token, clock))',
    to: "if (request.url === '')",
    tests: PAGES,
  },
  {
    control: 'a confirmation that is sent twice is carried out once',
    file: 'src/apps/grid/operator/scope.ts',
    from: 'if (!(await operators.takeForm(token)))',
    to: 'if ((await operators.takeForm(token)) === undefined)',
    tests: PAGES,
  },
  {
    control: 'sessions of the operator end when the admin token changes',
    file: 'src/domain/operators/index.ts',
    from: 'row.token_hash !== hashes.by(row.token_key, adminToken.reveal())',
    to: "row.token_hash === ''",
    tests: PAGES,
  },
  {
    control: 'a session of the operator ends after an hour without use',
    file: 'src/domain/operators/store.ts',
    from: "    .where('used_at', '>', usedAfter)\n",
    to: '',
    tests: PAGES,
  },
  {
    control: 'a session of the operator ends after eight hours',
    file: 'src/domain/operators/store.ts',
    from: "    .where('created_at', '>', createdAfter)\n",
    to: '',
    tests: PAGES,
  },
  {
    control: 'a wrong admin token in a form counts towards a ban',
    file: 'src/http/gate.ts',
    from: "await judgeToken(ip, token, 'the admin token is wrong');",
    to: "if (!adminToken.equals(token)) throw new AppError('admin.token_invalid', 'the admin token is wrong');",
    tests: PAGES,
  },
  {
    control: 'other sites do not send the cookie of the operator',
    file: 'src/apps/grid/operator/cookie.ts',
    from: "sameSite: 'strict'",
    to: "sameSite: 'lax'",
    tests: PAGES,
  },
  {
    control: 'an account with the role gives it to nobody',
    file: 'src/apps/grid/routes/operator-account-changes.ts',
    from: 'if (asked.operator.account !== null)',
    to: 'if (asked.operator.account?.id === -1)',
    tests: PAGES,
  },
  {
    control: 'an operator with an account creates no link that signs in as another operator',
    file: 'src/apps/grid/routes/operator-account-changes.ts',
    from: "if (role === 'operator' && operator.account !== null && operator.account.id !== id)",
    to: "if (role === 'operator' && operator.account?.id === -1)",
    tests: SECTIONS,
  },
  {
    control: 'the links of an account are counted without those of others',
    file: 'src/domain/links/store.ts',
    from: "counts.where('account_id', '=', account)",
    to: "counts.where('account_id', '>', account - account)",
    tests: VENDORS_OF_ACCOUNT,
  },
  {
    control: 'the devices of an account are counted without those of others',
    file: 'src/domain/devices/store-counts.ts',
    from: "    .where('account_id', '=', account)\n",
    to: "    .where('account_id', '>', account - account)\n",
    tests: VENDORS_OF_ACCOUNT,
  },
];
