import type { Handler } from '../../adapter/adapter.ts';
import { detailsOf, each, errorCodes, gone, objectIn, vendorCalls } from '../../adapter/kit/index.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import { AppError } from '../../core/errors.ts';
import * as translate from './translate.ts';

/** `{"error": {"code": 21, "message": …}}`, or `{"error": "too_many_connections"}`. */
export const { failure, isTokenRefused } = errorCodes('Netatmo', {
  codeIn: ({ error }) => objectIn(error).code ?? error,
  token: [2, 3],
  // With status 403 as well as 429.
  limited: [11, 26, 'too_many_connections'],
  refused: {
    9: 'the device does not exist; it is removed here once lists of the account confirm that',
    13: 'the account did not permit this; link it again and permit both reading and controlling its thermostats',
    21: 'the value is not allowed for the home, the room or its mode',
  },
});

/** Calls to Netatmo, with what its error codes mean. */
export const api = vendorCalls('Netatmo', { failure });

/** `body.errors[].code` of a module that the relay cannot reach. */
const UNREACHABLE = 6;
/** The app and the devices set half degrees. */
const STEP_MILLI_C = 500;

/** What every room and module of a home is doing now. */
export const homeStatus = (session: Session, home_id: string) =>
  api.get(session, '/api/homestatus', translate.StatusResponse, { query: { home_id }, what: 'the home' });

/** Throws `vendor.refused` for a room that the account no longer has. */
export async function readRoom(session: Session, device: DeviceRef): Promise<translate.Reading> {
  const details = detailsOf(translate.Details, device);
  const reading = translate.readingIn(await homeStatus(session, details.home_id), details);
  if (reading === undefined) throw gone('Netatmo', device);
  return reading;
}

/** Holds the room at a target for the home's default duration; then the schedule goes on. */
export const setTemperature: Handler<'set_temperature'> = async (session, device, { target_milli_c }) => {
  const { default_minutes: minutes } = detailsOf(translate.Details, device);
  await setRoom(session, device, {
    mode: 'manual',
    temperature: (Math.round(target_milli_c / STEP_MILLI_C) * STEP_MILLI_C) / 1_000,
    ...(minutes === null ? {} : { end_time: Math.floor(session.clock.now() / 1_000) + minutes * 60 }),
  });
};

/** Back to the home's schedule; a room that is not off keeps the setpoint that its user gave it. */
export const turnOn: Handler<'turn_on'> = async (session, device) => {
  const mode = translate.modeOf(await readRoom(session, device));
  if (mode === null || mode === 'off') await setRoom(session, device, { mode: 'home' });
};

export const turnOff: Handler<'turn_off'> = (session, device) => setRoom(session, device, { mode: 'off' });

/** Without a temperature that of the mode holds; `end_time` is Unix seconds, and the vendor's own default when it is absent. */
interface Setpoint {
  readonly mode: 'manual' | 'home' | 'off';
  readonly temperature?: number;
  readonly end_time?: number;
}

/** Sets a room by the call that its modules take; each names the whole setpoint, so sending it twice does no harm. */
async function setRoom(session: Session, device: DeviceRef, setpoint: Setpoint): Promise<void> {
  const details = detailsOf(translate.Details, device);
  const request =
    details.commands === 'setroomthermpoint'
      ? { form: olderForm(details, setpoint) }
      : { json: newerBody(details, setpoint, (await isCooling(session, device)) ? 'cooling' : 'therm') };
  const command = { path: `/api/${details.commands}`, repeatable: true, ...request };
  const { body } = await api.command(session, device, command, translate.Ordered);
  // With status 200, too, the body may say that a module did not get it.
  const meant = [details.room_id, ...details.modules.map(({ id }) => id), ...details.bridges];
  const error = each(body?.errors, translate.ModuleError).find(({ id }) => meant.includes(id));
  if (error === undefined) return;
  if (error.code === UNREACHABLE)
    throw new AppError('device.offline', `the heating of ${device.id} is unreachable for Netatmo`);
  throw new AppError('vendor.refused', `Netatmo did not set ${device.id}`);
}

const olderForm = ({ home_id, room_id }: translate.Details, { mode, temperature, end_time }: Setpoint) => ({
  home_id,
  room_id,
  mode,
  ...(temperature === undefined ? {} : { temp: String(temperature) }),
  ...(end_time === undefined ? {} : { endtime: String(end_time) }),
});

function newerBody({ home_id, room_id }: translate.Details, setpoint: Setpoint, of: 'therm' | 'cooling') {
  const fields = Object.entries(setpoint).map(([name, value]) => [`${of}_setpoint_${name}`, value]);
  return { home: { id: home_id, rooms: [{ id: room_id, ...Object.fromEntries(fields) }] } };
}

/** A home that can cool changes its mode with the season, so the room itself is asked. */
async function isCooling(session: Session, device: DeviceRef): Promise<boolean> {
  if (!detailsOf(translate.Details, device).can_cool) return false;
  const reading = await readRoom(session, device);
  return reading?.therm_setpoint_mode === undefined && typeof reading?.cooling_setpoint_mode === 'string';
}
