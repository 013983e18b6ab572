import type { Mutant } from './mutant.ts';

const REPEATED = ['src/outbound/repeated.test.ts'];
const FAILING = ['src/outbound/failing.test.ts'];
const INCIDENTS = ['src/domain/calls/incidents.test.ts'];
const COMMANDS = ['src/domain/calls/vendor-http.test.ts'];

/** Faults at a vendor affect only their own link, device or call. */
export const mutants: readonly Mutant[] = [
  {
    control: 'one failing link does not open the breaker of a vendor',
    file: 'src/outbound/breaker.ts',
    from: 'failures >= FAILURES && (isOfAll || failing.size >= SUBJECTS)',
    to: 'failures >= FAILURES && SUBJECTS > 0',
    tests: REPEATED,
  },
  {
    control: 'after a pause a failing link does not block the others',
    file: 'src/outbound/breaker.ts',
    from: 'if (again > 0) return again;',
    to: 'if (again > Number.MAX_VALUE) return again;',
    tests: REPEATED,
  },
  {
    control: 'connection failures open the breaker, whichever link called',
    file: 'src/outbound/client.ts',
    from: 'isUnconnected: !error.wasSent',
    to: 'isUnconnected: false',
    tests: REPEATED,
  },
  {
    control: 'failed subscription calls do not open the breaker',
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
    control: 'a failure reports that nothing was sent only if there was no connection',
    file: 'src/outbound/exchange.ts',
    from: '    wasSent = true;',
    to: '    wasSent = false;',
    tests: FAILING,
  },
  {
    control: 'a command that was sent once and then failed to connect may have been executed',
    file: 'src/outbound/client.ts',
    from: 'call.wasSent ||= error.wasSent;',
    to: 'call.wasSent = error.wasSent;',
    tests: FAILING,
  },
  {
    control: 'a command without a response must not be retried later',
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
    control: 'an HTML page is no response to a command',
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
    control: 'a call refused by our own budget is no block of the vendor',
    file: 'src/domain/budgets/blocks.ts',
    from: 'if (!isLimit || isOurs) return undefined;',
    to: 'if (!isLimit) return undefined;',
    tests: INCIDENTS,
  },
  {
    control: "a block in the vendor's own error codes is stored",
    file: 'src/domain/calls/with-vendor.ts',
    from: 'await clients.learn(error, link, trace);',
    to: '',
    tests: INCIDENTS,
  },
  {
    control: 'a block of the address applies to all links',
    file: 'src/domain/budgets/blocks.ts',
    from: "if (of.has('address')) return '';",
    to: '',
    tests: INCIDENTS,
  },
  {
    control: 'a block of a link delays no other link',
    file: 'src/domain/budgets/blocks.ts',
    from: "if (!of.has('app')) return subjectOf(link);",
    to: '',
    tests: INCIDENTS,
  },
  {
    control: 'refused fresh tokens unlink no user within a day',
    file: 'src/domain/calls/link-records.ts',
    from: 'now - refusedSince >= REFUSED_MS',
    to: 'now - refusedSince >= 0',
    tests: INCIDENTS,
  },
  {
    control: 'a link that needs linking again is tried every six hours',
    file: 'src/domain/polling/turn.ts',
    from: 'if (isTry) return read(turn, adapter, due);',
    to: '',
    tests: INCIDENTS,
  },
  {
    control: 'suspended work resumes when a link recovers',
    file: 'src/domain/calls/link-records.ts',
    from: "if (known.status === 'needs_relink' && status === 'active') await healed({ ...known, ...written });",
    to: '',
    tests: INCIDENTS,
  },
  {
    control: 'an outage does not change a link that needs linking again',
    file: 'src/domain/calls/link-records.ts',
    from: "if (known.status === 'needs_relink' && status === 'unreachable') return;",
    to: '',
    tests: INCIDENTS,
  },
  {
    control: 'a renewal is not aborted with its caller',
    file: 'src/domain/calls/clients.ts',
    from: 'const RENEWAL_MS = 60_000;',
    to: 'const RENEWAL_MS = 10_000;',
    tests: INCIDENTS,
  },
];
