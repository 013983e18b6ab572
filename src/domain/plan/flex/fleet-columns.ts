import { MEMBER_LIMIT } from './schemas.ts';

/** The shortest JSON of a member, with the comma after it. */
const SHORTEST = '{"id":"a","baseline_w":0,"min_w":0,"max_w":0,"priority":0},'.length;
/** Flag in `idEnds`: the id was written with escapes and must be escaped again. */
const ESCAPED = 0x8000_0000;

export interface Member {
  readonly baseline_w: number;
  readonly min_w: number;
  readonly max_w: number;
  readonly priority: number;
}

/** A fleet as columns over the bytes it was read from: 40 bytes per member, and no objects to garbage-collect. */
export class FleetColumns {
  /** The bytes that hold the ids, as UTF-8. */
  readonly bytes: Uint8Array;
  count = 0;
  readonly baselines: Float64Array;
  readonly mins: Float64Array;
  readonly maxs: Float64Array;
  readonly priorities: Float64Array;
  readonly #idStarts: Uint32Array;
  readonly #idEnds: Uint32Array;

  /** Allocates columns for as many members as the bytes can hold. */
  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    const most = Math.min(MEMBER_LIMIT, Math.ceil(bytes.length / SHORTEST));
    this.baselines = new Float64Array(most);
    this.mins = new Float64Array(most);
    this.maxs = new Float64Array(most);
    this.priorities = new Float64Array(most);
    this.#idStarts = new Uint32Array(most);
    this.#idEnds = new Uint32Array(most);
  }

  push(
    member: Member,
    id: { readonly start: number; readonly end: number; readonly escaped: boolean },
  ): void {
    const { count } = this;
    this.baselines[count] = member.baseline_w;
    this.mins[count] = member.min_w;
    this.maxs[count] = member.max_w;
    this.priorities[count] = member.priority;
    this.#idStarts[count] = id.start;
    this.#idEnds[count] = id.escaped ? id.end + ESCAPED : id.end;
    this.count = count + 1;
  }

  member(index: number): Member {
    return {
      baseline_w: this.baselines[index] ?? 0,
      min_w: this.mins[index] ?? 0,
      max_w: this.maxs[index] ?? 0,
      priority: this.priorities[index] ?? 0,
    };
  }

  idStart(index: number): number {
    return this.#idStarts[index] ?? 0;
  }

  idEnd(index: number): number {
    return (this.#idEnds[index] ?? 0) % ESCAPED;
  }

  idEscaped(index: number): boolean {
    return (this.#idEnds[index] ?? 0) >= ESCAPED;
  }

  id(index: number): string {
    return textOf(this.bytes, this.idStart(index), this.idEnd(index));
  }
}

// A byte order mark is part of the text here.
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

export function textOf(bytes: Uint8Array, start: number, end: number): string {
  return utf8.decode(bytes.subarray(start, end));
}

/** Average probes per member above which the ids are treated as made to collide. */
const PATIENCE = 16;

/**
 * The first member with the id of an earlier member, or null. Ids are compared as bytes in a hash table. If too many
 * hashes collide, as for ids made to do so, a Map of strings is used, whose hash function has a secret seed.
 */
export function duplicateId(
  fleet: FleetColumns,
): { readonly index: number; readonly earlier: number } | null {
  const { count, bytes } = fleet;
  if (count < 2) return null;
  const size = 2 ** Math.ceil(Math.log2(count * 2));
  /** Index of a member, from 1; 0 for an empty slot. */
  const table = new Uint32Array(size);
  const hashes = new Int32Array(count);
  let patience = count * PATIENCE + 1_000;
  for (let index = 0; index < count; index += 1) {
    const hash = hashOf(bytes, fleet.idStart(index), fleet.idEnd(index));
    hashes[index] = hash;
    let place = hash & (size - 1);
    for (let entry = table[place] ?? 0; entry !== 0; entry = table[place] ?? 0) {
      if (hashes[entry - 1] === hash && sameId(fleet, entry - 1, index)) return { index, earlier: entry - 1 };
      place = (place + 1) & (size - 1);
      patience -= 1;
      if (patience < 0) return duplicateText(fleet);
    }
    table[place] = index + 1;
  }
  return null;
}

function duplicateText(fleet: FleetColumns): { index: number; earlier: number } | null {
  const indexById = new Map<string, number>();
  for (let index = 0; index < fleet.count; index += 1) {
    const id = fleet.id(index);
    const earlier = indexById.get(id);
    if (earlier !== undefined) return { index, earlier };
    indexById.set(id, index);
  }
  return null;
}

/** FNV-1a, with the final mix of MurmurHash3 so that its low bits are usable. */
export function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

function sameId(fleet: FleetColumns, one: number, other: number): boolean {
  const { bytes } = fleet;
  const start = fleet.idStart(one);
  const length = fleet.idEnd(one) - start;
  const otherStart = fleet.idStart(other);
  if (fleet.idEnd(other) - otherStart !== length) return false;
  for (let at = 0; at < length; at += 1) {
    if (bytes[start + at] !== bytes[otherStart + at]) return false;
  }
  return true;
}
