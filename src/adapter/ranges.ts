import { AppError } from '../core/errors.ts';
import type { AnyKind } from './adapter.ts';
import type { Command } from './commands.ts';
import type { DeviceRef } from './session.ts';

/** Bounds that do not depend on the state of the device; a bound that is absent is none. */
export interface Ranges {
  /** Target temperature, milli-Celsius. */
  readonly min_milli_c?: number;
  readonly max_milli_c?: number;
  /** Charge target, percent. */
  readonly min_percent?: number;
  readonly max_percent?: number;
}

/** Refuses a value that the device never accepts, whatever its state: `command.out_of_range` with what is permitted. */
export function checkRanges(kind: AnyKind, device: RangedDevice, command: Command): void {
  const ranges = typeof kind.ranges === 'function' ? kind.ranges(device) : kind.ranges;
  if (ranges === undefined) return;
  const { min_milli_c, max_milli_c, min_percent, max_percent } = ranges;
  if (command.type === 'set_temperature')
    between('target_milli_c', command.target_milli_c, { least: min_milli_c, most: max_milli_c });
  if (command.type === 'set_charge_limit')
    between('percent', command.percent, { least: min_percent, most: max_percent });
}

export type RangedDevice = Pick<DeviceRef, 'id' | 'details'>;

/** Refuses a value outside a range; a bound that is null or absent is none. `also` names a value that is always permitted. */
export function between(
  field: string,
  value: number | undefined,
  range: {
    readonly least?: number | null | undefined;
    readonly most?: number | null | undefined;
    readonly also?: string;
  },
): void {
  const { least = null, most = null, also = '' } = range;
  if (value === undefined) return;
  if ((least === null || value >= least) && (most === null || value <= most)) return;
  const bounds =
    least !== null && most !== null
      ? `from ${least} to ${most}`
      : most !== null
        ? `at most ${most}`
        : `at least ${least}`;
  throw outOfRange(`${field} must be ${also}${bounds}, not ${value}`);
}

export function outOfRange(sentence: string): AppError {
  return new AppError('command.out_of_range', sentence);
}
