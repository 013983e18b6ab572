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
