import { HOUR_MS } from '../../core/durations.ts';
import type { Span } from './stockholm.ts';

/** Gauss–Legendre with four nodes (Abramowitz & Stegun, table 25.4): exact up to degree 7. */
const NODES = [
  [-0.8611363115940526, 0.3478548451374538],
  [-0.3399810435848563, 0.6521451548625461],
  [0.3399810435848563, 0.6521451548625461],
  [0.8611363115940526, 0.3478548451374538],
] as const;

const LONGEST_MS = 3 * HOUR_MS;

/** Energy of a smooth power (W by ms) over a span of at most some days, watt-hours. */
export function energyWh(power: (ms: number) => number, { from, to }: Span): number {
  const parts = Math.max(1, Math.ceil((to - from) / LONGEST_MS));
  const half = (to - from) / parts / 2;
  let sum = 0;
  for (let part = 0; part < parts; part += 1) {
    const middle = from + (2 * part + 1) * half;
    for (const [node, weight] of NODES) sum += weight * power(middle + node * half);
  }
  return (sum * half) / HOUR_MS;
}
