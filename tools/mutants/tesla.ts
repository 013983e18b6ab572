import type { Mutant } from './mutant.ts';

const SIGNING = 'src/vendors/tesla/signing.test.ts';
const FAILURES = 'src/vendors/tesla/failures.test.ts';
const OF_COMMANDS = 'src/vendors/tesla/commands.test.ts';
const OF_TRANSLATE = 'src/vendors/tesla/translate.test.ts';
const CAR = 'src/vendors/tesla/car.ts';
const ACCOUNT = 'src/vendors/tesla/account.ts';
const FAILURES_FILE = 'src/vendors/tesla/failures.ts';
const TRANSLATE = 'src/vendors/tesla/translate.ts';
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
    control: 'a call that the vendor does not count uses no limit',
    file: 'src/domain/budgets/costs.ts',
    from: 'costs?.[rule.name] ?? rule.costs[use] ?? 0',
    to: 'rule.costs[use] ?? costs?.[rule.name] ?? 0',
    tests: [BUDGETS],
  },
  {
    control: 'each link is polled equally often, however many devices it has',
    file: 'src/domain/budgets/bearable.ts',
    from: 'ofLink * Math.max(1, links)',
    to: 'cost * devices',
    tests: [BUDGETS],
  },
  {
    control: 'the operator sets what calls may cost in a month',
    file: 'src/bin/vendor-needs.ts',
    from: '{ ...rule, amount: amount * setting.times }',
    to: '{ ...rule }',
    tests: ['test/journeys/tesla.test.ts'],
  },
  {
    control: 'a car that accepts only signed commands has no controls without a proxy',
    file: 'src/vendors/tesla/account.ts',
    from: "details?.commands === 'without_proxy' ? CONTROL_CAPABILITIES : [];",
    to: "details?.commands === 'never' ? CONTROL_CAPABILITIES : [];",
    tests: [SIGNING],
  },
  {
    control: 'the proxy of another region does not sign commands',
    file: 'src/vendors/tesla/account.ts',
    from: "session.hasOwnAddress(hostOf('commands', region))",
    to: "session.hasOwnAddress(hostOf('commands', 'na')) || session.hasOwnAddress(hostOf('commands', 'eu'))",
    tests: [SIGNING],
  },
  {
    control: 'owners whose car does not have the key are asked to approve it',
    file: 'src/vendors/tesla/account.ts',
    from: "typeof details.paired === 'boolean' ? !details.paired : null",
    to: "typeof details.paired === 'boolean' ? details.paired : null",
    tests: [SIGNING],
  },
  {
    control: 'the delay in the body of a 429 is observed',
    file: 'src/vendors/tesla/failures.ts',
    from: 'secondsOrMoment(bodyIn(answer).after, now) ??',
    to: 'secondsOrMoment(undefined, now) ??',
    tests: [FAILURES],
  },
  {
    control: 'the delay of an exhausted limit is observed',
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
    control: 'a car that does not respond is returned with its last known values',
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
  {
    control: 'a car is woken once',
    file: CAR,
    from: '    look = carState;',
    to: '    look = wake;',
    tests: ['src/vendors/tesla/sleep.test.ts'],
  },
  {
    control: 'a refusal because the state is already reached counts as success',
    file: CAR,
    from: 'if (result || [...ALREADY, ...done].includes(why)) return;',
    to: 'if (result || done.includes(why)) return;',
    tests: [OF_COMMANDS],
  },
  {
    control: 'a current above 0 resumes a paused car',
    file: CAR,
    from: '    await session.documents.put(pauseOf(device), true);\n',
    to: '',
    tests: [OF_COMMANDS],
  },
  {
    control: 'a car that its owner stopped is not started by a current',
    file: CAR,
    from: '  await obey(session, device, order);\n  await session.documents.remove(pauseOf(device));',
    to: '  await obey(session, device, order);',
    tests: [OF_COMMANDS],
  },
  {
    control: 'the account of another region is asked there',
    file: ACCOUNT,
    from: "error.code !== 'vendor.refused') throw error;\n      refusal",
    to: "error.code !== 'vendor.timeout') throw error;\n      refusal",
    tests: ['src/vendors/tesla/partner.test.ts'],
  },
  {
    control: 'a car without mobile access is no lost login',
    file: FAILURES_FILE,
    from: 'status === 401 && !isMobileAccessOff(body);',
    to: 'status === 401 && body !== null;',
    tests: [FAILURES],
  },
  {
    control: 'volts and amperes are used only if they agree with the kilowatts',
    file: TRANSLATE,
    from: 'Math.abs(fine - coarse) <= COARSENESS_W',
    to: 'fine >= 0',
    tests: [OF_TRANSLATE],
  },
  {
    control: 'the consumption of an inverter at night is no production',
    file: TRANSLATE,
    from: 'Math.max(0, power)',
    to: 'power',
    tests: [OF_TRANSLATE],
  },
  {
    control: 'commands go to the address for commands',
    file: CAR,
    from: "const to = { to: 'commands', method",
    to: "const to = { to: 'api', method",
    tests: [OF_COMMANDS],
  },
  {
    control: 'a sleeping car is returned as plugged in only if it was before',
    file: CAR,
    from: "connectedIn(charge) === false ? 'Disconnected' : 'Stopped'",
    to: "connectedIn(charge) === null ? 'Disconnected' : 'Stopped'",
    tests: [OF_TRANSLATE],
  },
  {
    control: 'a site without a description in the list is asked for its devices',
    file: ACCOUNT,
    from: 'site.components === undefined',
    to: 'site.components === null',
    tests: ['src/vendors/tesla/tesla.test.ts'],
  },
  {
    control: 'no text of Tesla that could contain a secret is repeated',
    file: FAILURES_FILE,
    from: 'return /^[a-z][a-z_ :,]{0,99}$/.test(trimmed) ?',
    to: "return trimmed !== '' ?",
    tests: [FAILURES, OF_COMMANDS],
  },
];
