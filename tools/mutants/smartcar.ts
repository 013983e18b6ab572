import type { Mutant } from './mutant.ts';

const at = (name: string) => `src/vendors/smartcar/${name}.ts`;
const OF_CARS = at('smartcar.test');
const OF_SIGN_IN = at('sign-in.test');
const OF_WEBHOOK = at('webhook.test');
const OF_TRANSLATE = at('translate.test');

/** What is Smartcar's own. */
export const mutants: readonly Mutant[] = [
  {
    control: 'who signs in at Smartcar has permitted something in this sign-in',
    file: at('sign-in'),
    from: 'userIn(connection).externalId === reference',
    to: 'connection !== undefined',
    tests: [OF_SIGN_IN],
  },
  {
    control: 'cars of other users at Smartcar are left out',
    file: at('connections'),
    from: '.filter((connection) => userIn(connection).id === user)',
    to: '',
    tests: [OF_TRANSLATE],
  },
  {
    control: "Smartcar is asked for one user's cars",
    file: at('connections'),
    from: "'filter[userId]': user, ",
    to: '',
    tests: [OF_CARS],
  },
  {
    control: 'all pages of connections are read',
    file: at('connections'),
    from: "typeof next === 'string' && next !== '' ? page + 1 : undefined",
    to: 'undefined as number | undefined',
    tests: [OF_CARS],
  },
  {
    control: 'nobody gets a signature for a delivery of theirs as a challenge',
    file: at('webhook'),
    from: ' || !CHALLENGE.test(challenge)',
    to: '',
    tests: [OF_WEBHOOK],
  },
  {
    control: 'deliveries of Smartcar are signed with a key of their own',
    file: at('webhook'),
    from: "  secret: 'management_token',\n",
    to: '',
    tests: [OF_WEBHOOK],
  },
  {
    control: "a delivery's fields have their own times",
    file: at('webhook'),
    from: 'Map.groupBy(reported, ([, { at }]) => at)',
    to: 'Map.groupBy(reported, () => reported[0]?.[1].at ?? null)',
    tests: [OF_WEBHOOK],
  },
  {
    control: 'a missing permission at Smartcar costs nobody the link',
    file: at('failures'),
    from: "type === 'CONNECTED_SERVICES_ACCOUNT' &&\n  (code",
    to: "(type === 'CONNECTED_SERVICES_ACCOUNT' || type === 'PERMISSION') &&\n  (code",
    tests: [OF_CARS],
  },
  {
    control: "a quota of a car's account at its maker is no lost consent",
    file: at('failures'),
    from: "(code === 'AUTHENTICATION_FAILED' || code === 'PERMISSION' || resolution === 'REAUTHENTICATE')",
    to: "code !== ''",
    tests: [OF_CARS],
  },
  {
    control: 'a limit of one car at Smartcar holds back no other',
    file: at('failures'),
    from: "isOfCar && code !== 'SMARTCAR_API'",
    to: "isOfCar && code === ''",
    tests: [OF_CARS],
  },
  {
    control: 'a used-up month of a car at Smartcar holds back no other',
    file: at('failures'),
    from: "(code === 'VEHICLE_REQUEST_LIMIT' || code === 'VEHICLE_LIMIT')",
    to: "code === 'VEHICLE_LIMIT'",
    tests: [OF_CARS],
  },
  {
    control: 'an accepted command of Smartcar is not done before its body says so',
    file: at('car'),
    from: "if (value === 'SUCCESS' && body.errors === undefined) return;",
    to: 'if (value !== undefined || body.errors === undefined) return;',
    tests: [OF_CARS],
  },
  {
    control: 'a car that charges has nothing left to do to start',
    file: at('car'),
    from: 'error.state !== already',
    to: 'error.state !== undefined',
    tests: [OF_CARS],
  },
  {
    control: 'a car reads where some of its signals failed',
    file: at('car'),
    from: 'lost !== undefined && !hasValues(reading)',
    to: 'lost !== undefined',
    tests: [OF_CARS],
  },
  {
    control: 'signals that a car is not capable of are withheld',
    file: at('account'),
    from: 'undefined : lackingIn(reading)',
    to: 'undefined : lackingIn(reading).slice(99)',
    tests: [OF_CARS],
  },
  {
    control: 'the user of Smartcar is disconnected with the last link alone',
    file: at('account'),
    from: '  if (!isLast) return;\n',
    to: '',
    tests: [OF_CARS],
  },
  {
    control: 'a car of Smartcar that cannot be read costs the list nothing',
    file: at('account'),
    from: 'if (error instanceof AppError) return',
    to: 'if (error === undefined) return',
    tests: [OF_CARS],
  },
  {
    control: 'the power of a charge that is over is not shown as that of now',
    file: at('translate'),
    from: '(power.value > 0 && !isNewer)',
    to: '(isNewer && !isNewer)',
    tests: [OF_TRANSLATE],
  },
  {
    control: 'a delivery of other signals shows no car as offline',
    file: at('translate'),
    from: 'isKnown ? !isUnreachable : null',
    to: 'isKnown && !isUnreachable',
    tests: [OF_WEBHOOK],
  },
  {
    control: 'times of Smartcar in seconds are no times in ms',
    file: at('translate'),
    from: 'number < MOST_SECONDS ? number * 1_000 : number',
    to: 'number',
    tests: [OF_TRANSLATE],
  },
  {
    control: 'lists read ten cars of Smartcar at most',
    file: at('account'),
    from: 'most: MOST_ASKED',
    to: 'most: 10 * MOST_ASKED',
    tests: [OF_CARS],
  },
];
