import {
  between,
  COMMAND_TYPES,
  COMMANDS,
  type Command,
  type CommandOf,
  type CommandType,
  outOfRange,
} from '../../../adapter/commands.ts';
import type { Limits } from '../../../adapter/device.ts';
import {
  OPERATION_TYPES,
  OPERATIONS,
  type OperationType,
  type StationOperation,
} from '../../../adapter/station.ts';
import { AppError } from '../../../core/errors.ts';
import { validatorsByType } from '../../../core/validate.ts';

const operationChecks = validatorsByType(OPERATIONS);

/** The operation of a station in a body; 400 with the known types if its type is unknown, or with its fault. */
export function parseOperation(body: unknown): StationOperation {
  const known = OPERATION_TYPES.join(', ');
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new AppError('request.invalid', 'the body must be a JSON object such as {"type": "reset"}');
  const { type } = body as { type?: unknown };
  if (type === undefined)
    throw new AppError('request.invalid', `body is missing type; it must be one of ${known}`);
  if (!isOperationType(type)) {
    const given = typeof type === 'string' ? `"${type.slice(0, 60)}"` : 'what was given';
    throw new AppError('command.type_unknown', `type ${given} is unknown; the types are ${known}`);
  }
  return operationChecks[type](body);
}

function isOperationType(type: unknown): type is OperationType {
  return typeof type === 'string' && Object.hasOwn(OPERATIONS, type);
}

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

const commandChecks = validatorsByType(COMMANDS);

/** The command in a body; 400 with the known types if its type is unknown, or with its fault. */
export function parseCommand(body: unknown): Command {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new AppError('request.invalid', 'the body must be a JSON object such as {"type": "turn_on"}');
  }
  const { type } = body as { type?: unknown };
  if (type === undefined)
    throw new AppError(
      'request.invalid',
      `body is missing type; it must be one of ${COMMAND_TYPES.join(', ')}`,
    );
  if (!isCommandType(type)) {
    const given = typeof type === 'string' ? `"${type.slice(0, 60)}"` : 'what was given';
    throw new AppError(
      'command.type_unknown',
      `type ${given} is unknown; the types are ${COMMAND_TYPES.join(', ')}`,
    );
  }
  const command: Command = commandChecks[type](body);
  if (command.type === 'set_light' && command.dim === undefined && command.color === undefined) {
    throw new AppError('request.invalid', 'body must have dim, color or both');
  }
  if (command.type === 'set_limit' && (command.max_a === undefined) === (command.max_w === undefined)) {
    throw new AppError('request.invalid', 'body must have exactly one of max_a and max_w');
  }
  if (command.type === 'set_current') checkThen(command, { then_current_a: 'current_a' });
  if (command.type === 'set_limit') checkThen(command, { then_a: 'max_a', then_w: 'max_w' });
  return command;
}

/** What holds afterwards has a sense only where there is an afterwards, and only on the axis that was limited. */
function checkThen(
  command: CommandOf<'set_current'> | CommandOf<'set_limit'>,
  axes: Readonly<Record<string, string>>,
): void {
  const given = new Map<string, unknown>(Object.entries(command));
  for (const [then, axis] of Object.entries(axes)) {
    if (!given.has(then)) continue;
    if (!given.has('for_seconds'))
      throw new AppError('request.invalid', `body has ${then}, which requires for_seconds`);
    if (!given.has(axis)) throw new AppError('request.invalid', `body has ${then}, which requires ${axis}`);
  }
}

function isCommandType(type: unknown): type is CommandType {
  return typeof type === 'string' && Object.hasOwn(COMMANDS, type);
}
