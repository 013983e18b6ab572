import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { turnedClock } from '../../core/clock.ts';
import { AppError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import { silentLog } from '../../core/log.ts';
import { WITHOUT_CALLS } from '../session.ts';
import type { StreamSession } from '../stream.ts';
import { cookiesIn, followHub, messagesIn } from './signalr.ts';

describe('records of a hub', () => {
  it('records of a hub come whole, several in a frame', () => {
    const records = ['{"type":6}', '{}', '{"type":1,"target":"T","arguments":[{"value":"å\\u001e"}]}'];
    const messages = messagesIn(records.map((record) => `${record}\u001e`).join(''));
    assert.deepEqual(messages, [
      { type: 6 },
      {},
      { type: 1, target: 'T', arguments: [{ value: 'å\u001e' }] },
    ]);
    assert.throws(() => messagesIn('{"type":6}\u001e{"ty'), /has no end/);
  });

  it('records of a hub are JSON, and of any kind', () => {
    assert.throws(
      () => messagesIn('canary\u001e'),
      (error: Error) => !error.message.includes('canary'),
    );
    assert.deepEqual(messagesIn('[]\u001e5\u001e{"type":"x"}\u001e{"type":99}\u001e'), [
      {},
      {},
      {},
      { type: 99 },
    ]);
  });
});

describe('cookies of the negotiation', () => {
  it('cookies of the negotiation are sent back without their attributes', () => {
    const header =
      'AWSALB=a+/1==; Expires=Sat, 28 Nov 2026 09:00:00 GMT; Path=/, AWSALBCORS=b2; Expires=Sat, 28 Nov 2026 09:00:00 GMT; Path=/; SameSite=None; Secure';
    assert.equal(cookiesIn(header), 'AWSALB=a+/1==; AWSALBCORS=b2');
    assert.equal(cookiesIn(''), '');
    assert.equal(cookiesIn('a=1\r\nb: 2'), 'a=1');
  });
});

/** A hub that says what the test wants, and then ends. */
async function follow(frames: readonly string[], negotiation: Json = { connectionId: 'id-0' }) {
  const clock = turnedClock();
  const sent: string[] = [];
  const log: string[] = [];
  const connected: unknown[] = [];
  const session: StreamSession = {
    account: 1,
    link: 'l',
    userRef: 'u',
    linkedAt: 0,
    credentials: {},
    clock,
    log: silentLog,
    documents: { get: async () => undefined, put: async () => {}, remove: async () => {} },
    signal: new AbortController().signal,
    ...WITHOUT_CALLS,
    http: {
      ...WITHOUT_CALLS.http,
      async send({ path }) {
        log.push(path);
        return {
          status: 200,
          headers: { 'set-cookie': 'a=1; Path=/' },
          bytes: new Uint8Array(),
          text: () => '',
          json: () => negotiation,
        };
      },
    },
    async connect(request) {
      connected.push(request);
      return {
        send: (text) => void sent.push(text),
        close: () => log.push('closed'),
        frames: (async function* () {
          yield* frames;
        })(),
      };
    },
    events: () => Promise.reject(new Error('a hub has no events')),
    reported: () => {},
    listChanged: () => {},
    observed: () => {},
    tell: () => {},
  };
  const run = followHub(session, {
    vendor: 'Vendor',
    host: 'streams',
    path: '/hub',
    opened(invoke) {
      log.push('opened');
      invoke('Subscribe', ['a', true]);
      invoke('Subscribe', ['b', true]);
    },
    invoked: (target, args) => void log.push(`${target} ${JSON.stringify(args)}`),
    settled: () => void log.push('settled'),
    ticked: () => void log.push('ticked'),
  });
  return { run, sent, log, connected, clock };
}

describe('following a hub', () => {
  it('following a hub negotiates, shakes hands, subscribes and hands over what the hub says', async () => {
    const { run, sent, log, connected, clock } = await follow([
      '{}\u001e',
      '{"type":1,"target":"Update","arguments":[1]}\u001e{"type":1,"target":"Update","arguments":[2,3]}\u001e',
    ]);
    await run;
    assert.deepEqual(connected, [
      { host: 'streams', path: '/hub', query: { id: 'id-0' }, use: 'login', headers: { cookie: 'a=1' } },
    ]);
    assert.deepEqual(log, [
      '/hub/negotiate',
      'opened',
      'settled',
      'Update [1]',
      'Update [2,3]',
      'settled',
      'closed',
    ]);
    assert.deepEqual(sent, [
      '{"protocol":"json","version":1}\u001e',
      '{"type":1,"target":"Subscribe","arguments":["a",true],"invocationId":"0"}\u001e',
      '{"type":1,"target":"Subscribe","arguments":["b",true],"invocationId":"1"}\u001e',
    ]);
    clock.turn(60_000);
    assert.equal(sent.length, 3, 'nothing is sent after the end');
  });

  it('following a hub takes the token of the negotiation before its id', async () => {
    const { run, connected } = await follow([], { connectionId: 'id-1', connectionToken: 'token-1' });
    await run;
    assert.equal(JSON.stringify(connected).includes('"id":"token-1"'), true);
    const { run: none } = await follow([], { availableTransports: [] });
    await assert.rejects(none, { code: 'vendor.answer_invalid' });
  });

  it('following a hub ends at a refusal, a close, and what is not JSON', async () => {
    for (const [frames, code] of [
      [['{"error":"no such protocol"}\u001e'], 'vendor.unreachable'],
      [['{}\u001e', '{"type":7,"error":"canary"}\u001e'], 'vendor.unreachable'],
      [['{}\u001e', '<html>\u001e'], 'vendor.answer_invalid'],
    ] as const) {
      const { run } = await follow(frames);
      await assert.rejects(run, (error: unknown) => {
        assert.ok(error instanceof AppError && !error.message.includes('canary'));
        return error.code === code;
      });
    }
    const { run, log } = await follow(['{}\u001e', '{"type":7}\u001e', '{"type":1,"target":"T"}\u001e']);
    await run;
    assert.ok(!log.includes('T []'), 'nothing is taken after the close');
  });
});
