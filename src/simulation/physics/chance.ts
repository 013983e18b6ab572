import { hash } from 'node:crypto';

/** A number in [0, 1) that depends on the seed and the name alone: 48 bits of SHA-256. */
export function fraction(seed: string, name: string): number {
  return hash('sha256', JSON.stringify([seed, name]), 'buffer').readUIntBE(0, 6) / 2 ** 48;
}

/** A number in [least, most) that depends on the seed and the name alone. */
export function between(seed: string, name: string, range: readonly [number, number]): number {
  return range[0] + (range[1] - range[0]) * fraction(seed, name);
}
