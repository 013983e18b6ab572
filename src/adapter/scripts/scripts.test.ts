import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { writeRegisterRequest, writeRegistersRequest } from '../modbus/frames.ts';
import { requestScript } from './http.ts';
import { writeScript } from './modbus.ts';
import { publishScript } from './mqtt.ts';

/* That devices and brokers understand them is shown with simulators by the conformance of the vendors. */

describe('an MQTT publication as bytes', () => {
  const broker = { host: '192.168.1.5', port: 1_883 };
  const message = { topic: 't', payload: 'p' };
  const sent = (...given: Parameters<typeof publishScript>) =>
    publishScript(...given)?.exchanges.map(({ send }) => Buffer.from(send).toString('latin1')) ?? [];

  it('an MQTT publication as bytes signs in only with what it has', () => {
    const [plain = ''] = sent(broker, message);
    assert.equal(plain.charCodeAt(9), 0b0000_0010);
    const [signed = ''] = sent({ ...broker, username: 'anna', password: 'secret' }, message);
    assert.equal(signed.charCodeAt(9), 0b1100_0010);
    assert.ok(signed.endsWith('\0\u0004anna\0\u0006secret'));
  });

  it('an MQTT publication as bytes tells the length of a long message', () => {
    const [, publish = ''] = sent(broker, { ...message, payload: 'x'.repeat(300) });
    // 3 bytes of topic, 2 of the packet's id: 305.
    assert.deepEqual([publish.charCodeAt(1), publish.charCodeAt(2)], [0x80 | (305 & 0x7f), 305 >> 7]);
    assert.equal(publish.length, 3 + 305);
  });

  it('an MQTT publication as bytes is not made for a broker with TLS', () => {
    assert.equal(publishScript({ ...broker, isSecure: true }, message), undefined);
  });
});

describe('an HTTP request as bytes', () => {
  const request = {
    baseUrl: 'http://192.168.1.5:8080',
    method: 'PUT',
    path: '/a',
    headers: { key: 'k' },
  } as const;

  it('an HTTP request as bytes goes to the address, with the length of its body', () => {
    const { host, port, exchanges } = requestScript({ ...request, json: { name: 'å' } });
    assert.deepEqual([host, port], ['192.168.1.5', 8_080]);
    const text = Buffer.from(exchanges[0]?.send ?? []).toString();
    assert.match(text, /^PUT \/a HTTP\/1\.1\r\nhost: 192\.168\.1\.5:8080\r\n/);
    assert.match(text, /\r\ncontent-length: 13\r\n/);
    assert.ok(text.endsWith('key: k\r\n\r\n{"name":"å"}'));
    assert.equal(requestScript({ ...request, baseUrl: 'http://[fd00::1]' }).host, 'fd00::1');
    assert.equal(requestScript({ ...request, baseUrl: 'http://battery' }).port, 80);
  });

  it('an HTTP request as bytes cannot be made into two by a header', () => {
    assert.throws(() => requestScript({ ...request, headers: { key: 'k\r\nx: y' } }), /line break/);
  });
});

describe('a Modbus write as bytes', () => {
  it('a Modbus write as bytes expects the repetition of what was written, or how much', () => {
    const target = { host: '192.168.1.5', port: 502, unit: 7 };
    const repliesTo = (request: Parameters<typeof writeScript>[1]) =>
      Buffer.from(writeScript(target, request).exchanges[0]?.reply ?? []).toString('hex');
    assert.equal(repliesTo(writeRegisterRequest(0x10, 0xabcd)), '00010000000607060010abcd');
    assert.equal(repliesTo(writeRegistersRequest(0x10, Buffer.alloc(4))), '000100000006071000100002');
  });
});
