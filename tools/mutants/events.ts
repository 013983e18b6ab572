import type { Mutant } from './mutant.ts';

const WRITER = 'src/db/events.ts';
const LOG_TESTS = ['test/journeys/event-log.test.ts'];
const LATE_TESTS = ['test/faults/late-commits.test.ts'];
const PROJECTION = 'src/domain/events/projection.ts';
const PROJECTION_TESTS = ['src/domain/events/projection.test.ts'];
const ROUTE_TESTS = ['src/apps/connect/routes/events.test.ts'];
const STREAM_ROUTE_TESTS = ['src/apps/connect/routes/event-streams.test.ts'];
const STREAM_TESTS = ['test/journeys/event-stream.test.ts'];

export const mutants: readonly Mutant[] = [
  {
    control: 'readers wait for transactions that began before what is committed',
    file: WRITER,
    from: 'horizon: sql<number>`(pg_snapshot_xmin(',
    to: 'horizon: sql<number>`(pg_snapshot_xmax(',
    tests: LATE_TESTS,
    needs: ['postgres'],
  },
  {
    control: 'events of a device are in the order of its changes, whichever transaction began first',
    file: WRITER,
    from: 'sql<number>`greatest(${own}, ${last})`',
    to: 'sql<number>`greatest(${own}, 0 * ${last})`',
    tests: LATE_TESTS,
    needs: ['postgres'],
  },
  {
    control: 'a transaction writes its events after those of what it waited for',
    file: WRITER,
    from: 'sql<number>`greatest(${own}, ${ended})`',
    to: 'sql<number>`greatest(${own}, 0 * ${ended})`',
    tests: LATE_TESTS,
    needs: ['postgres'],
  },
  {
    control: 'a cursor is of one account',
    file: 'src/domain/events/cursor.ts',
    from: 'hash.of(`${account} ${tx} ${id}`)',
    to: 'hash.of(`${tx} ${id} ${account * 0}`)',
    tests: ROUTE_TESTS,
  },
  {
    control: 'a cursor that is older than the log is refused',
    file: 'src/domain/events/index.ts',
    from: 'if (after !== undefined && isAfter(removed, after)) throw',
    to: 'if (after !== undefined && isAfter(removed, after) && limit < 0) throw',
    tests: ROUTE_TESTS,
  },
  {
    control: 'a command has its end once',
    file: 'src/domain/commands/store.ts',
    from: 'where r.status <> r.status_before`;',
    to: "where r.status = 'done'`;",
    tests: LOG_TESTS,
  },
  {
    control: 'a request that waits ends when the service stops',
    file: 'src/apps/connect/routes/events.ts',
    from: "        stopping.addEventListener('abort', giveUp);\n",
    to: '',
    tests: ROUTE_TESTS,
  },
  {
    control: 'a stream ends with its key',
    file: 'src/apps/connect/events/streams.ts',
    from: 'void check(sender);',
    to: 'void sender;',
    tests: STREAM_TESTS,
  },
  {
    control: 'a stream goes on after the last event that its caller received',
    file: 'src/apps/connect/routes/events.ts',
    from: "typeof last === 'string' && last !== '' ? last : after",
    to: 'after',
    tests: STREAM_ROUTE_TESTS,
  },
  {
    control: 'a stream of events has a comment every 15 seconds',
    file: 'src/apps/connect/routes/events.ts',
    from: '    heartbeatMs: HEARTBEAT_MS,\n',
    to: '',
    tests: STREAM_ROUTE_TESTS,
  },
  {
    control: 'a projection waits after a failure, whatever is written meanwhile',
    file: PROJECTION,
    from: 'if (failure !== undefined && clock.now() < failure.retryAt) throw failure.error;',
    to: '',
    tests: PROJECTION_TESTS,
  },
  {
    control: 'a projection applies an event once where two processes run it',
    file: 'src/domain/events/store.ts',
    from: "engine === 'sqlite' ? places : places.forUpdate()",
    to: 'places',
    tests: PROJECTION_TESTS,
    needs: ['postgres'],
  },
  {
    control: 'a projection runs in one process at a time',
    file: PROJECTION,
    from: 'if (!(await lease.hold())) return RENEWED_MS;',
    to: 'await lease.hold();',
    tests: PROJECTION_TESTS,
    needs: ['postgres'],
  },
  {
    control: 'a projection says that events were removed before it had read them',
    file: PROJECTION,
    from: 'const isOlder = isAfter(removed, stored);',
    to: 'const isOlder = false;',
    tests: PROJECTION_TESTS,
  },
];
