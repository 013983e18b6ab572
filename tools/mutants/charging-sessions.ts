import type { Mutant } from './mutant.ts';

const FOLD = 'src/domain/charging-sessions/fold.ts';
const TALLY = 'src/domain/charging-sessions/tally.ts';
const FOLD_TESTS = ['fold', 'fold-meters', 'fold-transactions'].map(
  (name) => `src/domain/charging-sessions/${name}.test.ts`,
);
const DOMAIN_TESTS = ['test/journeys/charging-sessions.test.ts'];

export const mutants: readonly Mutant[] = [
  {
    control: 'a station has a session for each transaction, not one more for its states',
    file: FOLD,
    from: "plug === 'in' && !options.hasTransactions)",
    to: "plug === 'in')",
    tests: FOLD_TESTS,
  },
  {
    control: 'power is not taken for known over a silence',
    file: TALLY,
    from: 'isPowerWhole: tally.isPowerWhole && isQuiet }',
    to: 'isPowerWhole: tally.isPowerWhole }',
    tests: FOLD_TESTS,
  },
  {
    control: 'what was counted over a silence is in no quarter',
    file: TALLY,
    from: 'if (lacksTime) return {};',
    to: '',
    tests: FOLD_TESTS,
  },
  {
    control: 'a register that shows less counts nothing, and the session is not complete',
    file: TALLY,
    from: 'if (counted < 0 || counted > most)',
    to: 'if (counted > most)',
    tests: FOLD_TESTS,
  },
  {
    control: 'the counter of the session before is not of this session',
    file: TALLY,
    from: 'if (counter === value || (counter === null && !isCharging)) return { ...tally, counter: value };',
    to: '',
    tests: FOLD_TESTS,
  },
  {
    control: 'a session has no cost of a part of it',
    file: 'src/domain/charging-sessions/costs.ts',
    from: "if (!figures.isComplete) return 'energy_wh is not all that was charged';",
    to: '',
    tests: DOMAIN_TESTS,
  },
  {
    control: 'the sessions of a device are those of the user who has it',
    file: 'src/domain/charging-sessions/store.ts',
    from: "if (ofPresentUser) query = query.where('devices.id', 'is not', null);",
    to: '',
    tests: DOMAIN_TESTS,
  },
  {
    control: 'only vehicles and chargers have sessions',
    file: 'src/domain/charging-sessions/index.ts',
    from: 'if (type === undefined || !CHARGES.has(type)) continue;',
    to: 'if (type === undefined) continue;',
    tests: DOMAIN_TESTS,
  },
];
