import {
  OPERATION_TYPES,
  OPERATIONS,
  type OperationType,
  type StationOperation,
} from '../../adapter/station.ts';
import { AppError } from '../../core/errors.ts';
import { validatorsByType } from '../../core/validate.ts';

const checks = validatorsByType(OPERATIONS);

/** The operation of a station that a body is; 400 with the known types when it is none, or with what is wrong in it. */
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
  return checks[type](body);
}

function isOperationType(type: unknown): type is OperationType {
  return typeof type === 'string' && Object.hasOwn(OPERATIONS, type);
}
