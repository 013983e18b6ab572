import type { Device } from '../../../adapter/device.ts';

/** What a device is in a sum over devices. */
export type Role = 'vehicle' | 'charger' | 'grid_meter' | 'house_meter' | 'other';

/** The role of a device in a sum: meters of houses contain other devices, and a charger contains the car that charges at it. */
export function roleOf({ device_type: type, measures }: Pick<Device, 'device_type' | 'measures'>): Role {
  if (measures !== undefined) return `${measures}_meter`;
  return type === 'vehicle' || type === 'charger' ? type : 'other';
}

/** A moment that is not known: the energy of a gap. */
export const SOME_TIME = 'some_time';
export type Moment = number | typeof SOME_TIME;

/**
 * When chargers of each user have charged, by moments such as quarters. A car is not counted at a moment in which any
 * charger of its user was: the charger measures at the connector, and which car was connected is not known.
 */
export function createChargerTimes() {
  const times = new Map<string, Set<Moment>>();
  return {
    /** A charger of the user is counted at a moment. */
    add(user: string, moment: Moment): void {
      const known = times.get(user);
      if (known === undefined) times.set(user, new Set([moment]));
      else known.add(moment);
    },
    /** Whether a car of the user may be the one that a charger is counted for. */
    has(user: string, moment: Moment): boolean {
      const known = times.get(user);
      return known !== undefined && (moment === SOME_TIME || known.has(moment) || known.has(SOME_TIME));
    },
  };
}

export type ChargerTimes = ReturnType<typeof createChargerTimes>;

/**
 * One meter of each user. Several of one kind may measure the same connection, as those of an inverter and a battery do, so only
 * the one that shows most is counted.
 */
export function createMeters() {
  const most = new Map<string, number | null>();
  return {
    /** What a meter of the user shows; null where that is not known. */
    add(user: string, shown: number | null): void {
      const known = most.get(user);
      if (known == null || (shown !== null && Math.abs(shown) > Math.abs(known)))
        most.set(user, shown ?? known ?? null);
    },
    values: (): (number | null)[] => [...most.values()],
  };
}
