import type { Mutant } from './mutant.ts';

const at = (name: string) => `src/vendors/kone/${name}.ts`;
const OF_BUILDING = at('kone.test');
const OF_LIFT = at('lift.test');
const OF_STREAM = at('stream.test');

/** What is KONE's own. */
export const mutants: readonly Mutant[] = [
  {
    control: 'a building that the application of the user does not have is not linked',
    file: at('building'),
    from: 'if (available.includes(building)) return lifts(session);',
    to: 'if (available.length > 0) return lifts(session);',
    tests: [OF_BUILDING],
  },
  {
    control: 'a group that is refused costs the others nothing',
    file: at('connection'),
    from: 'asked === undefined || why === undefined',
    to: 'asked === undefined || why !== null',
    tests: [OF_BUILDING, OF_STREAM],
  },
  {
    control: 'a group that does not answer costs the others nothing',
    file: at('reading'),
    from: "lifts.leaveOut(group, new AppError('vendor.timeout', 'KONE did not respond in time'));",
    to: "throw new AppError('vendor.timeout', 'KONE did not respond in time');",
    tests: [OF_BUILDING],
  },
  {
    control: 'a stream without any group is no stream',
    file: at('stream'),
    from: '      lifts.check();\n      if (!areAccepted())',
    to: '      if (!areAccepted())',
    tests: [OF_STREAM],
  },
  {
    control: 'an event that comes late does not open a door',
    file: at('lift'),
    from: 'is < was ? before : after',
    to: 'after',
    tests: [OF_LIFT],
  },
  {
    control: 'a connection that a call has opened is closed',
    file: at('reading'),
    from: '    connection.close();',
    to: '    void connection;',
    tests: [OF_BUILDING],
  },
];
