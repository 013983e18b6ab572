import type { Mutant } from './mutant.ts';

const DISCOVERY = ['src/domain/discovery/discovery.test.ts'];
const BUDGETS = ['src/domain/budgets/budgets.test.ts'];
const SCOPES = ['src/adapter/scopes.test.ts'];
const GRANTED = ['src/domain/links/partly-granted.test.ts'];
const REPORTED = ['src/domain/streams/reported.test.ts'];

/** Devices that come are found, and no incident of a vendor costs anybody a device. */
export const mutants: readonly Mutant[] = [
  {
    control: 'a device is removed only when lists have left it out for a while',
    file: 'src/domain/devices/relist.ts',
    from: 'missingSince !== null && began - missingSince >= waits(id),',
    to: 'missingSince !== began && waits(id) < Number.POSITIVE_INFINITY,',
    tests: DISCOVERY,
  },
  {
    control: 'a device that answers for itself is not gone',
    file: 'src/domain/devices/relist.ts',
    from: "if (evidence === 'online') return Number.POSITIVE_INFINITY;",
    to: "if (evidence === 'online') return CONFIRMED_MS;",
    tests: DISCOVERY,
  },
  {
    control: 'a device that cannot be read in an incident is not gone',
    file: 'src/domain/devices/relist.ts',
    from: "if (evidence !== 'refused') return UNCLEAR_MS;",
    to: '',
    tests: DISCOVERY,
  },
  {
    control: 'an empty list has to last',
    file: 'src/domain/devices/relist.ts',
    from: 'return isEmpty ? EMPTIED_MS : CONFIRMED_MS;',
    to: 'return isEmpty ? CONFIRMED_MS : CONFIRMED_MS;',
    tests: DISCOVERY,
  },
  {
    control: 'a device that was listed again begins to be missing again',
    file: 'src/domain/devices/relist.ts',
    from: '{ ids: idsOf(back), since: null }',
    to: '{ ids: [], since: null }',
    tests: DISCOVERY,
  },
  {
    control: 'a list that was overtaken by a newer one changes nothing',
    file: 'src/domain/discovery/store.ts',
    from: ".where('listed_at', '<=', began)",
    to: ".where('listed_at', '>=', 0)",
    tests: DISCOVERY,
    needs: ['postgres'],
  },
  {
    control: 'a device stays with the other link that has it',
    file: 'src/domain/devices/store-lists.ts',
    from: ".onConflict((conflict) => conflict.columns(['account_id', 'vendor', 'id']).doNothing())",
    to: ".onConflict((conflict) => conflict.columns(['account_id', 'vendor', 'id']).doUpdateSet({ link_id: of.link }))",
    tests: DISCOVERY,
  },
  {
    control: 'a vendor that does not know a device has its account listed',
    file: 'src/adapter/list-outdated.ts',
    from: 'const NOT_THERE = [404, 410];',
    to: 'const NOT_THERE = [410];',
    tests: DISCOVERY,
  },
  {
    control: 'a field is compared with what is known of that field',
    file: 'src/domain/devices/reported.ts',
    from: 'report.at >= (fields[field] ?? whole)',
    to: 'report.at >= whole',
    tests: REPORTED,
  },
  {
    control: 'when fields were so is stored',
    file: 'src/domain/devices/store-sightings.ts',
    from: 'reported_json: seen.reported === undefined ? null : JSON.stringify(seen.reported),',
    to: 'reported_json: null,',
    tests: REPORTED,
  },
  {
    control: 'a device that only reports is read before its first report is taken',
    file: 'src/domain/streams/index.ts',
    from: "if (outcome === 'unknown')",
    to: "if (outcome === 'older')",
    tests: REPORTED,
  },
  {
    control: 'a limit of a site is of one site of one link',
    file: 'src/domain/budgets/index.ts',
    from: "return `${linkSubject(of.link)}/${of.site ?? ''}`;",
    to: 'return of.site ?? linkSubject(of.link);',
    tests: BUDGETS,
  },
  {
    control: 'what a user has not granted is withheld',
    file: 'src/adapter/scopes.ts',
    from: 'filter((scope) => !granted.includes(scope))',
    to: 'filter((scope) => granted.length === 0 && scope === undefined)',
    tests: SCOPES,
  },
  {
    control: 'a renewal that says nothing of permissions leaves them as they were',
    file: 'src/adapter/token-response.ts',
    from: 'wordsIn(fields.scope) ?? before?.scopes',
    to: 'wordsIn(fields.scope)',
    tests: SCOPES,
  },
  {
    control: 'what is granted for a device counts before what the account was granted',
    file: 'src/domain/devices/listings.ts',
    from: '(found.granted ?? granted)',
    to: '(granted ?? undefined)',
    tests: GRANTED,
  },
  {
    control: 'what calls while turns are claimed is looked for again',
    file: 'src/domain/polling/lane.ts',
    from: 'else if (!isCalled) emptyUntil = now + restMs;',
    to: 'else { isCalled = false; emptyUntil = now + restMs; }',
    tests: ['src/domain/polling/lane.test.ts'],
  },
  {
    control: 'a limit of errors takes nothing of calls that go well',
    file: 'src/domain/budgets/index.ts',
    from: "count(takes.filter(({ rule }) => rule.unit !== 'errors'));",
    to: 'count(takes);',
    tests: BUDGETS,
  },
  {
    control: 'errors that a vendor responds with are counted',
    file: 'src/domain/calls/vendor-http.ts',
    from: 'else if ((error.status ?? 0) >= 400) await failed?.(call);',
    to: '',
    tests: ['src/domain/calls/vendor-http.test.ts'],
  },
];
