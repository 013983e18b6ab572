import type { FleetColumns } from './fleet-columns.ts';

/** Steps past taken places for each member, on average, before the ids are taken to have been made to collide. */
const PATIENCE = 16;

/**
 * The first member whose id an earlier member has, or null. The ids are compared as bytes in a table of their hashes. Ids that
 * were made so that their hashes collide would make that take for ever: then a set of texts decides, whose hashes nobody
 * outside knows.
 */
export function duplicateId(
  fleet: FleetColumns,
): { readonly index: number; readonly earlier: number } | null {
  const { count, bytes } = fleet;
  if (count < 2) return null;
  const size = 2 ** Math.ceil(Math.log2(count * 2));
  /** Index of a member, counted from 1; 0 where nobody is. */
  const table = new Uint32Array(size);
  const hashes = new Int32Array(count);
  let patience = count * PATIENCE + 1_000;
  for (let index = 0; index < count; index += 1) {
    const hash = hashOf(bytes, fleet.idStart(index), fleet.idEnd(index));
    hashes[index] = hash;
    let place = hash & (size - 1);
    for (let found = table[place] ?? 0; found !== 0; found = table[place] ?? 0) {
      if (hashes[found - 1] === hash && sameId(fleet, found - 1, index)) return { index, earlier: found - 1 };
      place = (place + 1) & (size - 1);
      patience -= 1;
      if (patience < 0) return duplicateText(fleet);
    }
    table[place] = index + 1;
  }
  return null;
}

function duplicateText(fleet: FleetColumns): { index: number; earlier: number } | null {
  const seen = new Map<string, number>();
  for (let index = 0; index < fleet.count; index += 1) {
    const id = fleet.id(index);
    const earlier = seen.get(id);
    if (earlier !== undefined) return { index, earlier };
    seen.set(id, index);
  }
  return null;
}

/** FNV-1a, with the last mixing of MurmurHash3 so that its low bits can be used. */
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
