/** Numbers in registers, by their type; the count of registers of each. */
export const REGISTERS = {
  int16: 1,
  uint16: 1,
  int32: 2,
  uint32: 2,
  float32: 2,
  int64: 4,
  uint64: 4,
  float64: 4,
} as const;
export type NumberType = keyof typeof REGISTERS;

/** How devices order the registers of a number: the high one first, as Modbus does, or the low one first. */
export type WordOrder = 'big' | 'little';

/**
 * The number at a register (from 0). One of 64 bits beyond 2⁵³ loses its last digits.
 * @param registers bytes as a `Modbus` reads them; a RangeError where they end before the number does
 */
export function numberAt(
  registers: Uint8Array,
  at: number,
  { type, order = 'big' }: { readonly type: NumberType; readonly order?: WordOrder },
): number {
  const length = REGISTERS[type] * 2;
  const bytes = Buffer.from(registers.subarray(at * 2, at * 2 + length));
  if (order === 'little') swapWords(bytes);
  switch (type) {
    case 'int16':
      return bytes.readInt16BE();
    case 'uint16':
      return bytes.readUInt16BE();
    case 'int32':
      return bytes.readInt32BE();
    case 'uint32':
      return bytes.readUInt32BE();
    case 'float32':
      return bytes.readFloatBE();
    case 'int64':
      return Number(bytes.readBigInt64BE());
    case 'uint64':
      return Number(bytes.readBigUInt64BE());
    case 'float64':
      return bytes.readDoubleBE();
  }
}

/** The registers of a number. @throws RangeError where the type cannot hold it. */
export function registersOf(
  value: number,
  { type, order = 'big' }: { readonly type: NumberType; readonly order?: WordOrder },
): Buffer {
  const bytes = Buffer.alloc(REGISTERS[type] * 2);
  const write: Readonly<Record<NumberType, () => void>> = {
    int16: () => bytes.writeInt16BE(value),
    uint16: () => bytes.writeUInt16BE(value),
    int32: () => bytes.writeInt32BE(value),
    uint32: () => bytes.writeUInt32BE(value),
    float32: () => bytes.writeFloatBE(value),
    int64: () => bytes.writeBigInt64BE(BigInt(value)),
    uint64: () => bytes.writeBigUInt64BE(BigInt(value)),
    float64: () => bytes.writeDoubleBE(value),
  };
  write[type]();
  if (order === 'little') swapWords(bytes);
  return bytes;
}

function swapWords(bytes: Buffer): void {
  for (let low = 0, high = bytes.length - 2; low < high; low += 2, high -= 2) {
    const word = bytes.readUInt16BE(low);
    bytes.writeUInt16BE(bytes.readUInt16BE(high), low);
    bytes.writeUInt16BE(word, high);
  }
}
