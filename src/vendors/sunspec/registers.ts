import type { Modbus, ModbusPurpose } from '../../adapter/kit/index.ts';

/** A run of registers. */
export interface Span {
  readonly address: number;
  readonly count: number;
}

/** What Modbus permits in one read. */
const MOST = 125;

/** The fewest reads that cover spans; what lies between two of them is read along. */
function readsFor(spans: readonly Span[]): Span[] {
  const pieces = spans
    .flatMap(({ address, count }) =>
      Array.from({ length: Math.ceil(count / MOST) }, (_, index) => ({
        address: address + index * MOST,
        count: Math.min(MOST, count - index * MOST),
      })),
    )
    .toSorted((one, other) => one.address - other.address);
  const reads: Span[] = [];
  for (const piece of pieces) {
    const last = reads.at(-1);
    const end = piece.address + piece.count;
    if (last !== undefined && end - last.address <= MOST)
      reads[reads.length - 1] = { ...last, count: Math.max(last.count, end - last.address) };
    else reads.push(piece);
  }
  return reads;
}

/** Registers that were read, by their address. */
export type Registers = (span: Span) => Buffer;

/** Reads what covers the spans. */
export async function readRegisters(
  device: Modbus,
  spans: readonly Span[],
  purpose: ModbusPurpose,
): Promise<Registers> {
  const read = new Map<number, Buffer>();
  for (const { address, count } of readsFor(spans)) {
    const bytes = await device.readHolding(address, count, purpose);
    for (let index = 0; index < count; index += 1)
      read.set(address + index, bytes.subarray(index * 2, index * 2 + 2));
  }
  return ({ address, count }) =>
    Buffer.concat(Array.from({ length: count }, (_, index) => read.get(address + index) ?? Buffer.alloc(0)));
}
