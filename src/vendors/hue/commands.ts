import Type from 'typebox';
import type { Handler } from '../../adapter/adapter.ts';
import { detailsOf, gone, lenient, objectIn, word } from '../../adapter/kit/index.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import { AppError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { api, BridgeUnreachable, RESOURCE, reachedBridge } from './api.ts';
import { bodyOf } from './lamp.ts';
import { Details, type Reading, readingIn } from './resources.ts';

/** Throws `vendor.refused` for a lamp that the bridge no longer has. */
export async function readLight(session: Session, device: DeviceRef): Promise<Reading> {
  const reading = readingIn(await reachedBridge(session), device.id);
  if (reading === undefined) throw gone('Hue', device);
  return reading;
}

export const turnOn: Handler<'turn_on'> = (session, device) => set(session, device, { on: { on: true } });
export const turnOff: Handler<'turn_off'> = (session, device) => set(session, device, { on: { on: false } });

export const setLight: Handler<'set_light'> = (session, device, command) =>
  set(session, device, bodyOf(command, detailsOf(Details, device).ability, device.id));

/** Errors of a command that was taken in part: a lamp that is not reached gets 207 and this. */
const Changed = lenient({ errors: Type.Array(Type.Unknown()) });

/** Sets a lamp; what is wanted is named, so that sending it twice does no harm. */
async function set(session: Session, device: DeviceRef, json: JsonObject): Promise<void> {
  const path = `${RESOURCE}/light/${encodeURIComponent(device.id)}`;
  const request = { method: 'PUT', path, json, repeatable: true } as const;
  const { errors } = await api.command(session, device, request, Changed).catch((error: unknown) => {
    throw error instanceof BridgeUnreachable ? new AppError('device.offline', error.message) : error;
  });
  const reason = word(objectIn(errors[0]).description, 200);
  if (errors.length === 0) return;
  if (reason?.includes('communication issues') === true)
    throw new AppError(
      'device.offline',
      `the Hue bridge does not reach ${device.id}; it may be without power`,
    );
  const hint = reason?.includes('soft off') === true ? '; it is off, and dim switches it on' : '';
  throw new AppError(
    'vendor.refused',
    `the Hue bridge did not set ${device.id}: ${reason ?? 'no reason'}${hint}`,
  );
}
