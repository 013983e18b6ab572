import type { Mutant } from './mutant.ts';

export const mutants: readonly Mutant[] = [
  {
    control: "an account reads its own devices, not another account's",
    file: 'src/domain/devices/store.ts',
    from: ".where('account_id', '=', account)\n        .where('id', '=', id)\n        .execute();",
    to: ".where('id', '=', id)\n        .execute();",
    tests: ['src/domain/devices/devices.test.ts'],
  },
];
