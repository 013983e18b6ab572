const BLOCK = 256 * 1024;

/** Writes bytes into a list of blocks, so that a response of any length needs no single large buffer. */
export class ByteWriter {
  readonly blocks: Uint8Array<ArrayBuffer>[] = [];
  #block = new Uint8Array(1_024);
  #size = 0;

  /** ASCII without anything that JSON escapes. */
  ascii(text: string): void {
    this.#reserve(text.length);
    const block = this.#block;
    let size = this.#size;
    for (let index = 0; index < text.length; index += 1) {
      block[size] = text.charCodeAt(index);
      size += 1;
    }
    this.#size = size;
  }

  /** A whole number; digits of small ones are written one by one, which is cheaper than making a string. */
  whole(value: number | bigint): void {
    if (typeof value === 'bigint' || value < 0 || value > 0x7fff_ffff) {
      if (typeof value === 'number' && value < 0 && value >= -0x7fff_ffff) {
        this.ascii('-');
        this.whole(-value);
      } else {
        this.ascii(String(value));
      }
      return;
    }
    this.#reserve(10);
    let length = 1;
    for (let bound = 10; value >= bound; bound *= 10) length += 1;
    let rest = value | 0;
    for (let at = this.#size + length - 1; at >= this.#size; at -= 1) {
      const tenth = (rest / 10) | 0;
      this.#block[at] = 48 + rest - tenth * 10;
      rest = tenth;
    }
    this.#size += length;
  }

  /** Copies bytes unchanged. */
  copy(bytes: Uint8Array, start: number, end: number): void {
    this.#reserve(end - start);
    const block = this.#block;
    let size = this.#size;
    for (let at = start; at < end; at += 1) {
      block[size] = bytes[at] ?? 0;
      size += 1;
    }
    this.#size = size;
  }

  /** UTF-8 that may need JSON escapes, written as `JSON.stringify` does. */
  escaped(bytes: Uint8Array, start: number, end: number): void {
    for (let at = start; at < end; at += 1) {
      const byte = bytes[at] ?? 0;
      if (byte >= 0x20 && byte !== 0x22 && byte !== 0x5c) {
        this.#reserve(1);
        this.#block[this.#size] = byte;
        this.#size += 1;
      } else {
        this.ascii(JSON.stringify(String.fromCharCode(byte)).slice(1, -1));
      }
    }
  }

  finish(): Uint8Array<ArrayBuffer>[] {
    this.#handOn();
    return this.blocks;
  }

  #reserve(length: number): void {
    if (this.#size + length <= this.#block.length) return;
    this.#handOn();
    // Small blocks for short responses, few blocks for long ones.
    const size = this.blocks.length === 0 ? 1_024 : Math.min(BLOCK, 8 * (this.blocks.at(-1)?.length ?? 0));
    this.#block = new Uint8Array(Math.max(size, length));
  }

  #handOn(): void {
    if (this.#size > 0) this.blocks.push(this.#block.subarray(0, this.#size));
    this.#size = 0;
  }
}
