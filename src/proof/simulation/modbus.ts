import type { Duplex } from 'node:stream';

const HEADER = 7;
const EXCEPTION = 0x80;
const ILLEGAL_FUNCTION = 1;
export const ILLEGAL_ADDRESS = 2;
export const ILLEGAL_VALUE = 3;
export const NO_TARGET = 11;
const MOST_REGISTERS = 125;
const MOST_BITS = 2_000;

export type SimulatedTable = 'holding' | 'input' | 'coil' | 'discrete';

/** What a simulated Modbus device has behind a unit number. A number instead of an answer is an exception of the protocol. */
interface SimulatedUnits {
  /** Words of 16 bits, or bits; undefined where there are none. */
  read(of: {
    readonly unit: number;
    readonly table: SimulatedTable;
    readonly address: number;
    readonly count: number;
  }): readonly number[] | number;
  /** Returns 0 where it was taken. */
  write(of: {
    readonly unit: number;
    readonly table: 'holding' | 'coil';
    readonly address: number;
    readonly words: readonly number[];
  }): number;
}

const TABLES: Readonly<Record<number, SimulatedTable>> = {
  1: 'coil',
  2: 'discrete',
  3: 'holding',
  4: 'input',
};

/** Speaks Modbus TCP with a client: requests come in any pieces, and each is answered in its turn. */
export function speakModbus(socket: Duplex, units: SimulatedUnits): void {
  let received = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    while (received.length >= HEADER) {
      const length = received.readUInt16BE(4) + HEADER - 1;
      if (received.length < length) return;
      const request = received.subarray(0, length);
      received = received.subarray(length);
      const content = answerTo(request, units);
      const head = Buffer.from(request.subarray(0, HEADER));
      head.writeUInt16BE(content.length + 1, 4);
      socket.write(Buffer.concat([head, content]));
    }
  });
}

function answerTo(request: Buffer, units: SimulatedUnits): Buffer {
  const unit = request[HEADER - 1] ?? 0;
  const code = request[HEADER] ?? 0;
  const body = request.subarray(HEADER + 1);
  const table = TABLES[code];
  const refuse = (exception: number) => Buffer.from([code | EXCEPTION, exception]);
  const address = body.readUInt16BE(0);
  if (table !== undefined) {
    const count = body.readUInt16BE(2);
    const isOfBits = table === 'coil' || table === 'discrete';
    if (count === 0 || count > (isOfBits ? MOST_BITS : MOST_REGISTERS)) return refuse(ILLEGAL_VALUE);
    const values = units.read({ unit, table, address, count });
    if (typeof values === 'number') return refuse(values);
    const data = isOfBits ? packed(values) : wordsOf(values);
    return Buffer.concat([Buffer.from([code, data.length]), data]);
  }
  const written = writtenBy(code, body);
  if (written === undefined) return refuse(ILLEGAL_FUNCTION);
  const exception = units.write({ unit, address, ...written });
  return exception === 0 ? Buffer.concat([Buffer.from([code]), body.subarray(0, 4)]) : refuse(exception);
}

/** What a request writes: functions 5, 6, 15 and 16. */
function writtenBy(code: number, body: Buffer) {
  const count = body.readUInt16BE(2);
  switch (code) {
    case 5:
      return { table: 'coil', words: [count === 0 ? 0 : 1] } as const;
    case 6:
      return { table: 'holding', words: [count] } as const;
    case 15: {
      const words = Array.from({ length: count }, (_, bit) => ((body[5 + (bit >> 3)] ?? 0) >> (bit & 7)) & 1);
      return { table: 'coil', words } as const;
    }
    case 16: {
      const words = Array.from({ length: count }, (_, index) => body.readUInt16BE(5 + index * 2));
      return { table: 'holding', words } as const;
    }
    default:
      return undefined;
  }
}

function wordsOf(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2);
  for (const [index, value] of values.entries()) bytes.writeUInt16BE(value & 0xffff, index * 2);
  return bytes;
}

function packed(bits: readonly number[]): Buffer {
  const bytes = Buffer.alloc(Math.ceil(bits.length / 8));
  for (const [index, bit] of bits.entries())
    if (bit === 1) bytes[index >> 3] = (bytes[index >> 3] ?? 0) | (1 << (index & 7));
  return bytes;
}
