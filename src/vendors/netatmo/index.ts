import { type Adapter, kind } from '../../adapter/adapter.ts';
import type { CommandOf } from '../../adapter/commands.ts';
import { detailsOf, each, fits, gone, limit, oauth2, sweepBy } from '../../adapter/kit/index.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import type { VendorRequest } from '../../adapter/vendor-http.ts';
import { AppError } from '../../core/errors.ts';
import { api, isTokenRefused } from './failure.ts';
import {
  accountIn,
  Details,
  HomesResponse,
  ModuleError,
  modeOf,
  Ordered,
  type Reading,
  readingIn,
  StatusResponse,
  statusOf,
  temperatureOf,
  withheldFrom,
} from './translate.ts';
import { webhook } from './webhook.ts';

/** Thermostats and valves; Smarther has scopes of its own. */
const SCOPES = ['read_thermostat', 'write_thermostat', 'read_smarther', 'write_smarther'];
const GUIDELINE = 'dev.netatmo.com/guideline, rate limits';
/** 500 rooms with their schedules take about 1 MB. */
const HOMES_BYTES = 8 * 1024 * 1024;
/** `body.errors[].code` of a module that the relay cannot reach. */
const UNREACHABLE = 6;
/** The app and the devices set half degrees. */
const STEP_MILLI_C = 500;

/** Thermostats and radiator valves of Netatmo (Legrand, BTicino), one device for each room that they heat. */
export const netatmo = {
  slug: 'netatmo',
  name: 'Netatmo',
  ...oauth2({
    authorizeUrl: 'https://api.netatmo.com/oauth2/authorize',
    tokenUrl: 'https://api.netatmo.com/oauth2/token',
    scopes: SCOPES,
    pkce: false,
    // The code exchange wants the scopes once more.
    tokenParameters: { scope: SCOPES.join(' ') },
    isTokenRefused,
  }),
  hosts: { api: 'https://api.netatmo.com' },
  budgets: [
    limit('user_burst', { calls: 50, seconds: 10, source: GUIDELINE }),
    limit('user_hour', { calls: 500, seconds: 3_600, source: GUIDELINE }),
    limit('app_hour', {
      calls: 2_000,
      seconds: 3_600,
      of: 'app',
      reserve: 0.3,
      source: `${GUIDELINE}; grows with the app's users`,
    }),
  ],
  // Valves and thermostats report every few minutes at most; changes by hand come as webhooks.
  pace: { active: 120, idle: 900, asleep: 1_800 },
  pushes: true,
  pollSeconds: 60,
  webhook,
  simulator: () => import('./simulator.ts'),
  async link(session) {
    const homes = await api.get(session, '/api/homesdata', HomesResponse, {
      use: 'list',
      mostBytes: HOMES_BYTES,
      what: 'the homes',
    });
    const { user, devices } = accountIn(homes);
    return { vendorAccount: user, devices };
  },
  sweep: sweepBy({
    by: ({ details }) => (fits(Details, details) ? details.home_id : undefined),
    call: homeStatus,
    pick: (response, device) => readingIn(response, detailsOf(Details, device)),
  }),
  kinds: {
    thermostat: kind<Reading>({
      read: readRoom,
      status: statusOf,
      reads: { read_temperature: temperatureOf },
      controls: {
        set_temperature: { set_temperature: setTemperature },
        on_off: { turn_on: turnOn, turn_off: (session, device) => setRoom(session, device, { mode: 'off' }) },
      },
      ranges: { min_milli_c: 7_000, max_milli_c: 30_000 },
      withholds: withheldFrom,
    }),
  },
} satisfies Adapter;

/** What every room and module of a home is doing now. */
function homeStatus(session: Session, homeId: string) {
  return api.get(session, '/api/homestatus', StatusResponse, {
    query: { home_id: homeId },
    what: 'the home',
  });
}

/** Throws `vendor.refused` for a room that the account no longer has. */
async function readRoom(session: Session, device: DeviceRef): Promise<Reading> {
  const details = detailsOf(Details, device);
  const reading = readingIn(await homeStatus(session, details.home_id), details);
  if (reading === undefined) throw gone('Netatmo', device);
  return reading;
}

/** Holds the room at a target for the home's default duration; then the schedule goes on. */
async function setTemperature(
  session: Session,
  device: DeviceRef,
  { target_milli_c: target }: CommandOf<'set_temperature'>,
): Promise<void> {
  const { default_minutes: minutes } = detailsOf(Details, device);
  await setRoom(session, device, {
    mode: 'manual',
    temperature: (Math.round(target / STEP_MILLI_C) * STEP_MILLI_C) / 1_000,
    ...(minutes === null ? {} : { end_time: Math.floor(session.clock.now() / 1_000) + minutes * 60 }),
  });
}

/** Back to the home's schedule; a room that is not off keeps the setpoint that its user gave it. */
async function turnOn(session: Session, device: DeviceRef): Promise<void> {
  const mode = modeOf(await readRoom(session, device));
  if (mode === null || mode === 'off') await setRoom(session, device, { mode: 'home' });
}

/** Without a temperature that of the mode holds; `end_time` is Unix seconds, and the vendor's own default when it is absent. */
interface Setpoint {
  readonly mode: 'manual' | 'home' | 'off';
  readonly temperature?: number;
  readonly end_time?: number;
}

/** Sets a room by the call that its modules take; each names the whole setpoint, so sending it twice does no harm. */
async function setRoom(session: Session, device: DeviceRef, setpoint: Setpoint): Promise<void> {
  const details = detailsOf(Details, device);
  const { home_id, room_id } = details;
  const { mode, temperature, end_time } = setpoint;
  if (details.commands === 'setroomthermpoint') {
    const form = {
      home_id,
      room_id,
      mode,
      ...(temperature === undefined ? {} : { temp: String(temperature) }),
      ...(end_time === undefined ? {} : { endtime: String(end_time) }),
    };
    return sendOrder(session, device, { path: '/api/setroomthermpoint', form });
  }
  const of = (await isCooling(session, device)) ? 'cooling' : 'therm';
  const fields = Object.entries(setpoint).map(([name, value]) => [`${of}_setpoint_${name}`, value]);
  const room = { id: room_id, ...Object.fromEntries(fields) };
  return sendOrder(session, device, {
    path: '/api/setstate',
    json: { home: { id: home_id, rooms: [room] } },
  });
}

/** A home that can cool changes its mode with the season, so the room itself is asked. */
async function isCooling(session: Session, device: DeviceRef): Promise<boolean> {
  if (!detailsOf(Details, device).can_cool) return false;
  const reading = await readRoom(session, device);
  return reading?.therm_setpoint_mode === undefined && typeof reading?.cooling_setpoint_mode === 'string';
}

/** A command can get status 200 and say in the body that a module did not get it. */
async function sendOrder(session: Session, device: DeviceRef, request: VendorRequest): Promise<void> {
  const response = await api.command(session, device, { ...request, repeatable: true });
  if (!fits(Ordered, response)) throw api.notUnderstood(device.id);
  const { room_id, modules, bridges } = detailsOf(Details, device);
  const meant = new Set([room_id, ...modules.map(({ id }) => id), ...bridges]);
  const error = each(response.body?.errors, ModuleError).find(({ id }) => meant.has(id));
  if (error === undefined) return;
  if (error.code === UNREACHABLE)
    throw new AppError('device.offline', `the heating of ${device.id} is unreachable for Netatmo`);
  throw new AppError('vendor.refused', `Netatmo did not set ${device.id}`);
}
