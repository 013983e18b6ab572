import { AppError } from '../core/errors.ts';
import type { Adapter, AnyKind } from './adapter.ts';
import {
  type Command,
  type CommandType,
  checkRanges,
  isTimed,
  type RangedDevice,
  setPointOf,
} from './commands.ts';
import type { DeviceState, DeviceType, Found } from './device.ts';
import { type Capability, CONTROL_CAPABILITIES, READ_CAPABILITIES, READS } from './fields.ts';
import type { DeviceRef, Session } from './session.ts';
import { missingScopes } from './tokens.ts';

type Adapters = ReadonlyMap<string, Adapter>;

/** The adapter of a stored link or device; throws `vendor.unreachable` where this server has it no longer. */
export function adapterOf(adapters: Adapters, vendor: string): Adapter {
  const adapter = adapters.get(vendor);
  if (adapter === undefined)
    throw new AppError('vendor.unreachable', `this server no longer offers the vendor ${vendor}`);
  return adapter;
}

/** The adapter that a caller names; throws `vendor.unknown`. */
export function adapterNamed(adapters: Adapters, vendor: string): Adapter {
  const adapter = adapters.get(vendor);
  if (adapter !== undefined) return adapter;
  const known = [...adapters.keys()].sort().join(', ');
  throw new AppError(
    'vendor.unknown',
    `there is no vendor "${vendor.slice(0, 60)}"; GET /vendors lists them: ${known}`,
  );
}

/** The capabilities that a kind proves by having the functions for them. */
export function capabilitiesOfKind(kind: AnyKind): Capability[] {
  return [
    ...READ_CAPABILITIES.filter((capability) => kind.reads[capability] !== undefined),
    ...CONTROL_CAPABILITIES.filter((capability) => kind.controls[capability] !== undefined),
  ];
}

/** The capabilities of one device: those of its kind without what the adapter withholds from it, or its user has not granted. */
export function capabilitiesOf(kind: AnyKind, found: Found): Capability[] {
  const withheld = new Set(kind.withholds?.(found));
  return capabilitiesOfKind(kind).filter(
    (capability) => !withheld.has(capability) && missingScopes(kind, found, capability).length === 0,
  );
}

/** The kind of a device type; a vendor that reports a device it has no kind for was not understood. */
export function kindOf(adapter: Adapter, type: DeviceType): AnyKind {
  const kind = adapter.kinds[type];
  if (kind === undefined) {
    throw new AppError(
      'vendor.answer_invalid',
      `${adapter.slug} reported a device of type ${type}, which its adapter does not support`,
    );
  }
  return kind;
}

/** The normalized state: the status, and one field for each read capability that the device has. Values are whole. */
export function stateOf(kind: AnyKind, raw: unknown, capabilities: readonly Capability[]): DeviceState {
  const state: DeviceState = { ...kind.status(raw) };
  for (const capability of READ_CAPABILITIES) {
    const read = kind.reads[capability];
    if (read === undefined || !capabilities.includes(capability)) continue;
    const value = read(raw);
    if (value !== null && !Number.isFinite(value)) {
      throw new AppError('vendor.answer_invalid', `the vendor's ${READS[capability]} is not a number`);
    }
    state[READS[capability]] = value === null ? null : Math.round(value);
  }
  return state;
}

type AnyHandler = (session: Session, device: DeviceRef, command: Command) => Promise<void>;
type Handlers = Partial<Record<CommandType, AnyHandler>> | undefined;

/** Refuses what the device can never do, before it is called. */
export function checkCommand(kind: AnyKind, device: RangedDevice, command: Command): void {
  checkTimed(kind, device, command);
  checkCard(kind, device, command);
  checkRanges(kind, device, command);
}

/**
 * Refuses a command with an end at a device that cannot end it itself: a limit without an end is not what was requested. A battery is safe
 * while it runs by itself, so the platform may end its command.
 */
function checkTimed(kind: AnyKind, { id }: RangedDevice, command: Command): void {
  // control: a limit with an end is refused for a device that cannot end it [commands/commands] => true
  if (!isTimed(command) || kind.timed?.[command.type] !== undefined) return;
  if (command.type === 'set_battery_power' && setPointOf(kind, command.type) !== undefined) return;
  throw new AppError(
    'command.time_unsupported',
    `${id} cannot end a limit by itself; omit for_seconds, and send the next limit when it is due`,
  );
}

/** Refuses a card at a device that starts without one: the charge would be nobody's. */
function checkCard(kind: AnyKind, { id }: RangedDevice, command: Command): void {
  if (command.type !== 'start_charge' || command.id_tag === undefined || kind.takesCards === true) return;
  throw new AppError('command.card_unsupported', `${id} takes no card with a start; omit id_tag`);
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
