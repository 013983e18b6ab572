import type { DeviceRef, Session } from '../../adapter/session.ts';
import type { VendorRequest } from '../../adapter/vendor-http.ts';
import { AppError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import { netatmoFailure } from './failure.ts';
import { type Details, detailsIn, eachIn, envelopeIn, moduleErrorIn } from './payloads.ts';

/** 500 rooms with their schedules take about 1 MB. */
const HOMES_BYTES = 8 * 1024 * 1024;
/** `body.errors[].code` of a module that the relay cannot reach. */
const UNREACHABLE = 6;

async function call(session: Session, request: VendorRequest): Promise<Json> {
  try {
    const answer = await session.http.send({ signal: session.signal, ...request });
    return answer.json();
  } catch (error) {
    throw netatmoFailure(error);
  }
}

/** The user's homes with their rooms and modules, of all of Netatmo's products. */
export function homesData(session: Session): Promise<Json> {
  return call(session, { path: '/api/homesdata', use: 'list', mostBytes: HOMES_BYTES });
}

/** What every room and module of a home is doing now. */
export function homeStatus(session: Session, homeId: string): Promise<Json> {
  return call(session, { path: '/api/homestatus', query: { home_id: homeId } });
}

/** What a room is told; without `celsius` the mode's own temperature holds. */
export interface Setpoint {
  readonly mode: 'manual' | 'home' | 'off';
  readonly celsius?: number;
  /** Unix seconds; the vendor's own default when it is absent. */
  readonly endTime?: number;
}

/** Sets a room by the call that its modules take. */
export async function setRoom(session: Session, device: DeviceRef, setpoint: Setpoint): Promise<void> {
  const details = detailsOf(device);
  const { home_id, room_id } = details;
  const { mode, celsius, endTime } = setpoint;
  // Setting the same again does no harm: each call names the whole setpoint.
  const order = { method: 'POST', use: 'command', device: device.id, repeatable: true } as const;
  const answer = await call(
    session,
    details.commands === 'setroomthermpoint'
      ? {
          ...order,
          path: '/api/setroomthermpoint',
          form: {
            home_id,
            room_id,
            mode,
            ...(celsius === undefined ? {} : { temp: String(celsius) }),
            ...(endTime === undefined ? {} : { endtime: String(endTime) }),
          },
        }
      : {
          ...order,
          path: '/api/setstate',
          json: {
            home: {
              id: home_id,
              rooms: [
                {
                  id: room_id,
                  therm_setpoint_mode: mode,
                  ...(celsius === undefined ? {} : { therm_setpoint_temperature: celsius }),
                  ...(endTime === undefined ? {} : { therm_setpoint_end_time: endTime }),
                },
              ],
            },
          },
        },
  );
  refuseModuleErrors(answer, details, device);
}

/** A command can be answered with status 200 and say in the body that a module did not get it. */
function refuseModuleErrors(answer: Json, details: Details, device: DeviceRef): void {
  const meant = new Set([details.room_id, ...details.modules.map(({ id }) => id), ...details.bridges]);
  const [error] = eachIn(envelopeIn(answer)?.body.errors, moduleErrorIn).filter(({ id }) => meant.has(id));
  if (error === undefined) return;
  if (error.code === UNREACHABLE)
    throw new AppError('device.offline', `the heating of ${device.id} is unreachable for Netatmo`);
  throw new AppError('vendor.refused', `Netatmo did not set ${device.id}`);
}

/** What linking kept of the room. */
export function detailsOf(device: DeviceRef): Details {
  const details = detailsIn(device.details);
  if (details !== undefined) return details;
  throw new AppError(
    'vendor.answer_invalid',
    `${device.id} was linked by another version of elnav; link it again`,
  );
}

/** Netatmo posts to one address for each user of the app; naming it again replaces it. */
export async function addWebhook(session: Session, url: string): Promise<void> {
  await call(session, {
    method: 'POST',
    path: '/api/addwebhook',
    form: { url },
    use: 'list',
    repeatable: true,
  });
}

export async function dropWebhook(session: Session): Promise<void> {
  await call(session, { method: 'POST', path: '/api/dropwebhook', form: {}, use: 'list', repeatable: true });
}
