import { HOUR_MS } from '../../core/durations.ts';
import { dayAt } from '../../core/swedish-days.ts';
import { between } from './chance.ts';
import { hourOfDay } from './stockholm.ts';

const bell = (hour: number, centre: number, width: number) => Math.exp(-(((hour - centre) / width) ** 2) / 2);

/**
 * What the house around a charger draws on each phase, ampere: a base, a morning and an evening, stronger on some days
 * than on others. The balancer measures once an hour, in its middle, so the value is constant within each hour.
 */
export function houseLoadA(seed: string, ms: number): number {
  const middle = Math.floor(ms / HOUR_MS) * HOUR_MS + HOUR_MS / 2;
  const hour = hourOfDay(middle);
  const busy = between(seed, `house ${dayAt(middle)}`, [0.6, 1.2]);
  return 1.5 + busy * (2.5 * bell(hour, 7.5, 1.2) + 6 * bell(hour, 19, 2));
}
