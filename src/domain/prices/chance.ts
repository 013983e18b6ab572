import type { Random } from '../../core/ids.ts';

/** A random number from `least` (included) to `most` (excluded). */
export function between(random: Random, least: number, most: number): number {
  return least + (random(4).readUInt32BE() / 2 ** 32) * (most - least);
}
