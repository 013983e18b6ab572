import type { Mutant } from './mutant.ts';

const INDEX = 'src/domain/requests/index.ts';
const STORE = 'src/domain/requests/store.ts';
const FOLLOWED = 'src/domain/requests/followed.ts';
const WAITING = 'src/domain/requests/waiting.ts';
const FLOODS = 'src/domain/requests/floods.ts';
const TRACED = 'src/http/traced.ts';
const tests = ['src/domain/requests/requests.test.ts'];
const journey = ['test/journeys/requests.test.ts'];

export const mutants: readonly Mutant[] = [
  {
    control: 'an account finds its own requests by their ids, whoever else has sent the id',
    file: STORE,
    from: "if (account !== undefined) query = query.where('account_id', '=', account);\n      return",
    to: 'return',
    tests,
  },
  {
    control: 'an account lists its own requests',
    file: STORE,
    from: "if (account !== undefined) query = query.where('account_id', '=', account);\n  if",
    to: 'if',
    tests,
  },
  {
    control: 'a page looks at a bounded number of requests',
    file: STORE,
    from: "orderBy('id', 'desc').limit(LOOKED_AT)",
    to: "orderBy('id', 'desc')",
    tests,
  },
  {
    control: 'a device that the account does not have is not stored',
    file: STORE,
    from: 'then r.device end',
    to: 'then r.device else r.device end',
    tests,
  },
  {
    control: 'a link that the account does not have is not stored',
    file: STORE,
    from: 'where l.account_id = r.account and l.id = r.link)',
    to: 'where l.id = r.link)',
    tests,
  },
  {
    control: 'reads that succeed are not kept',
    file: FOLLOWED,
    from: "kept === 'nothing' || (",
    to: "kept === 'nothing' && (",
    tests,
  },
  {
    control: 'calls in the background belong to no request that has ended',
    file: FOLLOWED,
    from: 'if (this.#hasEnded) return undefined;',
    to: '',
    tests,
  },
  {
    control: 'calls of a request are bounded',
    file: FOLLOWED,
    from: 'if (this.#calls.length < MOST_CALLS)',
    to: 'if (MOST_CALLS > 0)',
    tests,
  },
  {
    control: 'the same failures of one caller do not fill the disk',
    file: FLOODS,
    from: '[`failure ${caller} ${failure} ${route}`, BOUNDS.sameFailures]',
    to: '[`failure ${caller} ${failure} ${route}`, BOUNDS.failures]',
    tests,
  },
  {
    control: 'callers without an account do not fill the disk together',
    file: FLOODS,
    from: "...(hasAccount ? [] : [['strangers', BOUNDS.failuresOfStrangers] as const]),",
    to: '',
    tests,
  },
  {
    control: 'requests that wait for the database are bounded, and failures outlast successes',
    file: WAITING,
    from: 'if (this.#successes.shift() === undefined) this.#failures.shift();',
    to: 'if (this.#failures.shift() === undefined) this.#successes.shift();',
    tests: ['src/domain/requests/waiting.test.ts'],
  },
  {
    control: 'requests outlast a database that is away',
    file: INDEX,
    from: 'if (isAway(error)) waiting.giveBack(batch);\n      else',
    to: '',
    tests: ['src/domain/requests/lost-database.test.ts'],
  },
  {
    control: 'the path of an unknown route is not kept',
    file: TRACED,
    from: 'request.routeOptions.url === undefined ? ERRORS[code].title : withoutValues(sentence, request)',
    to: 'withoutValues(sentence === ERRORS[code].title ? sentence : sentence, request)',
    tests: journey,
  },
  {
    control: 'what a caller wrote into a path is not kept in a sentence',
    file: TRACED,
    from: 'text = text.replaceAll(shown, `{${name}}`);',
    to: 'text = text.replaceAll(shown, shown);',
    tests: journey,
  },
  {
    control: 'looking a request up is not kept',
    file: 'src/apps/connect/routes/requests.ts',
    from: "config: { access: 'devices:read', kept: 'nothing' },\n      schema: {\n        summary: 'Find",
    to: "config: { access: 'devices:read' },\n      schema: {\n        summary: 'Find",
    tests: journey,
  },
  {
    control: 'requests about the devices of a person who is forgotten go',
    file: 'src/domain/end-users/store.ts',
    from: '`delete from requests where account_id = ${account}',
    to: '`delete from requests where account_id = -${account}',
    tests: ['test/journeys/forgotten-user.test.ts'],
  },
  {
    control: 'requests about the links of a person who is forgotten go',
    file: 'src/domain/end-users/store.ts',
    from: "['charging_transactions', 'meter_readings', 'requests']",
    to: "['charging_transactions', 'meter_readings']",
    tests: ['test/journeys/forgotten-user.test.ts'],
  },
];
