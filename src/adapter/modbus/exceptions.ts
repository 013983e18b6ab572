import { AppError } from '../../core/errors.ts';
import { outcomeUnknown } from '../failures.ts';
import { type Request, WRITE } from './frames.ts';

/** Who answered, for sentences. */
export interface Named {
  /** The vendor's name. */
  readonly name: string;
  /** Host and port. */
  readonly address: string;
  readonly unit: number;
}

const BUSY_SECONDS = 5;
const ILLEGAL_ADDRESS = 2;
const FUNCTIONS: Readonly<Record<number, string>> = {
  1: 'read coils',
  2: 'read discrete inputs',
  3: 'read holding registers',
  4: 'read input registers',
  5: 'write a coil',
  6: 'write a register',
  15: 'write coils',
  16: 'write registers',
};
const IS_WRITE: ReadonlySet<number> = new Set(Object.values(WRITE));

/** The exception of Modbus behind an `AppError`, as its cause. */
class ModbusException extends Error {
  readonly exception: number;

  constructor(exception: number) {
    super(`Modbus exception ${exception}`);
    this.exception = exception;
  }
}

/** Whether a device says that it does not have the addresses that were asked for. */
export const isIllegalAddress = (error: unknown): boolean =>
  error instanceof AppError &&
  error.cause instanceof ModbusException &&
  error.cause.exception === ILLEGAL_ADDRESS;

/** The `AppError` for an exception of Modbus (Application Protocol 1.1b3, section 7). */
export function errorOf(exception: number, request: Request, { name, address, unit }: Named): AppError {
  const [first, count] = request.span;
  const task = `${FUNCTIONS[request.code]} at ${count === 1 ? first : `${first}–${first + count - 1}`}`;
  const at = `unit ${unit} of ${name} at ${address}`;
  const refused = (why: string) =>
    new AppError('vendor.refused', `${at} did not ${task}: ${why} (Modbus exception ${exception})`, {
      cause: new ModbusException(exception),
    });
  const later = (what: string) =>
    new AppError('vendor.unreachable', `${what} (Modbus exception ${exception})`, {
      retryAfterSeconds: BUSY_SECONDS,
    });
  switch (exception) {
    case 1:
      return refused('it does not support the function, or does not permit it now');
    case ILLEGAL_ADDRESS:
      return refused('it does not have these addresses');
    case 3:
      return refused('it does not accept the value');
    // Accepted and not finished, failed on the way, or a part that does not respond: of a write nobody knows then what became of it.
    case 4:
    case 5:
    case 11:
      // control: a write that a device accepted and did not confirm has an unknown outcome [modbus/frames modbus/faults]
      if (IS_WRITE.has(request.code)) return outcomeUnknown(name);
      return later(
        exception === 11
          ? `unit ${unit} does not respond to ${name} at ${address}; check the unit number`
          : `${at} could not ${task} now`,
      );
    case 6:
      return later(`${at} is busy with another command`);
    case 10:
      return later(`${name} at ${address} has no way to unit ${unit} now; check the unit number`);
    default:
      return IS_WRITE.has(request.code) ? outcomeUnknown(name) : later(`${at} could not ${task}`);
  }
}
