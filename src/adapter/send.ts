import { AppError } from '../core/errors.ts';
import type { AnyKind } from './adapter.ts';
import { CONTROL_CAPABILITIES } from './capabilities.ts';
import { type Command, type CommandType, isTimed } from './commands.ts';
import { checkRanges, type RangedDevice } from './ranges.ts';
import type { DeviceRef, Session } from './session.ts';
import { setPointOf } from './set-points.ts';

type AnyHandler = (session: Session, device: DeviceRef, command: Command) => Promise<void>;
type Handlers = Partial<Record<CommandType, AnyHandler>> | undefined;

/** Refuses what the device can never do, before it is called. */
export function checkCommand(kind: AnyKind, device: RangedDevice, command: Command): void {
  checkTimed(kind, device, command);
  checkRanges(kind, device, command);
}

/**
 * Refuses what is to end at a device that cannot end it: a limit without an end is not what was asked for. A battery that runs by itself is
 * safe whoever ends what it was told, so there the platform may.
 */
function checkTimed(kind: AnyKind, { id }: RangedDevice, command: Command): void {
  if (!isTimed(command) || kind.timed?.[command.type] !== undefined) return;
  if (command.type === 'set_battery_power' && setPointOf(kind, command.type) !== undefined) return;
  throw new AppError(
    'command.time_unsupported',
    `${id} cannot end a limit by itself; omit for_seconds, and send the next limit when it is due`,
  );
}

/** Hands a command to the handler that its type names. */
export async function send(
  kind: AnyKind,
  session: Session,
  device: DeviceRef,
  command: Command,
): Promise<void> {
  checkCommand(kind, device, command);
  const groups = isTimed(command)
    ? [kind.timed]
    : CONTROL_CAPABILITIES.map((capability) => kind.controls[capability]);
  for (const group of groups) {
    const handler = (group as Handlers)?.[command.type];
    if (handler !== undefined) return handler(session, device, command);
  }
  throw new Error(`no handler for ${command.type}`);
}
