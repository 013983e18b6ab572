import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  frameOf,
  outcomeIn,
  type Request,
  readRequest,
  responseLengthOf,
  writeCoilsRequest,
  writeRegisterRequest,
  writeRegistersRequest,
} from './frames.ts';

/** A response as the specification writes it: header, function, content. */
const responseTo = (frame: Buffer, content: readonly number[]): Buffer => {
  const response = Buffer.concat([frame.subarray(0, 8), Buffer.from(content)]);
  response.writeUInt16BE(2 + content.length, 4);
  return response;
};

/** What a receiver makes of bytes that come one after the other. */
function received(bytes: Buffer, frame: Buffer, request: Request): unknown {
  const lengthOf = responseLengthOf(frame, request);
  try {
    for (let end = 1; end <= bytes.length; end += 1)
      if (lengthOf(bytes.subarray(0, end)) === end) return outcomeIn(bytes.subarray(0, end), request);
  } catch {
    return 'no response';
  }
  return 'waits';
}

describe('a frame of Modbus', () => {
  it('a frame of Modbus is the one of the examples of the specification', () => {
    // Application Protocol 1.1b3, sections 6.3, 6.6, 6.11 and 6.12, with a header before them.
    const hex = (request: Request) => frameOf(0x1501, 0xff, request).toString('hex');
    assert.equal(hex(readRequest(3, 0x6b, 3)), '150100000006ff03006b0003');
    assert.equal(hex(writeRegisterRequest(1, 3)), '150100000006ff0600010003');
    const bits = [1, 0, 1, 1, 0, 0, 1, 1, 1, 0].map((bit) => bit === 1);
    assert.equal(hex(writeCoilsRequest(0x13, bits)), '150100000009ff0f0013000a02cd01');
    assert.equal(
      hex(writeRegistersRequest(1, Buffer.from('000a0102', 'hex'))),
      '15010000000bff100001000204000a0102',
    );
  });

  it('a frame of Modbus is refused before it is sent where the protocol has no such request', () => {
    for (const make of [
      () => readRequest(3, 0, 126),
      () => readRequest(3, 0, 0),
      () => readRequest(3, 65_535, 2),
      () => readRequest(3, -1, 1),
      () => readRequest(1, 0, 2_001),
      () => writeRegistersRequest(0, Buffer.alloc(248)),
      () => writeRegistersRequest(0, Buffer.alloc(3)),
      () => writeCoilsRequest(0, Array(1_969).fill(true)),
    ])
      assert.throws(make, RangeError);
  });

  it('a frame of Modbus is answered by the data, wherever the bytes are cut', () => {
    const request = readRequest(3, 40_000, 2);
    const frame = frameOf(7, 1, request);
    const response = responseTo(frame, [4, 0x53, 0x75, 0x6e, 0x53]);
    assert.deepEqual(received(response, frame, request), { data: Buffer.from('SunS') });
    for (let end = 0; end < response.length; end += 1)
      assert.equal(received(response.subarray(0, end), frame, request), 'waits');
    const exception = responseTo(frame, [2]);
    exception[7] = 0x83;
    assert.deepEqual(received(exception, frame, request), { exception: 2 });
  });

  it('a frame of Modbus is never taken for the response to another request, and its data are its own', () => {
    const count = fc.integer({ min: 1, max: 125 });
    const changes = fc.array(fc.tuple(fc.nat(270), fc.nat(255)), { maxLength: 3 });
    fc.assert(
      fc.property(fc.nat(0xffff), fc.nat(255), count, changes, fc.nat(270), (id, unit, words, edits, cut) => {
        const request = readRequest(3, 0, words);
        const frame = frameOf(id, unit, request);
        const data = Buffer.from(Array.from({ length: words * 2 }, (_, index) => index & 0xff));
        const sound = responseTo(frame, [words * 2, ...data]);
        const head = sound.subarray(0, 9).toString('hex');
        const bytes = Buffer.from(sound);
        for (const [at, value] of edits) bytes[at % bytes.length] = value;
        const outcome = received(bytes.subarray(0, Math.max(cut, 9)), frame, request);
        const isWhole = bytes.subarray(0, 9).toString('hex') === head && Math.max(cut, 9) >= bytes.length;
        const isData = typeof outcome === 'object' && outcome !== null && 'data' in outcome;
        assert.equal(isData, isWhole);
        assert.ok(!isData || (outcome.data as Buffer).equals(bytes.subarray(9)));
      }),
      { numRuns: 2_000 },
    );
  });

  it('a frame of Modbus of a write is confirmed by where and how much, and by nothing else', () => {
    const request = writeRegistersRequest(40_157, Buffer.from([0, 1, 0, 2]));
    const frame = frameOf(1, 1, request);
    const confirmed = responseTo(frame, [...request.content.subarray(0, 4)]);
    assert.deepEqual(received(confirmed, frame, request), { data: Buffer.alloc(0) });
    for (const at of [8, 9, 10, 11]) {
      const other = Buffer.from(confirmed);
      other[at] = (other[at] ?? 0) ^ 1;
      assert.equal(received(other, frame, request), undefined);
    }
  });
});
