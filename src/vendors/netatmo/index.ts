import { createHash } from 'node:crypto';
import { type Adapter, kind } from '../../adapter/adapter.ts';
import type { Found } from '../../adapter/device.ts';
import {
  detailsOf,
  fits,
  hmacHexIn,
  limit,
  oauth2,
  objectIn,
  PlainId,
  sweepBy,
} from '../../adapter/kit/index.ts';
import type { Session } from '../../adapter/session.ts';
import type { Needs } from '../../adapter/tokens.ts';
import type { DeviceChange, Webhook } from '../../adapter/webhook.ts';
import type { Json } from '../../core/json.ts';
import { api, homeStatus, isTokenRefused, readRoom, setTemperature, turnOff, turnOn } from './commands.ts';
import * as translate from './translate.ts';
import { deviceIdOf, Ordered } from './translate.ts';

/** Something happened to a room, or to all rooms of a home; everything else is of cameras and weather stations. */
const OF_A_ROOM: readonly unknown[] = ['set_point', 'setpoint_event', 'cancel_set_point'];
const OF_A_HOME: readonly unknown[] = ['therm_mode', 'schedule'];

/**
 * Deliveries have no time, no number and no id, and overtake each other: whatever one says may be older than what is stored. So each
 * only makes its rooms be read again, which is right in any order and however often it is repeated.
 */
function read(body: Json): readonly DeviceChange[] {
  const { event_type: event, room_id, ...payload } = objectIn(body);
  const home = objectIn(payload.home);
  const homeId = payload.home_id ?? home.id;
  const user = payload.user_id ?? objectIn(payload.user).id;
  if (!fits(PlainId, homeId)) return [];
  const account = fits(PlainId, user) ? { vendorAccount: user } : undefined;
  if (OF_A_HOME.includes(event) && account !== undefined) return [account];
  if (!OF_A_HOME.includes(event) && !OF_A_ROOM.includes(event)) return [];
  const listed = Array.isArray(home.rooms) ? home.rooms.map((room) => objectIn(room).id) : [];
  const rooms = new Set([room_id, ...listed].filter((id) => fits(PlainId, id)));
  return [...rooms].map((room) => ({ ...account, device: deviceIdOf(homeId, room) }));
}

async function call(session: Session, path: string, form: Record<string, string>): Promise<void> {
  await api.send(session, { method: 'POST', path, form, use: 'list', repeatable: true }, Ordered, 'webhooks');
}

export const webhook = {
  trust: 'signed',
  verify: hmacHexIn('x-netatmo-secret'),
  /** Equal bodies mean new events: cancelling today says what cancelling said yesterday. Within a second they are repeats. */
  idOf: ({ body, receivedAt }) =>
    `${createHash('sha256').update(body).digest('hex')}@${Math.floor(receivedAt / 1_000)}`,
  read,
  /** Netatmo posts to one address for each user of the app; naming it again replaces it. */
  subscribe: (session, url) => call(session, '/api/addwebhook', { url }),
  unsubscribe: (session) => call(session, '/api/dropwebhook', {}),
  // Netatmo stops posting for a day after failures.
  subscribedSeconds: 86_400,
} satisfies Webhook;

/** Thermostats and valves; Smarther has scopes of its own. */
const SCOPES = ['read_thermostat', 'write_thermostat', 'read_smarther', 'write_smarther'];
const source = "dev.netatmo.com/guideline, rate limits; the app's grows with its users";
/** 500 rooms with their schedules take about 1 MB. */
const HOMES = { use: 'list', mostBytes: 8 * 1024 * 1024, what: 'the homes' } as const;

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
    limit('user_burst', { calls: 50, seconds: 10, source }),
    limit('user_hour', { calls: 500, seconds: 3_600, source }),
    limit('app_hour', { calls: 2_000, seconds: 3_600, of: 'app', reserve: 0.3, source }),
  ],
  // Valves and thermostats report every few minutes at most; changes by hand come as webhooks.
  pace: { active: 120, idle: 900, asleep: 1_800 },
  pushes: true,
  pollSeconds: 60,
  webhook,
  simulator: () => import('./simulator.ts'),
  async link(session) {
    const homes = await findHomes(session);
    return { vendorAccount: homes.body.user.id, devices: translate.roomsIn(homes) };
  },
  list: async (session) => translate.roomsIn(await findHomes(session)),
  sweep: sweepBy({
    by: ({ details }) => (fits(translate.Details, details) ? details.home_id : undefined),
    call: homeStatus,
    pick: (response, device) => translate.readingIn(response, detailsOf(translate.Details, device)),
  }),
  kinds: {
    thermostat: kind<translate.Reading>({
      read: readRoom,
      status: translate.statusOf,
      unrecognized: translate.unrecognizedIn,
      reads: { read_temperature: translate.temperatureOf },
      controls: {
        set_temperature: { set_temperature: setTemperature },
        on_off: { turn_on: turnOn, turn_off: turnOff },
      },
      ranges: { min_milli_c: 7_000, max_milli_c: 30_000 },
      withholds: translate.withheldFrom,
      needs,
    }),
  },
} satisfies Adapter;

/** A room with a Smarther takes the permissions of those, every other room the ones of thermostats. */
function needs({ details }: Pick<Found, 'details'>): Needs {
  const isSmarther = fits(translate.Details, details) && details.modules.some(({ type }) => type === 'BNS');
  const of = isSmarther ? 'smarther' : 'thermostat';
  const write = [`read_${of}`, `write_${of}`];
  return { read_temperature: [`read_${of}`], set_temperature: write, on_off: write };
}

/** The user, and every room with heating in every home: one call. */
const findHomes = (session: Session) => api.get(session, '/api/homesdata', translate.HomesResponse, HOMES);
