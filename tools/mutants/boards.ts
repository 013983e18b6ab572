import type { Mutant } from './mutant.ts';

const STATUS = ['src/apps/grid/routes/status.test.ts'];
const STATES = ['src/domain/vendor-states/vendor-states.test.ts'];
const TRACES = ['test/journeys/traces.test.ts'];

/** What operators and everybody else are told of how the service is. */
export const mutants: readonly Mutant[] = [
  {
    control: 'the status is looked at once in ten seconds',
    file: 'src/apps/grid/status/look.ts',
    from: 'return shareBriefly(parts.clock, SHARED_MS, () => look(parts));',
    to: 'return () => look(parts);',
    tests: STATUS,
  },
  {
    control: 'a database that does not respond does not hold up the status',
    file: 'src/apps/grid/status/look.ts',
    from: 'await inTime(clock, vendorStates)',
    to: 'await vendorStates()',
    tests: STATUS,
  },
  {
    control: 'a block of one link says nothing of the vendor',
    file: 'src/domain/vendor-states/index.ts',
    from: " && subject === ''",
    to: '',
    tests: STATES,
  },
  {
    control: 'a block that is over is not told',
    file: 'src/domain/budgets/store-blocks.ts',
    from: 'filter(({ until }) => until > now)',
    to: 'filter(() => now > 0)',
    tests: STATES,
  },
  {
    control: 'the board and the alerts read metrics that exist',
    file: 'src/core/metrics/connections.ts',
    from: "name: 'elnav_streams_open'",
    to: "name: 'elnav_open_streams'",
    tests: ['test/boards.test.ts'],
  },
  {
    control: 'a call to a vendor is shown below its request',
    file: 'src/http/traced.ts',
    from: 'else traced.run(done);',
    to: 'else done();',
    tests: TRACES,
  },
  {
    control: 'a trace has the route and not the address',
    file: 'src/http/traced.ts',
    from: "const { url: route = 'unknown', config } = request.routeOptions;",
    to: 'const { config } = request.routeOptions;\n    const route = request.url;',
    tests: TRACES,
  },
];
