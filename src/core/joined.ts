/** Joins blocks, of which only the last may be partly filled, into one piece of memory. Frees each block once it is copied. */
export function joined(blocks: readonly ArrayBuffer[], length: number): Uint8Array<ArrayBuffer> {
  const [first] = blocks;
  if (blocks.length === 1 && first !== undefined) return new Uint8Array(first, 0, length);
  const whole = new Uint8Array(length);
  let at = 0;
  for (const block of blocks) {
    const size = Math.min(block.byteLength, length - at);
    whole.set(new Uint8Array(block, 0, size), at);
    at += size;
    // Otherwise the memory of an unreachable block would be freed only at the next garbage collection.
    block.transfer(0);
  }
  return whole;
}
