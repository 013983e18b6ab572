import type { Mutant } from './mutant.ts';

const INDEX = 'src/domain/end-users/index.ts';
const STORE = 'src/domain/end-users/store.ts';
const tests = ['test/journeys/forgotten-user.test.ts'];

export const mutants: readonly Mutant[] = [
  {
    control: 'subscriptions to the events of a person who is forgotten go',
    file: INDEX,
    from: 'await subscriptions.removeOfUser(account, user.userRef);',
    to: '',
    tests,
  },
  {
    control: 'the history of a person who is forgotten goes',
    file: INDEX,
    from: 'await history.forget(transaction, user);',
    to: '',
    tests,
  },
  {
    control: 'link sessions of a person who is forgotten go',
    file: INDEX,
    from: 'await store.eraseSessions(transaction, user);',
    to: '',
    tests,
  },
  {
    control: 'commands of a person who is forgotten go',
    file: STORE,
    from: '`delete from commands where account_id = ${account} and',
    to: '`delete from commands where account_id = -${account} and',
    tests,
  },
  {
    control: 'charging transactions of a person who is forgotten go',
    file: STORE,
    from: "['charging_transactions', 'meter_readings', 'requests']",
    to: "['meter_readings', 'requests']",
    tests,
  },
  {
    control: 'only the user of this account is forgotten',
    file: 'src/domain/events/store.ts',
    from: ".deleteFrom('events')\n        .where('account_id', '=', account)",
    to: ".deleteFrom('events')",
    tests,
  },
  {
    control: 'the events of a person who is forgotten go, wherever they are in the log',
    file: 'src/domain/events/index.ts',
    from: '        after = until;\n',
    to: '        after = LAST;\n',
    tests: ['test/journeys/event-log.test.ts'],
  },
];
