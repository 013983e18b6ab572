import type { Found, HouseMeter } from '../device.ts';

const NAMES: Readonly<Record<HouseMeter, string>> = { grid: 'Grid connection', house: 'House' };

/** The meters of a house as devices, `<id>-grid` and `<id>-house`: `industrial` is the type of meters. */
export const houseMeters = (
  id: string,
  meters: readonly HouseMeter[],
  more: Pick<Found, 'site' | 'details'> = {},
): Found[] =>
  meters.map((measures) => ({
    id: `${id}-${measures}`,
    type: 'industrial',
    name: NAMES[measures],
    measures,
    ...more,
  }));

/** Which of them a device is. Throws for a device that `houseMeters` did not make. */
export function houseMeterOf({ id, measures }: Pick<Found, 'id' | 'measures'>): HouseMeter {
  if (measures === undefined) throw new Error(`${id} is no meter of a house: nothing says what it measures`);
  return measures;
}
