import type { Mutant } from './mutant.ts';

const REPEATED = ['src/outbound/repeated.test.ts'];
const FAILING = ['src/outbound/failing.test.ts'];
const INCIDENTS = ['src/domain/calls/incidents.test.ts'];
const COMMANDS = ['src/domain/calls/vendor-http.test.ts'];

/** What goes wrong at a vendor stays there: with the link, the device or the call that it belongs to. */
export const mutants: readonly Mutant[] = [
  {
    control: 'one sick link does not have a vendor left alone',
    file: 'src/outbound/breaker.ts',
    from: 'failures >= FAILURES && (isOfAll || failing.size >= SUBJECTS)',
    to: 'failures >= FAILURES && SUBJECTS > 0',
    tests: REPEATED,
  },
  {
    control: 'after a pause a sick link does not keep the others out',
    file: 'src/outbound/breaker.ts',
    from: 'if (again > 0) return again;',
    to: 'if (again > Number.MAX_VALUE) return again;',
    tests: REPEATED,
  },
  {
    control: 'a vendor to which nobody can connect is left alone, whoever called',
    file: 'src/outbound/client.ts',
    from: 'isUnconnected: !error.wasSent',
    to: 'isUnconnected: false',
    tests: REPEATED,
  },
  {
    control: 'calls that subscribe do not have a vendor left alone',
    file: 'src/outbound/client.ts',
    from: 'else if (isAside) breaker.unsettled();',
    to: 'else if (isAside && subject === undefined) breaker.unsettled();',
    tests: REPEATED,
  },
  {
    control: 'a 429 without a delay is not repeated',
    file: 'src/outbound/retry-delay.ts',
    from: "if (failure.kind === 'rate_limited' && asked === 0) return null;",
    to: '',
    tests: REPEATED,
  },
  {
    control: 'a failure says that nothing was sent only where no connection stood',
    file: 'src/outbound/exchange.ts',
    from: '    wasSent = true;',
    to: '    wasSent = false;',
    tests: FAILING,
  },
  {
    control: 'a command that was sent once and then got nowhere may have been taken',
    file: 'src/outbound/client.ts',
    from: 'call.wasSent ||= error.wasSent;',
    to: 'call.wasSent = error.wasSent;',
    tests: FAILING,
  },
  {
    control: 'a command that was sent and not answered is not to be sent again later',
    file: 'src/adapter/vendor-failure.ts',
    from: 'if (cause.isOutcomeUnknown) return outcomeUnknown(name, cause);',
    to: '',
    tests: COMMANDS,
  },
  {
    control: 'a command that never left may be sent again',
    file: 'src/adapter/http.ts',
    from: 'return this.wasSent;',
    to: 'return true;',
    tests: COMMANDS,
  },
  {
    control: 'a page is no answer to a command',
    file: 'src/domain/calls/vendor-http.ts',
    from: 'json: () => read(() => answer.json()),',
    to: 'json: () => answer.json(),',
    tests: COMMANDS,
  },
  {
    control: 'nothing is sent while a vendor refuses calls',
    file: 'src/domain/calls/clients.ts',
    from: 'await budgets.blocks.check({ adapter, host: call.host, link });',
    to: '',
    tests: INCIDENTS,
  },
  {
    control: 'what we hold back ourselves is no block of the vendor',
    file: 'src/domain/budgets/blocks.ts',
    from: 'if (!isLimit || isOurs) return undefined;',
    to: 'if (!isLimit) return undefined;',
    tests: INCIDENTS,
  },
  {
    control: 'a block in words of the vendor is remembered',
    file: 'src/domain/calls/with-vendor.ts',
    from: 'await clients.learn(error, link, trace);',
    to: '',
    tests: INCIDENTS,
  },
  {
    control: 'a block of the address is of everybody',
    file: 'src/domain/budgets/blocks.ts',
    from: "if (of.has('address')) return '';",
    to: '',
    tests: INCIDENTS,
  },
  {
    control: 'a block of a link holds up nobody else',
    file: 'src/domain/budgets/blocks.ts',
    from: "if (!of.has('app')) return subjectOf(link);",
    to: '',
    tests: INCIDENTS,
  },
  {
    control: 'fresh tokens that are refused unlink nobody within a day',
    file: 'src/domain/calls/link-records.ts',
    from: 'now - refusedSince >= REFUSED_MS',
    to: 'now - refusedSince >= 0',
    tests: INCIDENTS,
  },
  {
    control: 'a link that needs linking again is tried once in a while',
    file: 'src/domain/polling/turn.ts',
    from: 'if (isTry) return read(turn, adapter, due);',
    to: '',
    tests: INCIDENTS,
  },
  {
    control: 'what was parked begins again when a link heals',
    file: 'src/domain/calls/link-records.ts',
    from: "if (known.status === 'needs_relink' && status === 'active') await healed({ ...known, ...written });",
    to: '',
    tests: INCIDENTS,
  },
  {
    control: 'an outage is no news of a link that needs linking again',
    file: 'src/domain/calls/link-records.ts',
    from: "if (known.status === 'needs_relink' && status === 'unreachable') return;",
    to: '',
    tests: INCIDENTS,
  },
  {
    control: 'a renewal is not given up with its caller',
    file: 'src/domain/calls/clients.ts',
    from: 'const RENEWAL_MS = 60_000;',
    to: 'const RENEWAL_MS = 10_000;',
    tests: INCIDENTS,
  },
];
