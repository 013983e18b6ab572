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
  {
    control: 'devices in memory are forgotten when changes may have been missed',
    file: 'src/domain/devices/index.ts',
    from: '  bus.onGap(() => memory.dropAll());\n',
    to: '',
    tests: ['test/faults/lost-servers.test.ts'],
    needs: ['postgres'],
  },
  {
    control: 'a dead process holds the lane of a device for half a minute, not for a month',
    file: 'src/domain/commands/lane.ts',
    from: 'const LEASE_MS = 30_000;',
    to: 'const LEASE_MS = 30 * 86_400_000;',
    tests: ['test/faults/killed-command.test.ts'],
    needs: ['postgres'],
  },
];
