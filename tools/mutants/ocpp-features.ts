import type { Mutant } from './mutant.ts';

export const mutants: readonly Mutant[] = [
  {
    control: 'A limit that is to end at the device is refused by one that cannot end it',
    file: 'src/adapter/send.ts',
    from: 'if (!isTimed(command) || kind.timed?.[command.type] !== undefined) return;',
    to: 'if (!isTimed(command) || kind.controls !== undefined) return;',
    tests: ['src/domain/commands/commands.test.ts'],
  },
  {
    control: 'The proof that a limit ends takes away what an adapter left for later',
    file: 'src/adapter/prove-ending.ts',
    from: 'for (const cancel of left) cancel();',
    to: '',
    tests: ['src/adapter/prove-ending.test.ts'],
  },
  {
    control: 'A limit of the sandbox ends at its moment',
    file: 'src/vendors/sandbox/models/ending.ts',
    from: 'ending != null && ending.at_ms <= at',
    to: 'ending != null && ending.at_ms < at - 1e15',
    tests: ['src/vendors/sandbox/devices.test.ts'],
  },
];
