import type { Mutant } from './mutant.ts';

const LOOKUP = 'src/domain/devices/lookup.ts';
const DEVICES = 'src/domain/devices/index.ts';
const FOLLOW = 'src/domain/events/follow.ts';
const TESTS = ['test/faults/instances-follow-the-log.test.ts'];
const FOLLOW_TESTS = ['src/domain/events/follow.test.ts'];
const needs = ['postgres'] as const;

export const mutants: readonly Mutant[] = [
  {
    control: 'an instance drops what the log says that others have changed',
    file: LOOKUP,
    from: '            else drop(account, device);\n',
    to: '            else memory.changesOf(account);\n',
    tests: TESTS,
    needs,
  },
  {
    control: 'cached devices are dropped when changes may have been missed',
    file: LOOKUP,
    from: '  bus.onGap(dropAll);\n',
    to: '',
    tests: TESTS,
    needs,
  },
  {
    control: 'memory is not used while the log is not read up to almost now',
    file: LOOKUP,
    from: '(bus.live && log.isCurrent)',
    to: 'bus.live',
    tests: TESTS,
    needs,
  },
  {
    control: 'what is read over what another instance knows is based on what is stored',
    file: LOOKUP,
    from: 'isShared && !sightings.pending(account, id) ? load(account, id) : byId(account, id)',
    to: 'byId(account, id)',
    tests: TESTS,
    needs,
  },
  {
    control: 'a vendor is not asked again for what another instance has just read',
    file: DEVICES,
    from: 'return isAsked || known.asOf >= askedAt ? known : newestOf(known);',
    to: 'return isAsked || askedAt > 0 ? known : newestOf(known);',
    tests: TESTS,
    needs,
  },
  {
    control: 'other instances have the state after a command at once',
    file: DEVICES,
    from: '      await storeAndAnnounce(read);\n',
    to: '',
    tests: TESTS,
    needs,
  },
  {
    control: 'other instances ask the vendor after a command whose outcome is not known',
    file: DEVICES,
    from: '      storeAndAnnounce(known).catch(',
    to: '      sightings.flush().catch(',
    tests: TESTS,
    needs,
  },
  {
    control: 'other instances have a removed device no more when its removal is answered',
    file: DEVICES,
    from: '    await ANNOUNCED.publishAndWait(',
    to: "    if (database.engine === 'sqlite') await ANNOUNCED.publishAndWait(",
    tests: TESTS,
    needs,
  },
  {
    control: 'what an instance has changed itself stays in its memory',
    file: FOLLOW,
    from: 'rows.filter(({ id }) => !own.delete(id))',
    to: 'rows.filter(({ id }) => own.delete(id) || id >= 0)',
    tests: FOLLOW_TESTS,
  },
  {
    control: 'memory is not current while committed events cannot be read',
    file: FOLLOW,
    from: 'Math.min(askedAt, heldSince ?? askedAt)',
    to: 'askedAt',
    tests: FOLLOW_TESTS,
  },
  {
    control: 'memory is not current while the log cannot be read',
    file: FOLLOW,
    from: 'return moments.clock.now() - readUntil < CURRENT_MS;',
    to: 'return readUntil > 0 && CURRENT_MS > 0;',
    tests: FOLLOW_TESTS,
  },
  {
    control: 'all is dropped where events were removed before they were read',
    file: FOLLOW,
    from: '      for (const memory of memories) memory.dropAll();\n',
    to: '',
    tests: FOLLOW_TESTS,
  },
];
