import type { Mutant } from './mutant.ts';

export const mutants: readonly Mutant[] = [
  {
    control: 'an outage of a source of production is logged without a stack',
    file: 'src/domain/production/fetching.ts',
    from: 'outcome: error.kind }, error.message',
    to: 'outcome: error.kind, err: error }, error.message',
    tests: ['src/domain/production/production.test.ts'],
  },
  {
    control: 'scripts of pages that cannot be written are missed in one sentence',
    file: 'src/bin/console.ts',
    from: "    writeFileSync(stamp, '');\n",
    to: '',
    tests: ['src/bin/console.test.ts'],
  },
  {
    control: 'what npm is told of the runtime is what the sources need',
    file: 'package.json',
    from: '"node": ">=26"',
    to: '"node": ">=27"',
    tests: ['src/bin/runtime.test.ts'],
  },
];
