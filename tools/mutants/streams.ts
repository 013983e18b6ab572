import type { Mutant } from './mutant.ts';

const EVENTS = 'src/outbound/events.ts';
const EVENTS_TESTS = ['src/outbound/events.test.ts'];
const JOURNEY = ['test/journeys/streams-of-events.test.ts'];

/** Streams of vendors. */
export const mutants: readonly Mutant[] = [
  {
    control: 'an event that never ends does not fill the memory',
    file: EVENTS,
    from: 'maxBufferSize: MOST_CHARACTERS,',
    to: '',
    tests: EVENTS_TESTS,
  },
  {
    control: 'a stream of events is not opened at a private address that a user chose',
    file: EVENTS,
    from: '  agent.guard?.checkUrl(outgoing.url);\n',
    to: '',
    tests: EVENTS_TESTS,
  },
  {
    control: 'an HTML page is no stream of events',
    file: EVENTS,
    from: 'if (!isStream(begun)) {',
    to: 'if (begun.status > 299) {',
    tests: EVENTS_TESTS,
  },
  {
    control: 'an id that is no valid header value does not keep a stream closed',
    file: EVENTS,
    from: 'return isSendable ?',
    to: "return id !== '' ?",
    tests: EVENTS_TESTS,
  },
  {
    control: 'a stream of events resumes from the last id',
    file: 'src/domain/calls/clients.ts',
    from: 'lastEventIds.set(place, id);',
    to: '',
    tests: JOURNEY,
  },
  {
    control: 'opening a stream of events is counted',
    file: 'src/domain/calls/vendor-http.ts',
    from: 'await spend(call);',
    to: 'await spend({ ...call, costs: undefined });',
    tests: JOURNEY,
  },
  {
    control: 'a comment counts as a heartbeat of a stream',
    file: 'src/domain/streams/one-stream.ts',
    from: '            heard();\n            watch?.heard?.();',
    to: '            watch?.heard?.();',
    tests: JOURNEY,
  },
  {
    control: "a stream is opened again only after the vendor's delay",
    file: 'src/domain/streams/index.ts',
    from: 'namedMs = ms;',
    to: 'namedMs = Math.min(ms, 1);',
    tests: JOURNEY,
  },
];
