import type { Mutant } from './mutant.ts';

const SIGNING = 'src/vendors/tesla/signing.test.ts';
const FAILURES = 'src/vendors/tesla/failures.test.ts';
const BUDGETS = 'src/domain/budgets/budgets.test.ts';

/** Controls of Tesla, and of limits that links share. */
export const mutants: readonly Mutant[] = [
  {
    control: 'a link leaves the others their share of a limit of the app',
    file: 'src/domain/budgets/index.ts',
    from: '      if (room < cost)',
    to: '      if (room < cost && cost < 0)',
    tests: [BUDGETS],
  },
  {
    control: 'a call that the vendor does not count takes nothing of a limit',
    file: 'src/domain/budgets/costs.ts',
    from: 'costs?.[rule.name] ?? rule.costs[use] ?? 0',
    to: 'rule.costs[use] ?? costs?.[rule.name] ?? 0',
    tests: [BUDGETS],
  },
  {
    control: 'each link is read as often, however many devices it has',
    file: 'src/domain/budgets/bearable.ts',
    from: 'ofLink * Math.max(1, links)',
    to: 'cost * devices',
    tests: [BUDGETS],
  },
  {
    control: 'the operator sets what calls may cost in a month',
    file: 'src/bin/vendor-needs.ts',
    from: '{ ...rule, amount: amount * rule.setting.times }',
    to: '{ ...rule }',
    tests: ['test/journeys/tesla.test.ts'],
  },
  {
    control: 'a car that takes signed commands alone has no controls without a proxy',
    file: 'src/vendors/tesla/account.ts',
    from: "details?.commands === 'without_proxy' ? CONTROL_CAPABILITIES : [];",
    to: "details?.commands === 'never' ? CONTROL_CAPABILITIES : [];",
    tests: [SIGNING],
  },
  {
    control: 'the proxy of another region signs for nobody here',
    file: 'src/vendors/tesla/account.ts',
    from: "session.hasOwnAddress(hostOf('commands', region))",
    to: "session.hasOwnAddress(hostOf('commands', 'na')) || session.hasOwnAddress(hostOf('commands', 'eu'))",
    tests: [SIGNING],
  },
  {
    control: 'owners whose car does not know the key are led to approve it',
    file: 'src/vendors/tesla/account.ts',
    from: "details?.commands === 'signed' && details.paired === false",
    to: "details?.commands === 'signed' && details.paired === true",
    tests: [SIGNING],
  },
  {
    control: "the body's own delay of a 429 is kept to",
    file: 'src/vendors/tesla/failures.ts',
    from: 'secondsOrMoment(bodyIn(answer).after, now) ??',
    to: 'secondsOrMoment(undefined, now) ??',
    tests: [FAILURES],
  },
  {
    control: 'the delay of a limit that is used up is kept to',
    file: 'src/outbound/exchange.ts',
    from: 'limitedSeconds(headers, now)',
    to: "retryAfterSeconds(headers['retry-after'], now)",
    tests: ['src/outbound/repeated.test.ts'],
  },
  {
    control: 'a date in Retry-After is a delay',
    file: 'src/adapter/retry-after.ts',
    from: '? Date.parse(text) : Number.NaN',
    to: '? Number.NaN : Number.NaN',
    tests: [FAILURES, 'src/outbound/retry-delay.test.ts'],
  },
  {
    control: 'a car that does not answer is shown from what is known of it',
    file: 'src/vendors/tesla/car.ts',
    from: "error.code === 'device.offline') return undefined;",
    to: "error.code === 'device.not_found') return undefined;",
    tests: ['src/vendors/tesla/sleep.test.ts'],
  },
  {
    control: 'a read that survives a fault must show its device as offline',
    file: 'src/adapter/conformance/faults.ts',
    from: 'if (stateOf(kind, result, capabilitiesOf(kind, ref)).online)',
    to: 'if (ref.id === null)',
    tests: ['src/vendors/tesla/tesla.test.ts'],
  },
];
