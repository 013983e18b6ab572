import assert from 'node:assert/strict';
import { once } from 'node:events';
import { duplexPair } from 'node:stream';
import { describe, it } from 'node:test';
import { sayScript } from './byte-script.ts';

const exchange = (send: string, reply: string) => ({ send: Buffer.from(send), reply: Buffer.from(reply) });

/** Says a script to a peer that answers each message of it with the next of these; what the peer has heard. */
async function said(exchanges: readonly ReturnType<typeof exchange>[], replies: readonly (string | null)[]) {
  const [near, far] = duplexPair();
  const heard: string[] = [];
  const left = [...replies];
  far.on('data', (chunk: Buffer) => {
    heard.push(chunk.toString());
    const reply = left.shift();
    if (reply === null) far.end();
    else if (reply !== undefined) far.write(reply);
  });
  const outcome = await sayScript({ exchanges }, near, new AbortController().signal).then(
    () => 'done',
    (error: Error) => error.message,
  );
  return { heard, outcome, near };
}

describe('a script of bytes', () => {
  it('a script of bytes goes on when the reply begins as it must, and ends the connection', async () => {
    const { heard, outcome, near } = await said(
      [exchange('hello', 'HELLO'), exchange('stop', 'OK'), exchange('bye', '')],
      ['HELLO and more', 'OK'],
    );
    assert.deepEqual([heard, outcome], [['hello', 'stop', 'bye'], 'done']);
    assert.equal(near.destroyed, true);
  });

  it('a script of bytes takes a reply in pieces', async () => {
    const [near, far] = duplexPair();
    const saying = sayScript({ exchanges: [exchange('a', 'abc')] }, near, new AbortController().signal);
    await once(far, 'data');
    for (const piece of ['a', 'b', 'c']) {
      far.write(piece);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await saying;
  });

  it('a script of bytes says nothing more after another reply, also one that is shorter', async () => {
    const { heard, outcome } = await said([exchange('a', 'long reply'), exchange('b', '')], ['x']);
    assert.deepEqual([heard, outcome], [['a'], 'the reply is another']);
  });

  it('a script of bytes fails where the peer ends the connection', async () => {
    const { heard, outcome } = await said([exchange('a', 'reply'), exchange('b', '')], [null]);
    assert.deepEqual([heard, outcome], [['a'], 'the connection ended before the reply']);
  });

  it('a script of bytes is given up when the signal fires', async () => {
    const [near] = duplexPair();
    const stop = new AbortController();
    const saying = sayScript({ exchanges: [exchange('a', 'reply')] }, near, stop.signal);
    stop.abort();
    await assert.rejects(saying, /it took too long/);
    await assert.rejects(sayScript({ exchanges: [] }, duplexPair()[0], stop.signal));
  });
});
