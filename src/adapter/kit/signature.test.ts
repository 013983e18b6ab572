import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import { hmacHexIn } from './signature.ts';

const SECRET = 'a client secret';
const body = Buffer.from('{"event_type":"set_point","name":"Vardagsrum å"}');
const signature = createHmac('sha256', SECRET).update(body).digest('hex');
const verify = hmacHexIn('x-signature');
const isTaken = (header: string | undefined, over: Uint8Array = body, secret = SECRET) =>
  verify(
    { body: over, headers: header === undefined ? {} : { 'x-signature': header }, receivedAt: 0 },
    secret,
  );

describe('a signed delivery', () => {
  it('a signed delivery has the HMAC-SHA256 of its body, as in RFC 4231', () => {
    const header = 'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7';
    assert.equal(isTaken(header, Buffer.from('Hi There'), '\x0b'.repeat(20)), true);
    assert.equal(isTaken(signature), true);
  });

  it('a signed delivery is refused when any character of the signature is another', () => {
    for (let at = 0; at < signature.length; at += 1)
      for (const other of '0123456789abcdefABCDEFg ')
        if (other !== signature[at])
          assert.equal(isTaken(signature.slice(0, at) + other + signature.slice(at + 1)), false);
  });

  it('a signed delivery is refused when any bit of the body is another, or a byte is missing or added', () => {
    for (let at = 0; at < body.length; at += 1) {
      for (let bit = 0; bit < 8; bit += 1) {
        const changed = Buffer.from(body);
        changed[at] = (changed[at] ?? 0) ^ (1 << bit);
        assert.equal(isTaken(signature, changed), false);
      }
      assert.equal(isTaken(signature, Buffer.concat([body.subarray(0, at), body.subarray(at + 1)])), false);
    }
    assert.equal(isTaken(signature, Buffer.concat([body, Buffer.from(' ')])), false);
  });

  it('a signed delivery is refused without a signature, with one of another form, and with that of another secret', () => {
    for (const header of [
      undefined,
      '',
      signature.toUpperCase(),
      signature.slice(1),
      signature.slice(0, -1),
      signature + signature,
      ` ${signature}`,
      `${signature}\n`,
      `sha256=${signature}`,
      Buffer.from(signature, 'hex').toString('base64'),
      'å'.repeat(32),
    ])
      assert.equal(isTaken(header), false, String(header));
    assert.equal(verify({ body, headers: { 'x-other': signature }, receivedAt: 0 }, SECRET), false);
    for (const secret of [`${SECRET} `, '']) assert.equal(isTaken(signature, body, secret), false);
  });
});
