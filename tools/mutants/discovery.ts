import type { Mutant } from './mutant.ts';

const DISCOVERY = ['src/domain/discovery/discovery.test.ts'];

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
    control: 'a device that was listed again begins to be missing anew',
    file: 'src/domain/devices/relist.ts',
    from: '{ ids: idsOf(back), since: null }',
    to: '{ ids: [], since: null }',
    tests: DISCOVERY,
  },
  {
    control: 'a list that was overtaken by linking anew changes nothing',
    file: 'src/domain/links/relist.ts',
    from: 'held?.linkedAt !== linkedAt ||',
    to: 'held === undefined ||',
    tests: DISCOVERY,
  },
  {
    control: 'a device stays with the other link that has it',
    file: 'src/domain/devices/store.ts',
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
];
