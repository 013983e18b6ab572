import type { Found } from '../device.ts';
import type { DeviceRef } from '../session.ts';

/** What a box in a house measures beside its own devices: what is taken from the grid, and what the house consumes. */
export type HouseMeter = 'grid' | 'house';

const NAMES: Readonly<Record<HouseMeter, string>> = { grid: 'Grid connection', house: 'House' };

/** The meters of a house as devices, `<id>-grid` and `<id>-house`: `industrial` is the type of meters. */
export const houseMeters = (
  id: string,
  meters: readonly HouseMeter[],
  more: Pick<Found, 'site' | 'details'> = {},
): Found[] =>
  meters.map((meter) => ({ id: `${id}-${meter}`, type: 'industrial', name: NAMES[meter], ...more }));

/** Which of them a device is. */
export const houseMeterOf = ({ id }: Pick<DeviceRef, 'id'>): HouseMeter =>
  id.endsWith('-grid') ? 'grid' : 'house';
