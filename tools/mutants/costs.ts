import type { Mutant } from './mutant.ts';

const ENERGY_COST = 'src/domain/prices/energy-cost.ts';
const PRICES_TESTS = ['src/domain/prices/energy-cost.test.ts'];
const HISTORY_TESTS = ['test/journeys/history.test.ts'];
const JOURNEY = ['test/journeys/cost-of-energy.test.ts'];

export const mutants: readonly Mutant[] = [
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
