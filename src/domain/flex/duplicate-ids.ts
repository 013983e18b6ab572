import type { FleetColumns } from './fleet-columns.ts';

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
