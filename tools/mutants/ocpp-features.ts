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
  {
    control: 'A limit with an end goes to the station as two periods, so that a lost line ends it',
    file: 'src/vendors/ocpp/schedule.ts',
    from: 'if (ends !== null && ends.at > now) {',
    to: 'if (ends !== null && ends.at > now + 1e15) {',
    tests: ['src/vendors/ocpp/limits.test.ts', 'src/vendors/ocpp/ocpp.test.ts'],
  },
  {
    control: 'After a restart the limit that holds is known, also when its time is over',
    file: 'src/vendors/ocpp/schedule.ts',
    from: 'ends === null ? amperes : { amperes, at: ends.at, follows: ends.follows };',
    to: 'amperes;',
    tests: ['src/vendors/ocpp/limits.test.ts'],
  },
  {
    control: 'A station is told its fuse after each boot',
    file: 'src/vendors/ocpp/learning.ts',
    from: 'await layInstallation(this.#station);',
    to: '',
    tests: ['src/vendors/ocpp/limits.test.ts'],
  },
  {
    control: 'A limit never goes over to more than the fuse that the owner named',
    file: 'src/vendors/ocpp/translate.ts',
    from: 'return Math.min(LARGEST_A, cable, installationA ?? LARGEST_A);',
    to: 'return Math.min(LARGEST_A, cable, installationA === null ? LARGEST_A : LARGEST_A);',
    tests: ['src/vendors/ocpp/limits.test.ts'],
  },
  {
    control: 'A card that is not on the list does not start a charge',
    file: 'src/adapter/cards.ts',
    from: "if (card === undefined) return 'unknown';",
    to: "if (card === undefined) return 'accepted';",
    tests: ['src/vendors/ocpp/cards.test.ts'],
  },
  {
    control: 'A card that reads as our own token is judged as a card',
    file: 'src/vendors/ocpp/cards.ts',
    from: "idToken === station.options.idTag && type === 'Central'",
    to: 'idToken === station.options.idTag',
    tests: ['src/vendors/ocpp/cards.test.ts'],
  },
];
