import type { Mutant } from './mutant.ts';

const POOL = 'src/outbound/connections/pool.ts';
const TCP = 'src/outbound/connections/tcp.ts';
const TCP_TESTS = ['src/outbound/connections/tcp.test.ts'];
const JOURNEY = ['test/journeys/connections.test.ts'];

/** Connections that outlive a call. */
export const mutants: readonly Mutant[] = [
  {
    control: 'a connection leads to no address or port that is not permitted',
    file: 'src/outbound/connections/dialer.ts',
    from: 'if (fault !== null) throw',
    to: 'if (fault !== null && signal.aborted) throw',
    tests: TCP_TESTS,
  },
  {
    control: 'a connection is made to the address that was judged, whatever the name leads to by then',
    file: 'src/outbound/connections/dialer.ts',
    from: '        lookup: guard.lookup,\n',
    to: '',
    tests: TCP_TESTS,
  },
  {
    control: 'the metadata of a cloud is no device, though private addresses are permitted',
    file: 'src/outbound/address-guard.ts',
    from: 'faultInTarget: ({ host }) => faultInHost(host),',
    to: 'faultInTarget: () => null,',
    tests: TCP_TESTS,
  },
  {
    control: 'what cannot be connected to is left alone for longer and longer',
    file: POOL,
    from: 'slot.failures += 1;',
    to: '',
    tests: TCP_TESTS,
  },
  {
    control: 'an account has so many connections and no more',
    file: POOL,
    from: 'if (!isFull && ofAccount.length < MOST_OF_ACCOUNT) return;',
    to: 'if (!isFull) return;',
    tests: TCP_TESTS,
  },
  {
    control: 'a connection that nobody uses is closed',
    file: POOL,
    from: 'slot.cancelIdle = clock.after(restMs, () => end(slot));',
    to: 'slot.cancelIdle = clock.after(restMs, () => {});',
    tests: TCP_TESTS,
  },
  {
    control: 'one request at a time is under way to a device',
    file: POOL,
    from: 'createSemaphore({ places: 1,',
    to: 'createSemaphore({ places: 9,',
    tests: TCP_TESTS,
  },
  {
    control: 'a command is not sent twice over a connection that was dead',
    file: TCP,
    from: 'if (isReused && isSilent && !isCommand && !signal.aborted) return undefined;',
    to: 'if (isReused && isSilent && !signal.aborted) return undefined;',
    tests: TCP_TESTS,
  },
  {
    control: 'what came unasked, or too late, is no response to the next request',
    file: TCP,
    from: 'if (this.#look === undefined) this.close();',
    to: 'if (this.#look === undefined) return;',
    tests: TCP_TESTS,
  },
  {
    control: 'the connections of a link end with it',
    file: 'src/domain/links/index.ts',
    from: "if (reason !== 'taken_over') calls.closeConnections({ account, link });",
    to: '',
    tests: JOURNEY,
  },
];
