import type { HouseMeter, Limits, Status } from '../../adapter/device.ts';
import { figure, unrecognized, word } from '../../adapter/kit/index.ts';
import { type metersIn, modeIn, type StatusResponse } from './client.ts';

/* What the responses of a sonnenBatterie mean. */

/** What one reading has of a battery, or of the panels at it. */
export interface Reading {
  readonly status: StatusResponse;
  /** The most that the inverter of the battery takes and gives, watt; null where it does not say. */
  readonly maxW: number | null;
  /** When the battery measured, ms since 1970; null where it does not say. */
  readonly at: number | null;
  /** Its meters, where they were asked for. */
  readonly meters: ReturnType<typeof metersIn>;
}

/** What the battery has measured of the house. */
export interface MeterReading extends Pick<Reading, 'status' | 'at'> {
  readonly meter: HouseMeter;
}

const MOST_W = 1_000_000;
const MOST_KWH = 1e9;

/** `EM_OperatingMode`. */
export const MANUAL = '1';
const MODES: Readonly<Record<string, string>> = {
  [MANUAL]: 'manual',
  2: 'automatic',
  6: 'battery module extension',
  10: 'time of use',
};

/** `operation_state` is the operating mode; and that it has no grid, where it has none. */
export function batteryStatus({ status }: Reading): Status {
  const mode = modeIn(status.OperatingMode);
  const named = mode === null ? null : (MODES[mode] ?? mode);
  const words = [named, isOnGrid(status) ? null : word(status.SystemStatus)].filter((one) => one !== null);
  const power = batteryPowerOf({ status });
  return {
    online: true,
    charging:
      typeof status.BatteryCharging === 'boolean'
        ? status.BatteryCharging
        : power === null
          ? null
          : power > 0,
    operation_state: word(words.join(', ')),
  };
}

const isOnGrid = ({ SystemStatus }: StatusResponse): boolean => SystemStatus === 'OnGrid';

export const unrecognizedIn = ({ status }: Pick<Reading, 'status'>): string[] =>
  unrecognized({
    OperatingMode: [modeIn(status.OperatingMode), MODES],
    SystemStatus: [status.SystemStatus, ['OnGrid', 'OffGrid']],
  });

export const unrecognizedMetersIn = ({ meters }: Reading): string[] =>
  meters.flatMap(({ direction }) => unrecognized({ direction: [direction, ['production', 'consumption']] }));

/** What the owner can use of it, percent: as the app of sonnen shows it. */
export const socOf = ({ status }: Reading): number | null => figure(status.USOC, 0, 100);

/** Positive while it charges, watt; sonnen counts what it gives as positive. */
export function batteryPowerOf({ status }: Pick<Reading, 'status'>): number | null {
  const power = figure(status.Pac_total_W, -MOST_W, MOST_W);
  // Not minus zero.
  return power === null ? null : 0 - Math.round(power);
}

/** Panels of a dark roof take some watts. */
export function productionOf({ status }: Reading): number | null {
  const power = figure(status.Production_W, -MOST_W, MOST_W);
  return power === null ? null : Math.max(0, power);
}

/** What the house takes from the grid, or consumes, watt; sonnen counts what it feeds in. */
export function houseMeterW({ status, meter }: MeterReading): number | null {
  if (meter === 'house') return figure(status.Consumption_W, -MOST_W, MOST_W);
  const fedIn = figure(status.GridFeedIn_W, -MOST_W, MOST_W);
  return fedIn === null ? null : 0 - fedIn;
}

export const isProduction = ({ direction }: Reading['meters'][number]): boolean => direction === 'production';

/** What all meters of production have counted, watt-hours; null where one is not understood. */
export function producedWh(meters: Reading['meters']): number | null {
  const counted = meters.filter(isProduction).map((meter) => figure(meter.kwh_imported, 0, MOST_KWH));
  if (counted.length === 0 || counted.includes(null)) return null;
  return counted.reduce<number>((sum, kwh) => sum + (kwh ?? 0) * 1_000, 0);
}

export const limitsOf = ({ maxW }: Reading): Limits => ({
  min_a: null,
  max_a: null,
  min_w: maxW === null ? null : -maxW,
  max_w: maxW,
});
