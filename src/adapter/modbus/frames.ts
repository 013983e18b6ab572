/*
 * Modbus Application Protocol 1.1b3 over TCP: a header of seven bytes (transaction, protocol 0, length of what follows, unit), the function,
 * and its content. Words are big-endian.
 */

/** The functions that are spoken here, by what they do. */
export const READ = { coils: 1, discrete: 2, holding: 3, input: 4 } as const;
export const WRITE = { coil: 5, register: 6, coils: 15, registers: 16 } as const;

/** What the protocol permits in one request. */
const MOST_REGISTERS_READ = 125;
const MOST = { bitsRead: 2_000, bitsWritten: 1_968, registersWritten: 123 };
const ADDRESSES = 0x1_0000;

const HEADER = 7;
/** The set bit tells an exception from a response. */
const EXCEPTION = 0x80;
const COIL_ON = 0xff00;

export interface Request {
  readonly code: number;
  readonly content: Buffer;
  /** First address and count, for sentences. */
  readonly span: readonly [address: number, count: number];
  /** How a response begins that does what was asked: the count of bytes that follow, or what was written and where. */
  readonly expected: Buffer;
  /** How many bytes of data follow that. */
  readonly dataLength: number;
}

/** A request that the protocol does not permit is a fault of the adapter, and no device's. */
function check(address: number, count: number, most: number): void {
  const isWithin = Number.isInteger(address) && address >= 0 && address + count <= ADDRESSES;
  if (!isWithin || !Number.isInteger(count) || count < 1 || count > most)
    throw new RangeError(`Modbus has no request about ${count} at ${address}`);
}

function words(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2);
  for (const [index, value] of values.entries()) bytes.writeUInt16BE(value, index * 2);
  return bytes;
}

export function readRequest(code: number, address: number, count: number): Request {
  const ofBits = code === READ.coils || code === READ.discrete;
  check(address, count, ofBits ? MOST.bitsRead : MOST_REGISTERS_READ);
  const dataLength = ofBits ? Math.ceil(count / 8) : count * 2;
  return {
    code,
    content: words(address, count),
    span: [address, count],
    expected: Buffer.from([dataLength]),
    dataLength,
  };
}

function writeRequest(
  code: number,
  span: readonly [address: number, count: number],
  content: Buffer,
): Request {
  // A device repeats where it wrote, and what or how much.
  return { code, content, span, expected: content.subarray(0, 4), dataLength: 0 };
}

export function writeCoilRequest(address: number, isOn: boolean): Request {
  check(address, 1, 1);
  return writeRequest(WRITE.coil, [address, 1], words(address, isOn ? COIL_ON : 0));
}

export function writeRegisterRequest(address: number, value: number): Request {
  check(address, 1, 1);
  return writeRequest(WRITE.register, [address, 1], words(address, value));
}

export function writeCoilsRequest(address: number, values: readonly boolean[]): Request {
  check(address, values.length, MOST.bitsWritten);
  const bits = Buffer.alloc(Math.ceil(values.length / 8));
  for (const [index, isOn] of values.entries())
    if (isOn) bits[index >> 3] = (bits[index >> 3] ?? 0) | (1 << (index & 7));
  const content = Buffer.concat([words(address, values.length), Buffer.from([bits.length]), bits]);
  return writeRequest(WRITE.coils, [address, values.length], content);
}

export function writeRegistersRequest(address: number, registers: Uint8Array): Request {
  const count = registers.length / 2;
  check(address, count, MOST.registersWritten);
  const content = Buffer.concat([words(address, count), Buffer.from([registers.length]), registers]);
  return writeRequest(WRITE.registers, [address, count], content);
}

/** The bits of a response, the lowest of the first byte first. */
export function bitsIn(data: Uint8Array, count: number): boolean[] {
  return Array.from({ length: count }, (_, index) => (((data[index >> 3] ?? 0) >> (index & 7)) & 1) === 1);
}

/** The bytes of a request as they are sent. */
export function frameOf(transaction: number, unit: number, { code, content }: Request): Buffer {
  const frame = Buffer.concat([Buffer.alloc(HEADER + 1), content]);
  frame.writeUInt16BE(transaction, 0);
  frame.writeUInt16BE(2 + content.length, 4);
  frame[6] = unit;
  frame[7] = code;
  return frame;
}

/**
 * How long the response to a frame is. Throws where what was received is none: another protocol, another transaction or unit, a function that
 * was not asked for, or a length that such a response cannot have.
 */
export function responseLengthOf(frame: Buffer, { code, expected, dataLength }: Request) {
  return (bytes: Uint8Array): number | undefined => {
    if (bytes.length <= HEADER) return undefined;
    const received = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    // control: the response to another Modbus request is none to this one [modbus/frames modbus/faults]
    if (received.readUInt32BE(0) !== frame.readUInt32BE(0)) throw new Error('it is of another transaction');
    // control: the response of another Modbus unit is none of this one [modbus/frames modbus/faults]
    if (received[6] !== frame[6]) throw new Error('it is of another unit');
    const isException = received[7] === (code | EXCEPTION);
    if (!isException && received[7] !== code) throw new Error('it is of another function');
    const length = HEADER + 1 + (isException ? 1 : expected.length + dataLength);
    if (received.readUInt16BE(4) !== length - HEADER + 1) throw new Error('it has another length');
    return length;
  };
}

/** What a whole response says: data, an exception by its code, or nothing that fits the request. */
export type Outcome = { readonly data: Buffer } | { readonly exception: number } | undefined;

export function outcomeIn(bytes: Uint8Array, { expected }: Request): Outcome {
  const [, , , , , , , code = 0, exception = 0] = bytes;
  if ((code & EXCEPTION) !== 0) return { exception };
  const content = Buffer.from(bytes.subarray(HEADER + 1));
  const repeats = content.subarray(0, expected.length).equals(expected);
  return repeats ? { data: content.subarray(expected.length) } : undefined;
}
