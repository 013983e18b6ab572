import {
  COMMAND_TYPES,
  COMMANDS,
  type Command,
  type CommandOf,
  type CommandType,
} from '../../adapter/commands.ts';
import { AppError } from '../../core/errors.ts';
import { validatorsByType } from '../../core/validate.ts';

const checks = validatorsByType(COMMANDS);

/** The command that a body is; 400 with the known types when it is none, or with what is wrong in it. */
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
  const command: Command = checks[type](body);
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
