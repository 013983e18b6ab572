import type { Mutant } from './mutant.ts';

const COMMANDS = 'src/vendors/easee/commands.ts';
const CHARGER = 'src/vendors/easee/charger.ts';
const CLIENT = 'src/vendors/easee/client.ts';
const OF_COMMANDS = 'src/vendors/easee/commands.test.ts';
const OF_CHARGER = 'src/vendors/easee/charger.test.ts';
const OF_LINKING = 'src/vendors/easee/linking.test.ts';
const OF_STREAM = 'src/vendors/easee/stream.test.ts';
const CONFORMANCE = 'test/vendors.test.ts';

/** What is Easee's own, and the parts of the kit that were made of it. */
export const mutants: readonly Mutant[] = [
  {
    control: 'a limit is sent to Easee with its end, never too early',
    file: COMMANDS,
    from: 'Math.ceil(seconds / 60)',
    to: 'Math.floor(seconds / 60)',
    tests: [OF_COMMANDS],
  },
  {
    control: 'a silent charger is not returned as charging',
    file: CHARGER,
    from: 'const SILENT_MS = 20 * MINUTE_MS;',
    to: 'const SILENT_MS = Number.POSITIVE_INFINITY;',
    tests: [OF_CHARGER, OF_STREAM],
  },
  {
    control: "a charger's response to another command is not treated as the outcome",
    file: COMMANDS,
    from: ' && response.ticks > ticks - TICKS_APART',
    to: '',
    tests: [OF_COMMANDS],
  },
  {
    control: 'a charger beside one that cannot be read does not count as alone on its circuit',
    file: CLIENT,
    from: 'each(circuit.chargers, Member).length',
    to: 'each(circuit.chargers, Charger).length',
    tests: [OF_LINKING],
  },
  {
    control: 'the limit from before a pause is kept',
    file: COMMANDS,
    from: "await charger.keepLimit(before);\n    await charger.carryOut('pause_charging'",
    to: "await charger.carryOut('pause_charging'",
    tests: [OF_COMMANDS],
  },
  {
    control: 'a charge starts with 7 A',
    file: COMMANDS,
    from: 'const START_A = 7;',
    to: 'const START_A = 6;',
    tests: [OF_COMMANDS],
  },
  {
    control: 'a pause does not hold back the next car',
    file: COMMANDS,
    from: 'mode === MODE.disconnected || mode === MODE.awaiting_authorization || ',
    to: '',
    tests: [OF_COMMANDS],
  },
  {
    control: 'a charger that its owner disabled is not started',
    file: COMMANDS,
    from: 'if (isDisabled(raw)) throw',
    to: 'if (isDisabled(raw) && raw === undefined) throw',
    tests: [OF_COMMANDS],
  },
  {
    control: 'a limit that Easee would not restore is refused',
    file: COMMANDS,
    from: 'if (after !== before)',
    to: 'if (after !== before && after === -1)',
    tests: [OF_COMMANDS],
  },
  {
    control: 'a refusal that the stream reports is the outcome',
    file: COMMANDS,
    from: 'if (response.wasAccepted) return true;',
    to: 'if (response.ticks > 0) return true;',
    tests: [OF_COMMANDS],
  },
  {
    control: "a read that fails after a command is not the command's failure",
    file: COMMANDS,
    from: '      } catch (error) {\n        return error;',
    to: '      } catch (error) {\n        throw error;',
    tests: [OF_COMMANDS],
  },
  {
    control: 'a stray zero is no lifetime energy',
    file: CHARGER,
    from: '(numberIn(next) ?? 0) < (numberIn(before) ?? 0)',
    to: '(numberIn(next) ?? 0) < 0',
    tests: [OF_CHARGER],
  },
  {
    control: 'a phase that is switched off uses no current of the circuit',
    file: CHARGER,
    from: 'const used = dynamic.filter((amperes) => amperes > 0);',
    to: 'const used = dynamic.filter((amperes) => amperes >= 0);',
    tests: [OF_CHARGER],
  },
  {
    control: 'the gateway that blocks our address does not refuse the user',
    file: CLIENT,
    from: 'if (status === 403 && reason === undefined)',
    to: 'if (status === 407 && reason === undefined)',
    tests: [OF_LINKING, CONFORMANCE],
  },
  {
    control: 'only a response that says so is a wrong password',
    file: CLIENT,
    from: 'return body.errorCode === 100 || body.errorCode === 727;',
    to: 'return body.errorCode > 0;',
    tests: [OF_LINKING],
  },
  {
    control: 'only 400 and 401 lose a sign-in',
    file: 'src/adapter/kit/linking.ts',
    from: 'refreshLostWith.includes(cause.status ?? 0)',
    to: "cause.kind === 'refused'",
    tests: [OF_LINKING],
  },
  {
    control: 'a device is passed on only when it is complete',
    file: 'src/adapter/kit/following.ts',
    from: 'if (!one.isWhole) continue;\n      changed',
    to: 'changed',
    tests: ['src/adapter/kit/following.test.ts', OF_STREAM],
  },
  {
    control: 'a used-up limit ends the reads of a stream for now',
    file: 'src/adapter/kit/following.ts',
    from: "error.code === 'vendor.rate_limited') return undefined;",
    to: "error.code === 'vendor.timeout') return undefined;",
    tests: ['src/adapter/kit/following.test.ts'],
  },
  {
    control: 'an older observation changes nothing',
    file: 'src/adapter/kit/observations.ts',
    from: 'next.at < last.at) return before;',
    to: 'next.at < last.at - 1e9) return before;',
    tests: ['src/adapter/kit/observations.test.ts'],
  },
];
