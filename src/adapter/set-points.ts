import type { ByteScript } from '../core/byte-script.ts';
import type { AnyKind } from './adapter.ts';
import type { CommandType } from './commands.ts';
import type { RangedDevice } from './ranges.ts';
import type { DeviceRef, Session } from './session.ts';

/** Commands that take a device out of its own automatic operation for as long as they are in force. */
export const SET_POINT_TYPES = ['set_battery_power', 'set_limit', 'set_current'] as const;
export type SetPointType = (typeof SET_POINT_TYPES)[number];

/**
 * A command that must not stay in force for ever when nobody is there to end it. The platform sends it again while it is wanted, and releases it
 * when it is over, when the link is deleted, and when nothing is left that could renew it.
 */
export interface SetPoint {
  /**
   * The device ends the set-point by itself after so many seconds, by a timer of its protocol that the handler sends with each command. The
   * platform sends the command again after a third of it. Absent or undefined: the device keeps it until it is released.
   */
  readonly revertSeconds?: number | ((device: RangedDevice) => number | undefined);
  /**
   * Returns the device to its own automatic operation. Called again when it failed, and when nothing is in force: it must not mind. Throws an
   * `AppError` of the `vendor.*` codes when the device has not taken it.
   */
  release(session: Session, device: DeviceRef): Promise<void>;
  /**
   * What `release` would say to the device, made beforehand: a gateway that has lost the platform says it. Asked for after each time that the
   * set-point was sent; speaks with no device. The same set-point gives the same bytes. Undefined where they cannot be made, as with TLS.
   */
  releaseBytes?(session: Session, device: DeviceRef): Promise<readonly ByteScript[] | undefined>;
}

export function isSetPointType(type: string): type is SetPointType {
  return SET_POINT_TYPES.some((one) => one === type);
}

/** The set-point that a command leaves at devices of the kind; undefined where it leaves none. */
export function setPointOf(kind: AnyKind, type: CommandType): SetPoint | undefined {
  return isSetPointType(type) ? kind.setPoints?.[type] : undefined;
}

/** After how many seconds the device ends a set-point by itself; undefined where it does not. */
export function revertSecondsOf({ revertSeconds }: SetPoint, device: RangedDevice): number | undefined {
  return typeof revertSeconds === 'function' ? revertSeconds(device) : revertSeconds;
}
