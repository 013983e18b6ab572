import assert from 'node:assert/strict';
import { duplexPair } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { LargeMessages, MqttFrames, type SkippedMessage } from './mqtt-frames.ts';

const MIB = 1024 * 1024;

/** What of the bytes is passed on, which are skipped, and what was written to the broker. */
async function filtered(chunks: readonly Buffer[], large = new LargeMessages()) {
  const [ours, theirs] = duplexPair();
  const skipped: SkippedMessage[] = [];
  let isFailed = false;
  const frames = new MqttFrames(ours, {
    large,
    skipped: (message) => void skipped.push(message),
    failed: () => {
      isFailed = true;
      frames.destroy();
    },
  });
  const passing = buffer(frames).catch(() => undefined);
  const written: Buffer[] = [];
  theirs.on('data', (chunk: Buffer) => void written.push(chunk));
  for (const chunk of chunks) theirs.write(chunk);
  theirs.end();
  return { passed: await passing, skipped, written: Buffer.concat(written), isFailed };
}

/** A retained message of MQTT 3.1.1; every second one is to be acknowledged. */
function message(size: number, id: number): Buffer {
  const qos = id % 2;
  const topic = `a/${id}`;
  const begin = [0, topic.length, ...Buffer.from(topic), ...(qos === 0 ? [] : [0, id])];
  const length: number[] = [];
  for (let left = begin.length + size; length.length === 0 || left > 0; left = Math.floor(left / 128))
    length.push((left % 128) + (left >= 128 ? 128 : 0));
  return Buffer.concat([Buffer.from([0x31 | (qos << 1), ...length, ...begin]), Buffer.alloc(size)]);
}

function chunked(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const chunks: Buffer[] = [];
  let at = 0;
  for (let turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? bytes.length;
    chunks.push(bytes.subarray(at, at + size));
    at += size;
  }
  return chunks;
}

describe('messages of a broker', () => {
  it('messages of a broker are passed on as they are but for those that are too large, wherever they are cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(0, 1, 120, 20_000, 5 * MIB), { maxLength: 6 }),
        fc.array(fc.integer({ min: 1, max: 300_000 }), { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 1, max: 9 }),
        async (sizes, cuts, first) => {
          const sent = sizes.map((size, index) => message(size, index + 1));
          const all = Buffer.concat(sent);
          const chunks = [...chunked(all.subarray(0, 40), [first]), ...chunked(all.subarray(40), cuts)];
          const { passed, skipped, written } = await filtered(chunks);
          const small = sent.filter((one) => one.length <= 4 * MIB);
          assert.ok(passed?.equals(Buffer.concat(small)));
          const large = sent.flatMap((one, index) => (one.length > 4 * MIB ? [index + 1] : []));
          assert.deepEqual(
            skipped.map(({ topic, isRetained }) => [topic, isRetained]),
            large.map((id) => [`a/${id}`, true]),
          );
          const acknowledged = large.filter((id) => id % 2 === 1);
          assert.deepEqual(
            [...written],
            acknowledged.flatMap((id) => [0x40, 2, 0, id]),
          );
        },
      ),
      { numRuns: 40 },
    );
  });

  it('messages of a broker of all connections share the room for large ones, and give it back', async () => {
    const large = new LargeMessages();
    assert.ok(large.take(30 * MIB));
    const both = await filtered([message(2 * MIB - 100, 1), message(3 * MIB, 2)], large);
    assert.deepEqual(
      both.skipped.map(({ topic }) => topic),
      ['a/2'],
    );
    large.give(30 * MIB);
    assert.deepEqual((await filtered([message(3 * MIB, 2), message(4 * MIB - 100, 3)], large)).skipped, []);
    // One that never ends, and the connection is lost.
    await filtered([message(4 * MIB - 100, 3).subarray(0, 100)], large);
    assert.ok(large.take(32 * MIB));
  });

  it('messages of a broker that are none, and too large, end the connection', async () => {
    for (const [first, length] of [
      [0x90, [0xff, 0xff, 0xff, 0x7f]],
      [0x34, [0xff, 0xff, 0xff, 0x7f]],
      [0x30, [0xff, 0xff, 0xff, 0xff, 1]],
    ] as const)
      assert.equal((await filtered([Buffer.from([first, ...length])])).isFailed, true);
  });
});
