import type { Mutant } from './mutant.ts';

const DOMAIN = 'src/domain/interventions/index.ts';
const STORE = 'src/domain/interventions/store.ts';
const SAID = 'src/adapter/interventions.ts';
const LEARNING = 'src/domain/devices/learning.ts';
const TESTS = ['src/domain/interventions/interventions.test.ts'];

export const mutants: readonly Mutant[] = [
  {
    control: 'a reading that says the same again writes nothing',
    file: LEARNING,
    from: 'return isNews(known.open, said) ? storeNews(known, said) : undefined;',
    to: 'return said.size > 0 ? storeNews(known, said) : undefined;',
    tests: TESTS,
  },
  {
    control: 'another command that is accepted does not resolve an intervention',
    file: SAID,
    from: 'filter(([, blocks]) => blocks.includes(command))',
    to: 'filter(() => command !== undefined)',
    tests: TESTS,
  },
  {
    control: 'a reading that says nothing of an intervention leaves it open',
    file: SAID,
    from: 'if (isNeeded !== null) said.set(code, isNeeded);\n  }\n  return said;\n}\n\n/** What a state',
    to: 'said.set(code, isNeeded === true);\n  }\n  return said;\n}\n\n/** What a state',
    tests: TESTS,
  },
  {
    control: 'a command that the vendor accepts resolves what blocked it',
    file: 'src/domain/commands/index.ts',
    from: '        await devices.intervene(known, saidBySuccess(kind, command.type));\n',
    to: '',
    tests: TESTS,
  },
  {
    control: 'an account sees its own interventions only',
    file: STORE,
    from: "        .where('interventions.account_id', '=', filter.account);",
    to: "        .where('interventions.account_id', '>', filter.account - 1_000_000);",
    tests: TESTS,
  },
  {
    control: 'linking again ends what says that the user must sign in again',
    file: 'src/domain/links/make-link.ts',
    from: '      await interventions.signedIn(transaction, row);\n',
    to: '',
    tests: TESTS,
  },
  {
    control: 'a lost sign-in opens an intervention',
    file: 'src/domain/calls/link-records.ts',
    from: "if (isLost === (known.status === 'needs_relink'))",
    to: 'if (isLost !== undefined)',
    tests: TESTS,
  },
  {
    control: 'interventions of a device that the link has no longer are forgotten',
    file: STORE,
    from: '      await gone.execute();\n',
    to: '      void gone;\n',
    tests: TESTS,
  },
  {
    control: 'a code that the adapter does not declare opens nothing',
    file: DOMAIN,
    from: '      if (capabilities === undefined) {',
    to: '      if (capabilities === undefined && code === SIGN_IN_AGAIN) {',
    tests: TESTS,
  },
];
