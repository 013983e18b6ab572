import type { Mutant } from './mutant.ts';

const POOL = 'src/outbound/connections/pool.ts';
const TCP = 'src/outbound/connections/tcp.ts';
const TCP_TESTS = ['src/outbound/connections/tcp.test.ts'];
const AMQP_TESTS = ['src/outbound/connections/amqp.test.ts'];
const JOURNEY = ['test/journeys/connections.test.ts'];

/** Connections that outlive a call. */
export const mutants: readonly Mutant[] = [
  {
    control: 'a connection leads to no address or port that is not permitted',
    file: 'src/outbound/connections/dialer.ts',
    from: '      guard.checkTarget({ host, port }, ports);\n',
    to: '',
    tests: TCP_TESTS,
  },
  {
    control: 'a connection is made to the address that was judged, whatever the name leads to by then',
    file: 'src/outbound/connections/dialer.ts',
    from: '        lookup: guard.lookupForTarget({ host, port }, ports),\n',
    to: '',
    tests: TCP_TESTS,
  },
  {
    control: 'the metadata of a cloud is no device, though its network is permitted',
    file: 'src/outbound/address-guard.ts',
    from: 'if (what !== null) throw',
    to: 'if (what === undefined) throw',
    tests: ['src/outbound/address-guard.test.ts'],
  },
  {
    control: 'a permitted network opens no other way to public addresses',
    file: 'src/outbound/address-guard.ts',
    from: 'if (how !== null) throw refusals.public(host, how);',
    to: '',
    tests: ['src/outbound/address-guard.test.ts'],
  },
  {
    control: 'loopback is a network of this machine only while nobody else reaches the service',
    file: 'src/core/settings/index.ts',
    from: 'hasLoopback: isOfThisMachine,',
    to: 'hasLoopback: true,',
    tests: ['src/core/settings/settings.test.ts'],
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
  {
    control: 'a frame without end does not fill the memory',
    file: 'src/outbound/connections/frame-meter.ts',
    from: 'if (length === undefined || length > MOST_FRAME_BYTES) {',
    to: 'if (length === undefined) {',
    tests: AMQP_TESTS,
  },
  {
    control: 'a message that was not worked on goes back to the broker',
    file: 'src/outbound/connections/amqp.ts',
    from: '    yield message;\n    taken();',
    to: '    taken();\n    yield message;',
    tests: AMQP_TESTS,
  },
  {
    control: 'a broker sends no more than is taken',
    file: 'src/outbound/connections/amqp.ts',
    from: 'receiver.add_credit(CREDIT);',
    to: 'receiver.add_credit(CREDIT * 100);',
    tests: AMQP_TESTS,
  },
  {
    control: 'a password that the vendor has handed out costs no link',
    file: 'src/outbound/connections/failures.ts',
    from: "isUsersSignIn ? 'vendor.login_expired' : 'vendor.refused'",
    to: "isUsersSignIn ? 'vendor.login_expired' : 'vendor.login_expired'",
    tests: AMQP_TESTS,
  },
  {
    control: 'a filter of a subscription names no other topics',
    file: 'src/outbound/connections/topics.ts',
    from: "part !== '+' && part !== given[at]",
    to: "part !== '+' && given[at] === undefined",
    tests: ['src/outbound/connections/topics.test.ts'],
  },
];
