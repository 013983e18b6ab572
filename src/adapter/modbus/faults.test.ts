import assert from 'node:assert/strict';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { linkConnections } from '../../../test/kit/link-connections.ts';
import { until } from '../../../test/kit/until.ts';
import { AppError } from '../../core/errors.ts';
import { modbus } from './index.ts';

/** What a device makes of a request: the bytes of a response, or something else done with the connection. */
type Answer = (request: Buffer, socket: Socket) => Buffer | undefined;

const sound: Answer = (request) => {
  const count = request.readUInt16BE(10);
  const isRead = request[7] === 3;
  const content = isRead
    ? Buffer.concat([Buffer.from([count * 2]), Buffer.alloc(count * 2, 0xab)])
    : request.subarray(8, 12);
  const response = Buffer.concat([request.subarray(0, 8), content]);
  response.writeUInt16BE(2 + content.length, 4);
  return response;
};

const changed =
  (change: (response: Buffer) => void): Answer =>
  (request, socket) => {
    const response = sound(request, socket);
    if (response !== undefined) change(response);
    return response;
  };

const exception =
  (code: number): Answer =>
  (request) =>
    Buffer.from([...request.subarray(0, 4), 0, 3, request[6] ?? 0, (request[7] ?? 0) | 0x80, code]);

/** A device that sends the given responses, the last of them again and again, and our connection to it. */
async function met(test: TestContext, answers: readonly Answer[]) {
  const requests: Buffer[] = [];
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    socket.on('data', (request: Buffer) => {
      const answer = answers[Math.min(requests.length, answers.length - 1)];
      requests.push(request);
      const response = answer?.(request, socket);
      if (response !== undefined) socket.write(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  test.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { connections, clock, count } = linkConnections(test, 'Meter');
  const { port } = server.address() as AddressInfo;
  const device = modbus({ connections }, { name: 'Meter', host: '127.0.0.1', port, unit: 1 });
  return { device, clock, count, requests, sockets, address: `127.0.0.1:${port}` };
}

async function failure(work: Promise<unknown>): Promise<AppError> {
  const error: unknown = await work.then(
    () => new Error('it did not fail'),
    (cause: unknown) => cause,
  );
  assert.ok(error instanceof AppError, String(error));
  return error;
}

const NO_RESPONSES: Readonly<Record<string, Answer>> = {
  'of another transaction': changed((response) => response.writeUInt16BE(999, 0)),
  'of another protocol': changed((response) => response.writeUInt16BE(1, 2)),
  'of another unit': changed((response) => response.writeUInt8(2, 6)),
  'of another function': changed((response) => response.writeUInt8(4, 7)),
  'that is longer than what was asked for': changed((response) => response.writeUInt16BE(9, 4)),
  'in another protocol': () => Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'),
};

describe('a faulty Modbus device', { timeout: 600_000 }, () => {
  for (const [name, answer] of Object.entries(NO_RESPONSES)) {
    it(`a faulty Modbus device that sends a response ${name} is not believed, and the connection is given up`, async (test) => {
      const { device, count, requests, sockets, address } = await met(test, [answer, sound]);
      const error = await failure(device.readHolding(0, 2));
      assert.equal(error.code, 'vendor.answer_invalid');
      assert.match(error.message, new RegExp(`^Meter at ${address} sent what is no response$`));
      assert.equal(count(), 0);
      assert.equal((await device.readHolding(0, 2)).toString('hex'), 'abababab');
      assert.deepEqual([requests.length, sockets.length], [2, 2]);
    });
  }

  it('a faulty Modbus device that counts other bytes than were asked for is not believed', async (test) => {
    const { device } = await met(test, [changed((response) => response.writeUInt8(2, 8))]);
    assert.equal((await failure(device.readHolding(0, 2))).code, 'vendor.answer_invalid');
  });

  it('a faulty Modbus device that sends part of a frame and ends the connection is unreachable', async (test) => {
    const cut: Answer = (request, socket) => {
      socket.end((sound(request, socket) ?? request).subarray(0, 10));
      return undefined;
    };
    const { device } = await met(test, [cut]);
    assert.equal((await failure(device.readHolding(0, 2))).code, 'vendor.unreachable');
  });

  it('a faulty Modbus device that holds the line for ever costs the time that it is given', async (test) => {
    const part: Answer = (request, socket) => sound(request, socket)?.subarray(0, 8);
    const { device, clock, requests, count } = await met(test, [part]);
    const asked = failure(device.readHolding(0, 2, { timeoutMs: 2_000 }));
    await until('the device is asked', () => requests.length > 0);
    clock.turn(2_000);
    assert.equal((await asked).code, 'vendor.timeout');
    assert.equal(count(), 0);
  });

  it('a faulty Modbus device leaves the outcome of a write unknown, and is not told it twice', async (test) => {
    const silent: Answer = (_request, socket) => void socket.destroy();
    const elsewhere = changed((response) => response.writeUInt16BE(41_000, 8));
    for (const answer of [silent, elsewhere, exception(4), exception(5), exception(11)]) {
      const { device, requests } = await met(test, [answer, sound]);
      const error = await failure(device.writeRegister(40_000, 1));
      assert.equal(error.code, 'command.outcome_unknown', error.message);
      assert.equal(requests.length, 1);
    }
  });

  it('a faulty Modbus device says by its exceptions whether to ask again, and what is wrong', async (test) => {
    const EXPECTED = [
      [
        1,
        'vendor.refused',
        /did not read holding registers at 40000–40001: it does not support the function/,
      ],
      [
        2,
        'vendor.refused',
        /^unit 1 of Meter at .* it does not have these addresses \(Modbus exception 2\)$/,
      ],
      [3, 'vendor.refused', /does not accept the value/],
      [4, 'vendor.unreachable', /could not read holding registers at 40000–40001 now/],
      [6, 'vendor.unreachable', /is busy/],
      [10, 'vendor.unreachable', /has no way to unit 1 now; check the unit number/],
      [11, 'vendor.unreachable', /unit 1 does not respond to Meter at .*; check the unit number/],
      [200, 'vendor.unreachable', /Modbus exception 200/],
    ] as const;
    const { device, requests } = await met(
      test,
      EXPECTED.map(([code]) => exception(code)),
    );
    for (const [, code, sentence] of EXPECTED) {
      const error = await failure(device.readHolding(40_000, 2));
      assert.equal(error.code, code);
      assert.match(error.message, sentence);
      assert.equal(error.retryAfterSeconds, code === 'vendor.unreachable' ? 5 : undefined);
    }
    assert.equal(requests.length, EXPECTED.length);
  });

  it('a faulty Modbus device that refuses a write has not done it', async (test) => {
    const { device } = await met(test, [exception(3)]);
    const error = await failure(device.writeRegisters(40_000, Buffer.alloc(2)));
    assert.equal(error.code, 'vendor.refused');
    assert.match(error.message, /did not write registers at 40000: it does not accept the value/);
  });
});
