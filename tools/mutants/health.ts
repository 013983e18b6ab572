import type { Mutant } from './mutant.ts';

const INSTANCES = 'src/domain/instances/index.ts';
const INSTANCE_TESTS = ['src/domain/instances/instances.test.ts'];
const PROBLEMS = 'src/apps/grid/health/problems.ts';
const PROBLEM_TESTS = ['src/apps/grid/health/problems.test.ts'];
const ROUTE_TESTS = ['src/apps/grid/routes/admin-health.test.ts'];
const PRICES_PAGE = 'src/apps/grid/routes/operator-prices.ts';
const PRICES_TESTS = ['src/apps/grid/routes/operator-prices.test.ts'];

export const mutants: readonly Mutant[] = [
  {
    control: 'a process that stops in good order leaves no row',
    file: INSTANCES,
    from: 'loop.close().then(() => store.remove(database.instance))',
    to: 'loop.close()',
    tests: INSTANCE_TESTS,
  },
  {
    control: 'a process that has said nothing for a while is dead',
    file: INSTANCES,
    from: 'isAlive: now - row.seen_at <= ALIVE_MS',
    to: 'isAlive: now - row.seen_at <= KEPT_MS',
    tests: INSTANCE_TESTS,
  },
  {
    control: 'dead processes are forgotten after an hour',
    file: INSTANCES,
    from: 'await store.removeSeenBefore(seenAt - KEPT_MS);',
    to: '',
    tests: INSTANCE_TESTS,
  },
  {
    control: 'a lease says which process holds it',
    file: 'src/db/lease.ts',
    from: "holder.split(OF, 1)[0] ?? ''",
    to: 'holder',
    tests: INSTANCE_TESTS,
    needs: ['postgres'],
  },
  {
    control: 'a part of the health that hangs holds up no other',
    file: 'src/apps/grid/health/parts.ts',
    from: 'await inTime(clock, read)',
    to: 'await read()',
    tests: ROUTE_TESTS,
  },
  {
    control: 'a part of the health that hangs is not asked again by everybody who looks',
    file: 'src/apps/grid/health/parts.ts',
    from: 'const SHARED_MS = 5_000;',
    to: 'const SHARED_MS = 0;',
    tests: ROUTE_TESTS,
  },
  {
    control: 'problems are listed worst first',
    file: PROBLEMS,
    from: 'return all.toSorted((a, b) => rank(a) - rank(b));',
    to: 'return all;',
    tests: PROBLEM_TESTS,
  },
  {
    control: 'what a process has said of itself does not stand beside what it checks now',
    file: PROBLEMS,
    from: 'isAlive && id !== self',
    to: 'isAlive',
    tests: PROBLEM_TESTS,
  },
  {
    control: 'an instance that is gone is critical where nobody else serves what it served',
    file: PROBLEMS,
    from: '!instances.some(({ isAlive, services }) => isAlive && services.includes(service))',
    to: '!instances.some(({ services }) => services.includes(service))',
    tests: PROBLEM_TESTS,
  },
  {
    control: 'links that need a new sign-in are no incident of the vendor',
    file: 'src/domain/links/store.ts',
    from: "        .where('refused_since', 'is not', null)\n        .where('status', '<>', 'needs_relink')",
    to: "        .where('refused_since', 'is not', null)",
    tests: ['src/domain/vendor-states/health.test.ts'],
  },
  {
    control: 'a back-fill that cannot be is refused before it is confirmed, beside its field',
    file: PRICES_PAGE,
    from: 'if (fault !== null) return { refused: await shown(asked, { ...form, fault }) };',
    to: '',
    tests: PRICES_TESTS,
  },
  {
    control: 'a back-fill begun by an operator is in the audit trail',
    file: 'src/apps/grid/market/backfill-changes.ts',
    from: "  await accounts.noteChange(actor, {\n    action: 'backfill.begun',",
    to: "  await accounts.noteChange(actor, {\n    action: 'nothing',",
    tests: PRICES_TESTS,
  },
];
