import type { Random } from '../../core/ids.ts';

/** Somewhere from `least` until before `most`. */
export function between(random: Random, least: number, most: number): number {
  return least + (random(4).readUInt32BE() / 2 ** 32) * (most - least);
}
