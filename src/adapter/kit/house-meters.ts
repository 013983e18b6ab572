import type { Device, Found } from '../device.ts';

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
export const houseMeterOf = ({ id }: Pick<Found, 'id'>): HouseMeter =>
  id.endsWith('-grid') ? 'grid' : 'house';

/** How the ids of house meters end, those of SunSpec (`-meter`, `-meter-2`) included. */
const ENDING = /-(grid|house|meter)(?:-\d+)?$/;

/**
 * What an `industrial` device measures of a house; undefined for a machine. A meter that does not say what it measures is
 * treated as one at the grid connection, where most are.
 */
export function houseMeterIn({
  device_type,
  id,
}: Pick<Device, 'device_type' | 'id'>): HouseMeter | undefined {
  const ending = device_type === 'industrial' ? ENDING.exec(id)?.[1] : undefined;
  return ending === 'house' ? 'house' : ending === undefined ? undefined : 'grid';
}
