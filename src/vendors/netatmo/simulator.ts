import { createHmac } from 'node:crypto';
import type { SimulatedAnswer, SimulatorOptions, VendorSimulator } from '../../adapter/simulator.ts';
import { HOUR_MS, MINUTE_MS } from '../../core/durations.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import {
  byOAuth,
  isObject,
  type Refusal,
  type SimulatedCall,
  simulatedVendor,
  simulatedWebhooks,
} from '../../proof/simulation/index.ts';
import {
  hasType,
  MODE_TARGETS,
  type SimulatedAccount,
  type SimulatedHome,
  type SimulatedRoom,
  settle,
  simulatedAccounts,
  statusOf,
  topologyOf,
} from './simulated-home.ts';

const ACCESS_SECONDS = 10_800;
const DONE: SimulatedAnswer = { status: 200, json: {} };

const failed = (code: number, message: string, status = 400): SimulatedAnswer => ({
  status,
  json: { error: { code, message } },
});
const refusal: Refusal = (status, reason) =>
  failed(status === 429 ? 26 : status === 404 ? 31 : 35, reason, status);
const INVALID = failed(21, 'Invalid id');
const NO_SCOPE = failed(13, 'Application does not have the good scope rights', 403);

interface Place {
  readonly home: SimulatedHome;
  readonly room: SimulatedRoom;
}
type Call = SimulatedCall<SimulatedAccount>;
type Parameters = Readonly<Record<string, Json | undefined>>;

/** The clock of what answers. */
export const otherTimes = ['time_server'];

/** Netatmo's cloud: sign-in, homes, rooms that warm and cool, limits and webhooks. */
export function createSimulator(options: SimulatorOptions): VendorSimulator {
  const { clock } = options;
  const webhooks = simulatedWebhooks(options, {
    sign: (body, secret) => ({ 'x-netatmo-secret': createHmac('sha256', secret).update(body).digest('hex') }),
    ban: { failures: 5, ms: 24 * HOUR_MS },
  });
  const post = ({ home: { userId } }: Call, event: JsonObject) =>
    webhooks.post(userId, {
      user_id: userId,
      user: { id: userId, email: 'simulated@example.com' },
      ...event,
    });

  function turn(
    { home, room }: Place,
    mode: SimulatedRoom['mode'],
    {
      endsAt = null,
      target = room.target,
    }: { readonly endsAt?: number | null; readonly target?: number } = {},
  ): void {
    const now = clock.now();
    settle(room, home, now);
    Object.assign(room, { mode, target, endsAt, startedAt: now });
  }

  function set(call: Call, { home, room }: Place, { mode, temperature, end_time }: Parameters) {
    if (mode === undefined) return failed(10, 'mode is missing');
    const isValve = room.modules.every(({ type }) => type === 'NRV');
    const isMode = mode === 'manual' || mode === 'max' || mode === 'home' || mode === 'off';
    if (!isMode || (mode === 'off' && isValve)) return failed(21, 'mode not authorized');
    const target = mode === 'manual' ? Number(temperature) : room.target;
    if (!(target >= 7 && target <= 30 && target % 0.5 === 0)) return failed(21, 'Invalid temp');
    const stated = end_time === undefined ? Number.POSITIVE_INFINITY : Number(end_time) * 1_000;
    if (!(stated > clock.now())) return failed(21, 'Invalid endtime');
    const lasts = mode === 'manual' || mode === 'max';
    const usual = clock.now() + home.defaultMinutes * MINUTE_MS;
    turn({ home, room }, mode, { target, endsAt: lasts ? (end_time === undefined ? usual : stated) : null });
    post(call, {
      home_id: home.id,
      room_id: room.id,
      home: { id: home.id, rooms: [{ id: room.id, name: room.name, therm_setpoint_mode: mode }] },
      mode,
      event_type: mode === 'home' ? 'cancel_set_point' : 'set_point',
      push_type: 'display_change',
    });
    return DONE;
  }

  const withScope = (scope: string, answer: (call: Call) => SimulatedAnswer) => (call: Call) =>
    call.scopes.includes(scope) ? answer(call) : NO_SCOPE;
  /** About the home that `home_id` names; parameters come in the query, as a form or as JSON. */
  const ofHome = (
    scope: string,
    answer: (home: SimulatedHome, parameters: Parameters, call: Call) => SimulatedAnswer,
  ) =>
    withScope(scope, (call) => {
      const parameters: Parameters = { ...Object.fromEntries(call.query), ...call.body };
      const home = call.home.homes.find(({ id }) => id === parameters.home_id);
      if (home === undefined)
        return parameters.home_id === undefined ? failed(10, 'Missing home_id') : INVALID;
      return answer(home, parameters, call);
    });
  const postHome = (call: Call, home: SimulatedHome, event: JsonObject) => {
    post(call, { home_id: home.id, push_type: 'home_event_changed', ...event });
    return DONE;
  };

  return simulatedVendor<SimulatedAccount, Place>(options, {
    vendor: 'Netatmo',
    users: simulatedAccounts(clock.now()),
    signIn: byOAuth({
      authorizePath: '/oauth2/authorize',
      tokenPath: '/oauth2/token',
      accessSeconds: ACCESS_SECONDS,
      extra: (_user, scopes) => ({ expire_in: ACCESS_SECONDS, scope: [...scopes], simulated: true }),
    }),
    refusal,
    tokenRefused: failed(3, 'Access token expired', 403),
    limited: () => failed(26, 'User usage reached', 403),
    limits: [
      { calls: 50, seconds: 10, of: 'user' },
      { calls: 500, seconds: 3_600, of: 'user' },
      { calls: 2_000, seconds: 3_600, of: 'app' },
    ],
    envelope: ({ json, ...answer }) => ({
      ...answer,
      json: {
        status: 'ok',
        time_exec: 0.02,
        time_server: Math.floor(clock.now() / 1_000),
        ...(isObject(json) ? json : {}),
      },
    }),
    routes: {
      'GET /api/homesdata': withScope('read_thermostat', ({ home: { userId, homes }, scopes }) => {
        // A Smarther stands in the response only for those who may read it.
        const isShown = (room: SimulatedRoom) => !hasType(room, 'BNS') || scopes.includes('read_smarther');
        const shown = homes.map((home) => topologyOf({ ...home, rooms: home.rooms.filter(isShown) }));
        const user = { id: userId, email: 'simulated@example.com', language: 'sv-SE' };
        return { status: 200, json: { body: { homes: shown, user } } };
      }),
      'GET /api/homestatus': ofHome('read_thermostat', (home) => {
        for (const room of home.rooms) settle(room, home, clock.now());
        return { status: 200, json: { body: statusOf(home) } };
      }),
      'POST /api/setroomthermpoint': ofHome('write_thermostat', (home, parameters, call) => {
        const { room_id, mode, temp, endtime } = parameters;
        const room = home.rooms.find(({ id }) => id === room_id);
        if (room === undefined || isNewer(room, home)) return INVALID;
        return set(call, { home, room }, { mode, temperature: temp, end_time: endtime });
      }),
      'POST /api/setstate': withScope('write_thermostat', (call) => {
        const stated = isObject(call.body.home) ? call.body.home : {};
        const home = call.home.homes.find(({ id }) => id === stated.id);
        const [fields] = Array.isArray(stated.rooms) ? stated.rooms.filter(isObject) : [];
        const room = home?.rooms.find(({ id }) => id === fields?.id);
        if (home === undefined || room === undefined || !isNewer(room, home)) return INVALID;
        if (hasType(room, 'BNS') && !call.scopes.includes('write_smarther')) return NO_SCOPE;
        const lost = room.modules.find(({ isReachable }) => !isReachable);
        if (lost !== undefined)
          return { status: 200, json: { body: { errors: [{ code: 6, id: lost.id }] } } };
        const start = `${home.isCooling ? 'cooling' : 'therm'}_setpoint_`;
        const setpoint = Object.entries(fields ?? {}).map(([name, value]) => [
          name.replace(start, ''),
          value,
        ]);
        return set(call, { home, room }, Object.fromEntries(setpoint));
      }),
      'POST /api/setthermmode': ofHome('write_thermostat', (home, { mode }, call) => {
        if (typeof mode !== 'string' || !Object.hasOwn(MODE_TARGETS, mode))
          return failed(mode === undefined ? 10 : 21, 'mode not authorized');
        for (const room of home.rooms) turn({ home, room }, 'home');
        home.thermMode = mode as keyof typeof MODE_TARGETS;
        return postHome(call, home, { event_type: 'therm_mode', mode });
      }),
      'POST /api/switchhomeschedule': ofHome('write_thermostat', (home, { schedule_id }, call) =>
        typeof schedule_id === 'string'
          ? postHome(call, home, { event_type: 'schedule', schedule_id })
          : INVALID,
      ),
      'POST /api/addwebhook'({ home: { userId }, body, query }) {
        const isTaken = webhooks.subscribe(userId, body.url ?? query.get('url'));
        if (isTaken) webhooks.post(userId, { user_id: userId, push_type: 'webhook_activation' });
        return isTaken ? DONE : failed(21, 'Invalid url');
      },
      'POST /api/dropwebhook'({ home: { userId } }) {
        webhooks.unsubscribe(userId);
        return DONE;
      },
    },
    devices: {
      find: ({ homes }, device) =>
        placesIn(homes).find(({ home, room }) => `${home.id}.${room.id}` === device.id),
      arrange(place, situation) {
        place.home.thermMode = 'schedule';
        if (situation === 'off') turn(place, 'off');
        if (situation === 'on') turn(place, 'home');
        if (situation !== 'cold') return;
        turn(place, 'manual', { target: 15, endsAt: clock.now() + 12 * HOUR_MS });
        place.room.celsius = 17;
      },
      reach({ room }, isReachable) {
        for (const module of room.modules) module.isReachable = isReachable;
      },
      remove(_account, { home, room }) {
        home.rooms = home.rooms.filter((one) => one !== room);
      },
      add(_account, { home, room }) {
        home.rooms = [...home.rooms, room];
      },
    },
  });
}

const placesIn = (homes: readonly SimulatedHome[]): Place[] =>
  homes.flatMap((home) => home.rooms.map((room) => ({ home, room })));

/** Rooms of newer modules are set by setstate alone, the others by setroomthermpoint alone. */
function isNewer(room: SimulatedRoom, home: SimulatedHome): boolean {
  const isNewerHome = home.rooms.some((one) => hasType(one, 'OTM') || hasType(one, 'BNS'));
  return !hasType(room, 'NATherm1') && (isNewerHome || !hasType(room, 'NRV'));
}
