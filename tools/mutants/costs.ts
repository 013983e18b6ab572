import type { Mutant } from './mutant.ts';

const ENERGY_COST = 'src/domain/prices/energy-cost.ts';
const PRICES_TESTS = ['src/domain/prices/energy-cost.test.ts'];
const HISTORY_TESTS = ['test/journeys/history.test.ts'];
const JOURNEY = ['test/journeys/cost-of-energy.test.ts'];

export const mutants: readonly Mutant[] = [
  {
    control: 'the cost of a day leaves out a device of which a price is missing',
    file: 'src/domain/history/day-costs.ts',
    from: "if (!isKnown) return miss('no_price');",
    to: '',
    tests: ['src/domain/history/day-costs.test.ts'],
  },
  {
    control: 'the cost of a day leaves out a device that was used at an unknown time',
    file: 'src/domain/history/day-costs.ts',
    from: "if (parts.some(({ unplacedWh }) => unplacedWh !== 0)) return miss('counted_in_gap');",
    to: '',
    tests: ['src/domain/history/day-costs.test.ts'],
  },
  {
    control: 'the sums of today have the quarter that has not ended',
    file: 'src/domain/history/today.ts',
    from: 'before === undefined ? [since] : [before.part, since]',
    to: 'before === undefined ? [since] : [before.part]',
    tests: ['test/journeys/sums-of-today.test.ts'],
  },
  {
    control: 'the sums of today have each stored quarter once',
    file: 'src/domain/history/today.ts',
    from: 'known.next = until;',
    to: '',
    tests: ['test/journeys/sums-of-today.test.ts'],
  },
  {
    control: 'the sums of a day begin at its midnight',
    file: 'src/domain/history/today.ts',
    from: 'return found.day.start === day.start ? found.stored : new Map();',
    to: 'return found.stored;',
    tests: ['test/journeys/sums-of-today.test.ts'],
  },
  {
    control: 'the cost of a part is not shown as that of the whole',
    file: ENERGY_COST,
    from: 'if (priced > at) missing.push({ start: at, end: priced });',
    to: 'if (priced > at && slot === undefined) missing.push({ start: at, end: priced });',
    tests: PRICES_TESTS,
  },
  {
    control: 'energy that spans several slots is spread over them',
    file: ENERGY_COST,
    from: 'at = Math.min(end, slot.end);',
    to: 'at = end;',
    tests: PRICES_TESTS,
  },
  {
    control: 'energy that was counted in a gap has no cost',
    file: 'src/domain/history/costs.ts',
    from: 'if (late.seconds === null) unplacedWh += late.wh;',
    to: 'if (late.seconds === null) unplacedWh += 0;',
    tests: HISTORY_TESTS,
  },
  {
    control: 'what was counted between two reads that are far apart has the prices of that time',
    file: 'src/domain/history/fold.ts',
    from: 'if (since >= start || at - since <= LEAST_SILENCE_MS) return null;',
    to: 'if (since >= start || meter.until === at) return null;',
    tests: HISTORY_TESTS,
  },
  {
    control: 'a link that gets another user has no price area until somebody says it',
    file: 'src/domain/links/store.ts',
    from: 'case when links.user_ref = excluded.user_ref then links.price_area end',
    to: 'links.price_area',
    tests: JOURNEY,
  },
];
