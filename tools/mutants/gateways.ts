import type { Mutant } from './mutant.ts';

const STORE = 'src/domain/gateways/store.ts';
const SECRETS = 'src/domain/gateways/secrets.ts';
const STREAM = 'src/tunnel/stream.ts';
const SESSION = 'src/tunnel/session.ts';
const WILLS = 'src/gateway/wills.ts';
const DOMAIN_TESTS = ['src/domain/gateways/gateways.test.ts'];
const NETWORKS_TESTS = ['src/gateway/networks.test.ts'];
const TUNNEL_TESTS = ['src/tunnel/tunnel.test.ts'];
const WILLS_TESTS = ['src/gateway/wills.test.ts'];
const SCAN_TESTS = ['src/gateway/scan.test.ts'];
const FLOOD_TESTS = ['test/journeys/gateway-floods.test.ts'];
const DISCOVERY = ['test/journeys/discovery.test.ts'];

/** Gateways at users' homes: who they are, what they open, their tunnel, and what they do when it is lost. */
export const mutants: readonly Mutant[] = [
  {
    control: 'a gateway opens nothing on its own machine',
    file: 'src/gateway/networks.ts',
    from: '!isIn(address, LOOPBACK) && ',
    to: '',
    tests: NETWORKS_TESTS,
  },
  {
    control: 'a gateway opens nothing outside of its networks',
    file: 'src/gateway/networks.ts',
    from: ' && isIn(address, networks)',
    to: '',
    tests: NETWORKS_TESTS,
  },
  {
    control: 'an address is judged before it is connected to',
    file: 'src/gateway/open.ts',
    from: ' || !addresses.every(({ address }) => isPermitted(address))',
    to: '',
    tests: ['src/gateway/open.test.ts'],
  },
  {
    control: 'a pairing code is good once',
    file: STORE,
    from: 'code_sha256: null, code_expires_at: null, paired_at',
    to: 'paired_at',
    tests: DOMAIN_TESTS,
  },
  {
    control: 'a pairing code is good for ten minutes',
    file: STORE,
    from: "        .where('code_expires_at', '>', code.now)\n",
    to: '',
    tests: DOMAIN_TESTS,
  },
  {
    control: 'the key of a gateway is stored as a hash',
    file: SECRETS,
    from: "=> hash('sha256', key)",
    to: '=> key',
    tests: DOMAIN_TESTS,
  },
  {
    control: 'a gateway of another account is not found',
    file: STORE,
    from: ".selectAll()\n        .where('account_id', '=', account)\n        .where('id', '=', id)",
    to: ".selectAll()\n        .where('id', '=', id)",
    tests: DOMAIN_TESTS,
  },
  {
    control: 'an account has so many gateways and no more',
    file: 'src/domain/gateways/index.ts',
    from: 'if ((await store.count(queries, account)) >= most)',
    to: 'if (most < 0)',
    tests: DOMAIN_TESTS,
  },
  {
    control: 'a stream is given no more credit than its window',
    file: STREAM,
    from: '        if (credit > WINDOW_BYTES) return false;\n',
    to: '',
    tests: TUNNEL_TESTS,
  },
  {
    control: 'no more comes on a stream than its window holds',
    file: STREAM,
    from: ' || payload.length > this.#granted',
    to: '',
    tests: TUNNEL_TESTS,
  },
  {
    control: 'what comes late on a stream that is over has an end',
    file: SESSION,
    from: 'return this.#late >= 0;',
    to: 'return true;',
    tests: TUNNEL_TESTS,
  },
  {
    control: 'a tunnel without a sign of life is given up',
    file: SESSION,
    from: '      if (!this.#isAnswered) return this.#end();\n',
    to: '',
    tests: TUNNEL_TESTS,
  },
  {
    control: 'signs of life that nobody asked for end a tunnel',
    file: SESSION,
    from: 'return wasAsked;',
    to: 'return wasAsked || true;',
    tests: TUNNEL_TESTS,
  },
  {
    control: 'signs of life are not asked for without end',
    file: SESSION,
    from: 'return this.#pings <= MOST_PINGS;',
    to: 'return true;',
    tests: TUNNEL_TESTS,
  },
  {
    control: 'pings of the WebSocket are not sent without end',
    file: SESSION,
    from: '      if (this.#pings > MOST_PINGS) this.#end(PROTOCOL_ERROR);\n',
    to: '',
    tests: FLOOD_TESTS,
  },
  {
    control: 'a tunnel that sends too fast is not read for a while',
    file: SESSION,
    from: '    this.#socket.pause();\n',
    to: '',
    tests: TUNNEL_TESTS,
  },
  {
    control: 'a stream is opened once',
    file: 'src/tunnel/opener.ts',
    from: 'return opened !== undefined;',
    to: "return type === 'opened';",
    tests: TUNNEL_TESTS,
  },
  {
    control: 'an answer of a gateway has a bounded size',
    file: 'src/tunnel/json-stream.ts',
    from: 'if (length > MOST_JSON_BYTES)',
    to: 'if (length < 0)',
    tests: [...TUNNEL_TESTS, ...FLOOD_TESTS],
  },
  {
    control: 'a gateway does not connect again without end',
    file: 'src/apps/connect/gateways.ts',
    from: '    connections.count(gateway.id);\n',
    to: '',
    tests: FLOOD_TESTS,
  },
  {
    control: 'a gateway that hears Connect again stops writing',
    file: WILLS,
    from: '      // From now on Connect is the one that writes.\n      carrying.abort();\n',
    to: '',
    tests: WILLS_TESTS,
  },
  {
    control: 'a will is carried out once',
    file: WILLS,
    from: 'isDone || (begunAt',
    to: 'isDone === undefined || (begunAt',
    tests: WILLS_TESTS,
  },
  {
    control: 'a will that Connect does not renew is dropped',
    file: WILLS,
    from: 'if (heardAt - renewedAt > FRESH_MS) kept.delete(key);',
    to: 'if (renewedAt < 0) kept.delete(key);',
    tests: WILLS_TESTS,
  },
  {
    control: 'a gateway that has just started waits for Connect',
    file: WILLS,
    from: 'startedAt + START_MS, ',
    to: '',
    tests: WILLS_TESTS,
  },
  {
    control: 'wills are readable for their user alone',
    file: 'src/gateway/will-file.ts',
    from: 'mode: 0o600, flush',
    to: 'flush',
    tests: WILLS_TESTS,
  },
  {
    control: 'nothing more is sent after a reply that is another',
    file: 'src/core/byte-script.ts',
    from: "throw new Error('the reply is another');",
    to: 'return;',
    tests: ['src/core/byte-script.test.ts'],
  },
  {
    control: 'networks that a gateway may not open are not scanned',
    file: 'src/gateway/scan.ts',
    from: 'overlapOf(network, one) ?? []',
    to: 'overlapOf(network, one) ?? [network]',
    tests: SCAN_TESTS,
  },
  {
    control: 'addresses that a gateway may not open are not scanned',
    file: 'src/gateway/scan.ts',
    from: '.filter(isPermitted)',
    to: '',
    tests: SCAN_TESTS,
  },
  {
    control: 'a gateway looks for devices once at a time, whoever asks it',
    file: 'src/gateway/discover.ts',
    from: "    if (isBusy) throw failure('EBUSY', 'a discovery is under way');\n",
    to: '',
    tests: ['src/gateway/discover.test.ts'],
  },
  {
    control: 'a gateway is asked for devices once at a time',
    file: 'src/domain/gateways/discover.ts',
    from: 'if (busy.has(gateway.id))',
    to: "if (busy.has(''))",
    tests: ['test/journeys/discovery-faults.test.ts'],
  },
  {
    control: 'a gateway does not connect to devices that are linked to see whether they are there',
    file: 'src/domain/gateways/discover.ts',
    from: 'isIP(host) === 0 ? []',
    to: 'isIP(host) !== -1 ? []',
    tests: DISCOVERY,
  },
  {
    control: 'a linked device that announces itself is not asked what it is',
    file: 'src/domain/gateways/places.ts',
    from: 'known.has(key) || ',
    to: '',
    tests: DISCOVERY,
  },
];
