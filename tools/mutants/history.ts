import type { Mutant } from './mutant.ts';

const FOLD = 'src/domain/history/fold.ts';
const STEPS = 'src/domain/history/steps.ts';
const FOLD_TESTS = ['src/domain/history/fold.test.ts'];
const JOURNEY = ['test/journeys/history.test.ts'];
const RETENTION = 'src/domain/history/retention.ts';
const HISTORY = 'src/domain/history/index.ts';
const PROJECTION_TESTS = ['src/domain/events/projection.test.ts'];
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
    file: 'src/domain/devices/store-sightings.ts',
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
    control: 'a device that is out of reach is not known meanwhile',
    file: STEPS,
    from: "if (row.type === 'device.unreachable') return [{ at: (confirmed ?? fetched - 1) + 1, values: null }];",
    to: "if (row.type === 'device.unreachable') return [];",
    tests: JOURNEY,
  },
  {
    control: 'what a device out of reach was last like is not what it is like',
    file: STEPS,
    from: 'if (to === undefined || to.online === false) return [];',
    to: 'if (to === undefined) return [];',
    tests: JOURNEY,
  },
  {
    control: 'a device that was removed is not known meanwhile',
    file: STEPS,
    from: "if (row.type === 'device.removed') return [{ at: row.occurred_at, values: null }];",
    to: "if (row.type === 'device.removed') return [];",
    tests: JOURNEY,
  },
  {
    control: 'a value is not known for more than three hours without a read',
    file: STEPS,
    from: 'Math.min(MOST_SILENCE_MS, Math.max(LEAST_SILENCE_MS, 2_000 * (data.interval_s ?? 0)));',
    to: 'Math.max(LEAST_SILENCE_MS, 2_000 * (data.interval_s ?? 0));',
    tests: JOURNEY,
  },
  {
    control: 'what is read of two users of a device is of each alone',
    file: 'src/domain/history/store.ts',
    from: 'JSON.stringify([account, vendor, device, userRef]);',
    to: "JSON.stringify([account, vendor, device, userRef === '']);",
    tests: JOURNEY,
  },
  {
    control: 'old changes and quarters are removed',
    file: RETENTION,
    from: 'clock.now() - of.days * DAY_MS',
    to: 'clock.now() - 100 * of.days * DAY_MS',
    tests: JOURNEY,
  },
  {
    control: 'quarters are kept for longer than changes',
    file: RETENTION,
    from: "{ table: 'history_quarters', days: kept.quarterDays },",
    to: "{ table: 'history_quarters', days: kept.rawDays },",
    tests: JOURNEY,
  },
  {
    control: 'a change that is older than is kept is not stored',
    file: HISTORY,
    from: 'steps: news.filter(({ at }) => at >= oldest),',
    to: 'steps: news.filter(({ at }) => at >= oldest || true),',
    tests: JOURNEY,
  },
  {
    control: 'a quarter that is older than is kept is not stored',
    file: HISTORY,
    from: 'quarters: quarters.filter(({ quarter }) => quarter >= oldestQuarter),',
    to: 'quarters: quarters.filter(({ quarter }) => quarter >= oldestQuarter || true),',
    tests: JOURNEY,
  },
  {
    control: 'the place in the log is stored with what follows from it, so that nothing is applied twice',
    file: 'src/domain/events/projection.ts',
    from: 'await store.setPlace(transaction, name, at);',
    to: '',
    tests: PROJECTION_TESTS,
  },
  {
    control: 'only what history wants and has not applied counts as its lag',
    file: 'src/domain/events/store.ts',
    from: "        .where('type', 'in', types)\n        .where(beyond(place",
    to: '        .where(beyond(place',
    tests: PROJECTION_TESTS,
  },
  {
    control: 'a cursor of history is for one resolution',
    file: 'src/apps/connect/routes/history.ts',
    from: 'if (of === resolution && ',
    to: 'if (',
    tests: ROUTE_TESTS,
  },
];
