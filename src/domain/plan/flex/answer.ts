import type { FleetColumns } from './fleet-columns.ts';
import { Headroom, reasonToSkip, roomOf } from './flexibility.ts';
import { readDispatch, readFlexibility } from './read-body.ts';
import { type Recruited, recruit } from './recruit.ts';

export type Question = 'dispatch' | 'flexibility';

/**
 * Computes the JSON response to a JSON body, both as bytes; throws an `AppError` that says what is wrong with the body.
 * The body's bytes are changed.
 */
export function answer(question: Question, body: Uint8Array): Uint8Array<ArrayBuffer>[] {
  return question === 'dispatch' ? answerDispatch(body) : answerFlexibility(body);
}

function answerDispatch(body: Uint8Array): Uint8Array<ArrayBuffer>[] {
  const { fleet, request } = readDispatch(body);
  const { count } = fleet;
  const rooms = new Float64Array(count);
  const skipped: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const member = fleet.member(index);
    const room = roomOf(request.direction, member);
    rooms[index] = room;
    if (room === 0 && reasonToSkip(member) !== null) skipped.push(index);
  }
  const recruited = recruit({ count, rooms, priorities: fleet.priorities }, request.amount_w);
  const writer = new ByteWriter();
  writer.ascii('{"setpoints":[');
  writeSetpoints(writer, fleet, { ...recruited, sign: request.direction === 'up' ? 1 : -1 });
  writer.ascii('],"delivered_w":');
  writer.whole(recruited.delivered);
  writer.ascii(',"shortfall_w":');
  writer.whole(request.amount_w - recruited.delivered);
  writeSkipped(writer, fleet, skipped);
  writer.ascii('}');
  return writer.finish();
}

function answerFlexibility(body: Uint8Array): Uint8Array<ArrayBuffer>[] {
  const { fleet, period } = readFlexibility(body);
  const headroom = new Headroom();
  const skipped: number[] = [];
  for (let index = 0; index < fleet.count; index += 1) {
    const { baseline_w, min_w, max_w } = fleet.member(index);
    if (!headroom.add(baseline_w, min_w, max_w)) skipped.push(index);
  }
  const { up_w, down_w, baseline_w } = headroom.totals();
  const writer = new ByteWriter();
  writer.ascii('{"up_w":');
  writer.whole(up_w);
  writer.ascii(',"down_w":');
  writer.whole(down_w);
  writer.ascii(',"baseline_w":');
  writer.whole(baseline_w);
  writer.ascii(',"period_index":');
  writer.whole(period.index);
  writeSkipped(writer, fleet, skipped);
  writer.ascii('}');
  return writer.finish();
}

function writeSetpoints(
  writer: ByteWriter,
  fleet: FleetColumns,
  { order, shares, sign }: Recruited & { readonly sign: 1 | -1 },
): void {
  for (let place = 0; place < order.length; place += 1) {
    const index = order[place] ?? 0;
    const delta = sign * (shares[place] ?? 0);
    writer.ascii(place === 0 ? '{"device_id":' : ',{"device_id":');
    writeId(writer, fleet, index);
    writer.ascii(',"target_w":');
    writer.whole((fleet.baselines[index] ?? 0) + delta);
    writer.ascii(',"delta_w":');
    writer.whole(delta);
    writer.ascii('}');
  }
}

function writeSkipped(writer: ByteWriter, fleet: FleetColumns, skipped: readonly number[]): void {
  if (skipped.length === 0) return;
  for (const [place, index] of skipped.entries()) {
    writer.ascii(place === 0 ? ',"skipped":[{"device_id":' : ',{"device_id":');
    writeId(writer, fleet, index);
    writer.ascii(',"reason":"');
    // The sentence has only names and numbers.
    writer.ascii(reasonToSkip(fleet.member(index)) ?? '');
    writer.ascii('"}');
  }
  writer.ascii(']');
}

function writeId(writer: ByteWriter, fleet: FleetColumns, index: number): void {
  const start = fleet.idStart(index);
  const end = fleet.idEnd(index);
  writer.ascii('"');
  if (fleet.idEscaped(index)) writer.escaped(fleet.bytes, start, end);
  else writer.copy(fleet.bytes, start, end);
  writer.ascii('"');
}

const BLOCK = 256 * 1024;

/** Writes bytes into a list of blocks, so that a response of any length needs no single large buffer. */
class ByteWriter {
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
