import type { Handler } from '../../adapter/adapter.ts';
import { lenient, word } from '../../adapter/kit/index.ts';
import { outOfRange } from '../../adapter/ranges.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import { AppError } from '../../core/errors.ts';
import { api, pathOf, READ, readPod } from './api.ts';
import { isOnline, nearest, settingOf, targetsIn } from './translate.ts';

export const turnOn: Handler<'turn_on'> = (session, device) => change(session, device, 'on', true);
export const turnOff: Handler<'turn_off'> = (session, device) => change(session, device, 'on', false);

/** Sets the target of the mode that the air conditioner is in, in its unit; one that is off stays off. */
export const setTemperature: Handler<'set_temperature'> = async (session, device, { target_milli_c }) => {
  const pod = await readPod(session, device, `${READ},remoteCapabilities`);
  if (!isOnline(pod)) throw new AppError('device.offline', `${device.id} is not connected to Sensibo`);
  const { mode, unit } = settingOf(pod);
  const targets = targetsIn(pod.remoteCapabilities, mode, unit);
  if (targets.length === 0)
    throw new AppError(
      'vendor.refused',
      `the air conditioner of ${device.id} has no target temperature in mode "${mode}"; choose another mode in the Sensibo app`,
    );
  const target = nearest(targets, target_milli_c, unit);
  if (target === null)
    throw outOfRange(
      `in mode "${mode}" ${device.id} takes ${Math.min(...targets)} to ${Math.max(...targets)} °${unit}, which target_milli_c ${target_milli_c} is not`,
    );
  await change(session, device, 'targetTemperature', target);
};

/** What became of a change; "Success" once it was sent to the air conditioner. */
const Changed = lenient({}, 'status', 'failureReason');

/**
 * Changes one property; mode, fan and all others stay as Sensibo has them. It names the value that is wanted, so that sending it twice
 * does no harm.
 */
async function change(
  session: Session,
  device: DeviceRef,
  property: 'on' | 'targetTemperature',
  newValue: boolean | number,
): Promise<void> {
  const path = `${pathOf(device)}/acStates/${property}`;
  const request = { method: 'PATCH', path, json: { newValue }, repeatable: true } as const;
  const { status, failureReason } = await api.command(session, device, request, Changed);
  if (status === undefined || status === 'Success') return;
  const reason = word(failureReason) ?? word(status) ?? 'no reason';
  throw new AppError('vendor.refused', `Sensibo did not change ${device.id}: ${reason}`);
}
