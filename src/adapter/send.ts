import type { AnyKind } from './adapter.ts';
import { CONTROL_CAPABILITIES } from './capabilities.ts';
import type { Command, CommandType } from './commands.ts';
import type { DeviceRef, Session } from './session.ts';

type AnyHandler = (session: Session, device: DeviceRef, command: Command) => Promise<void>;

/** Hands a command to the handler that its type names. */
export async function send(
  kind: AnyKind,
  session: Session,
  device: DeviceRef,
  command: Command,
): Promise<void> {
  for (const capability of CONTROL_CAPABILITIES) {
    const handlers = kind.controls[capability] as Partial<Record<CommandType, AnyHandler>> | undefined;
    const handler = handlers?.[command.type];
    if (handler !== undefined) return handler(session, device, command);
  }
  throw new Error(`no handler for ${command.type}`);
}
