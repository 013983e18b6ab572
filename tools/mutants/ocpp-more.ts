import type { Mutant } from './mutant.ts';

const RECALL = 'src/vendors/ocpp/recall.test.ts';

/** What a station is shown to be before it has said a word on a new connection. */
export const mutants: readonly Mutant[] = [
  {
    control: 'the status of a connector outlives the connection, also outside a transaction',
    file: 'src/vendors/ocpp/recall.ts',
    from: '  connector.status = word.status;',
    to: '',
    tests: [RECALL],
  },
  {
    control: 'a status of an earlier connection is shown as old as it is',
    file: 'src/vendors/ocpp/recall.ts',
    from: 'connector.at = Math.min(lastReportAt, now);',
    to: 'connector.at = now;',
    tests: [RECALL],
  },
  {
    control: 'after an end that left the word Charging nothing charges, also on the next connection',
    file: 'src/vendors/ocpp/recall.ts',
    from: 'is_still: isStill(connector),',
    to: 'is_still: false,',
    tests: [RECALL],
  },
  {
    control: 'what is kept of a connector is not written for each message',
    file: 'src/vendors/ocpp/recall.ts',
    from: "(name === 'told_at' ? undefined : value)",
    to: "(name === 'untold' ? undefined : value)",
    tests: [RECALL],
  },
  {
    control: 'a status of an earlier connection is asked for again',
    file: 'src/vendors/ocpp/learn201.ts',
    from: 'if (status === null || recalled) {',
    to: 'if (status === null) {',
    tests: [RECALL],
  },
  {
    control: 'a word of an earlier connection begins no transaction',
    file: 'src/vendors/ocpp/ocpp16.ts',
    from: 'connector.recalled || ',
    to: '',
    tests: [RECALL],
  },
  {
    control: 'after a boot the plugs of before say nothing',
    file: 'src/vendors/ocpp/station.ts',
    from: '      connector.plugs.clear();\n',
    to: '',
    tests: [RECALL],
  },
  {
    control: 'a 2.0.1 station that is asked for no setting by name tells those that count',
    file: 'src/vendors/ocpp/operations201.ts',
    from: 'operation.keys?.map(variableIn) ?? USED',
    to: 'operation.keys?.map(variableIn) ?? []',
    tests: ['src/vendors/ocpp/operations.test.ts'],
  },
];
