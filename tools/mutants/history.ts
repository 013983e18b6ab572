import type { Mutant } from './mutant.ts';

const FOLD = 'src/domain/history/fold.ts';
const STEPS = 'src/domain/history/steps.ts';
const FOLD_TESTS = ['src/domain/history/fold.test.ts'];
const JOURNEY = ['test/journeys/history.test.ts'];
const ROUTE_TESTS = ['src/apps/connect/routes/history.test.ts'];

export const mutants: readonly Mutant[] = [
  {
    control: 'a meter that shows less than before counts nothing',
    file: FOLD,
    from: 'return counted > 0 && counted <= most',
    to: 'return counted <= most',
    tests: FOLD_TESTS,
  },
  {
    control: 'a meter that rises faster than anything could make it counts nothing',
    file: FOLD,
    from: 'return counted > 0 && counted <= most',
    to: 'return counted > 0',
    tests: FOLD_TESTS,
  },
  {
    control: 'what is read at the end of a quarter is of that quarter',
    file: FOLD,
    from: 'const quarterUpTo = (at: number): number => Math.ceil(at / QUARTER_MS) - 1;',
    to: 'const quarterUpTo = (at: number): number => Math.floor(at / QUARTER_MS);',
    tests: FOLD_TESTS,
  },
  {
    control: 'a value is not known while nobody asked',
    file: STEPS,
    from: 'if (confirmed === undefined || at - confirmed <= longest) return [step];',
    to: 'return [step];',
    tests: JOURNEY,
  },
  {
    control: 'a value that stayed is not taken for known over a silence',
    file: 'src/domain/devices/store.ts',
    from: 'and r.fetched_before > 0 and r.fetched_at - r.fetched_before > ${sql.lit(SILENT_MS)} and r.state_json = r.state_before',
    to: 'and r.fetched_at < 0 and r.state_json = r.state_before',
    tests: JOURNEY,
  },
  {
    control: 'events for readers within the service are not sent',
    file: 'src/domain/events/store.ts',
    from: "        .where('type', '<>', STATE_CONFIRMED)\n",
    to: '',
    tests: JOURNEY,
  },
  {
    control: 'a value is not taken for true before the one before it was confirmed',
    file: STEPS,
    from: 'Math.max(measured, earliest)',
    to: 'measured',
    tests: JOURNEY,
  },
  {
    control: 'history is that of the user who has the device',
    file: 'src/domain/history/store.ts',
    from: "            .onRef('devices.user_ref', '=', 'history_devices.user_ref'),\n",
    to: "            .onRef('devices.id', '=', 'history_devices.device_id'),\n",
    tests: JOURNEY,
  },
  {
    control: 'a cursor of history is for one resolution',
    file: 'src/apps/connect/routes/history.ts',
    from: 'if (of === resolution && ',
    to: 'if (',
    tests: ROUTE_TESTS,
  },
];
