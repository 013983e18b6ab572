import type { Command } from '../../adapter/commands.ts';
import type { Limits } from '../../adapter/device.ts';
import { between, outOfRange } from '../../adapter/ranges.ts';
import { AppError } from '../../core/errors.ts';

const DAY_SECONDS = 86_400;
const LEAST_SECONDS = 10;

/** Refuses a value outside its fixed range: 422 with what is permitted. */
export function checkFixedRanges(command: Command): void {
  switch (command.type) {
    case 'set_charge_limit':
      within('percent', command.percent, [0, 100]);
      return;
    case 'delayed_start':
      within('delay_seconds', command.delay_seconds, [1, DAY_SECONDS]);
      return;
    case 'set_light':
      if (command.dim !== undefined) within('dim', command.dim, [0, 100]);
      for (const [index, value] of (command.color ?? []).entries())
        within(`color[${index}]`, value, [0, 255]);
      return;
    case 'set_current':
      if (command.current_a < 0)
        throw outOfRange(`current_a must be 0 (pause) or more, not ${command.current_a}`);
      if (command.then_current_a !== undefined && command.then_current_a < 0)
        throw outOfRange(`then_current_a must be 0 (pause) or more, not ${command.then_current_a}`);
      checkSeconds(command.for_seconds);
      return;
    case 'set_battery_power':
      checkSeconds(command.for_seconds);
      return;
    case 'set_limit':
      checkSeconds(command.for_seconds);
      for (const axis of ['max_a', 'max_w', 'then_a', 'then_w'] as const) {
        const value = command[axis];
        if (value !== undefined && value < 0) throw outOfRange(`${axis} must be 0 or more, not ${value}`);
      }
      return;
    case 'turn_on':
    case 'turn_off':
    case 'start_charge':
    case 'stop_charge':
    case 'set_temperature':
    case 'start_program':
    case 'stop_program':
      return;
  }
}

function checkSeconds(seconds: number | undefined): void {
  if (seconds !== undefined) within('for_seconds', seconds, [LEAST_SECONDS, DAY_SECONDS]);
}

/** Whether what the command may ask for depends on the device's limits. */
export function needsLimits(command: Command): boolean {
  return (
    command.type === 'set_current' || command.type === 'set_limit' || command.type === 'set_battery_power'
  );
}

/** Refuses a value outside the device's limits, and a limit on an axis that the device does not have. */
export function checkLimits(command: Command, limits: Limits): void {
  switch (command.type) {
    case 'set_current':
      for (const field of ['current_a', 'then_current_a'] as const) {
        const value = command[field];
        // 0 pauses whatever the lowest current is.
        if (value === undefined || value === 0) continue;
        between(field, value, { least: limits.min_a, most: limits.max_a, also: '0 (pause) or ' });
      }
      return;
    case 'set_limit': {
      const hasA = limits.max_a !== null;
      const hasW = limits.max_w !== null;
      if (command.max_a !== undefined) {
        if (!hasA)
          throw new AppError('command.axis_unsupported', 'the device limits by power only; set max_w');
        for (const field of ['max_a', 'then_a'] as const)
          between(field, command[field], { least: limits.min_a, most: limits.max_a });
      }
      if (command.max_w !== undefined) {
        if (!hasW)
          throw new AppError('command.axis_unsupported', 'the device limits by current only; set max_a');
        for (const field of ['max_w', 'then_w'] as const)
          between(field, command[field], { least: limits.min_w, most: limits.max_w });
      }
      return;
    }
    case 'set_battery_power':
      between('power_w', command.power_w, { least: limits.min_w, most: limits.max_w });
      return;
    case 'turn_on':
    case 'turn_off':
    case 'set_charge_limit':
    case 'start_charge':
    case 'stop_charge':
    case 'set_temperature':
    case 'set_light':
    case 'start_program':
    case 'stop_program':
    case 'delayed_start':
      return;
  }
}

function within(field: string, value: number, [least, most]: readonly [number, number]): void {
  if (value < least || value > most)
    throw outOfRange(`${field} must be from ${least} to ${most}, not ${value}`);
}
