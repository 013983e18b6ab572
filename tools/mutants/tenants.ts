import type { Mutant } from './mutant.ts';

export const mutants: readonly Mutant[] = [
  {
    control: "an account reads its own devices, not another account's",
    file: 'src/domain/devices/store.ts',
    from: ".where('devices.account_id', '=', account)\n        .where('devices.id', '=', id)\n        .execute();",
    to: ".where('devices.id', '=', id)\n        .execute();",
    tests: ['src/domain/devices/devices.test.ts'],
  },
];
