import type { DeviceRef } from '../../adapter/session.ts';
import type { SimulatedAnswer, SimulatorOptions, VendorSimulator } from '../../adapter/simulator.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import {
  byOAuth,
  isObject,
  type Refusal,
  type SimulatedCall,
  simulatedVendor,
} from '../../simulation/index.ts';
import {
  allModules,
  hasType,
  type SimulatedAccount,
  type SimulatedHome,
  type SimulatedRoom,
  setRoom,
  settle,
  simulatedAccounts,
  statusOf,
  topologyOf,
} from './simulated-home.ts';
import { createSimulatedWebhooks } from './simulated-webhooks.ts';

const ACCESS_SECONDS = 10_800;
const HOME_MODES = ['schedule', 'away', 'hg'] as const;
const MODES = ['manual', 'max', 'home', 'off'] as const;
const DONE: SimulatedAnswer = { status: 200, json: {} };

const failed = (code: number, message: string, status = 400): SimulatedAnswer => ({
  status,
  json: { error: { code, message } },
});
const refusal: Refusal = (status, reason) =>
  failed(status === 429 ? 26 : status === 404 ? 31 : 35, reason, status);
const INVALID = failed(21, 'Invalid id');
const NO_SCOPE = failed(13, 'Application does not have the good scope rights', 403);

export interface NetatmoSimulator extends VendorSimulator {
  /** Somebody takes a module's battery out or the relay's plug, or puts it back. */
  reachModule(moduleId: string, isReachable: boolean): void;
  /** Somebody turns the room's thermostat by hand, for an hour. */
  turnByHand(device: Pick<DeviceRef, 'id' | 'details'>, celsius: number): void;
}

interface Place {
  readonly account: SimulatedAccount;
  readonly home: SimulatedHome;
  readonly room: SimulatedRoom;
}

/** Netatmo's cloud: sign-in, homes, rooms that warm and cool, limits and webhooks. */
export function createSimulator(options: SimulatorOptions): NetatmoSimulator {
  const { clock } = options;
  const users = simulatedAccounts(clock.now());
  const webhooks = createSimulatedWebhooks(options);

  /** Says to those who subscribed what a room is set to. */
  function postRoom({ account, home, room }: Place, eventType: string): void {
    const end = { therm_setpoint_end_time: room.endsAt === null ? 0 : Math.floor(room.endsAt / 1_000) };
    webhooks.tell(account.userId, {
      home_id: home.id,
      room_id: room.id,
      home: {
        id: home.id,
        rooms: [
          {
            id: room.id,
            name: room.name,
            therm_setpoint_mode: room.mode,
            ...(room.mode === 'home' ? {} : end),
          },
        ],
        modules: room.modules.map(({ id, type }) => ({ id, name: type, type })),
      },
      mode: room.mode,
      event_type: eventType,
      push_type: 'display_change',
    });
  }

  function set(
    place: Place,
    setpoint: { readonly mode: unknown; readonly temp: unknown; readonly endTime: unknown },
  ): SimulatedAnswer {
    const { home, room } = place;
    const now = clock.now();
    if (setpoint.mode === undefined) return failed(10, 'mode is missing');
    const mode = MODES.find((one) => one === setpoint.mode);
    const isValve = room.modules.every(({ type }) => type === 'NRV');
    if (mode === undefined || (mode === 'off' && isValve)) return failed(21, 'mode not authorized');
    const target = Number(setpoint.temp);
    if (mode === 'manual' && !(target >= 7 && target <= 30 && target % 0.5 === 0))
      return failed(21, 'Invalid temp');
    const stated = setpoint.endTime === undefined ? undefined : Number(setpoint.endTime) * 1_000;
    if (stated !== undefined && !(stated > now)) return failed(21, 'Invalid endtime');
    settle(room, home, now);
    const endsAt = mode === 'home' || mode === 'off' ? null : (stated ?? now + home.defaultMinutes * 60_000);
    setRoom(room, { mode, now, endsAt, ...(mode === 'manual' ? { target } : {}) });
    postRoom(place, mode === 'home' ? 'cancel_set_point' : 'set_point');
    return DONE;
  }

  type Call = SimulatedCall<SimulatedAccount>;
  const may = ({ scopes }: Call, scope: string) => scopes.includes(scope);
  /** Parameters come in the query, as a form or as JSON. */
  const parametersOf = ({ query, body }: Call): JsonObject => ({ ...Object.fromEntries(query), ...body });
  const homeOf = (call: Call, id: Json | undefined) => call.home.homes.find((home) => home.id === id);

  const roomsMayBeRead = (answer: (call: Call) => SimulatedAnswer) => (call: Call) =>
    may(call, 'read_thermostat') ? answer(call) : NO_SCOPE;

  const simulator = simulatedVendor<SimulatedAccount, Place>(options, {
    vendor: 'Netatmo',
    users,
    signIn: byOAuth({
      authorizePath: '/oauth2/authorize',
      tokenPath: '/oauth2/token',
      accessSeconds: ACCESS_SECONDS,
      extra: (_user, scopes) => ({ expire_in: ACCESS_SECONDS, scope: [...scopes], simulated: true }),
    }),
    refusal,
    tokenRefused: failed(3, 'Access token expired', 403),
    limited: failed(26, 'User usage reached', 403),
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
      'GET /api/homesdata': roomsMayBeRead((call) => {
        const { userId, homes } = call.home;
        // A Smarther stands in the response only for those who may read it.
        const shown = homes.map((home) => ({
          ...home,
          rooms: home.rooms.filter((room) => !hasType(room, 'BNS') || may(call, 'read_smarther')),
        }));
        const user = { id: userId, email: 'simulated@example.com', language: 'sv-SE' };
        return { status: 200, json: { body: { homes: shown.map(topologyOf), user } } };
      }),
      'GET /api/homestatus': roomsMayBeRead((call) => {
        const { home_id: id } = parametersOf(call);
        const home = homeOf(call, id);
        if (home === undefined) return id === undefined ? failed(10, 'Missing home_id') : INVALID;
        for (const room of home.rooms) settle(room, home, clock.now());
        return { status: 200, json: { body: statusOf(home) } };
      }),
      'POST /api/setroomthermpoint'(call) {
        const { home_id, room_id, mode, temp, endtime } = parametersOf(call);
        const home = homeOf(call, home_id);
        const room = home?.rooms.find(({ id }) => id === room_id);
        if (!may(call, 'write_thermostat')) return NO_SCOPE;
        if (home === undefined || room === undefined || isNewer(room, home)) return INVALID;
        return set({ account: call.home, home, room }, { mode, temp, endTime: endtime });
      },
      'POST /api/setstate'(call) {
        const stated = isObject(call.body.home) ? call.body.home : {};
        const home = homeOf(call, stated.id);
        if (!may(call, 'write_thermostat')) return NO_SCOPE;
        if (home === undefined || !Array.isArray(stated.rooms)) return INVALID;
        const of = home.isCooling ? 'cooling' : 'therm';
        for (const one of stated.rooms) {
          const fields = isObject(one) ? one : {};
          const room = home.rooms.find(({ id }) => id === fields.id);
          if (room === undefined || !isNewer(room, home)) return INVALID;
          if (hasType(room, 'BNS') && !may(call, 'write_smarther')) return NO_SCOPE;
          const lost = room.modules.find(({ isReachable }) => !isReachable);
          if (lost !== undefined)
            return { status: 200, json: { body: { errors: [{ code: 6, id: lost.id }] } } };
          const answer = set(
            { account: call.home, home, room },
            {
              mode: fields[`${of}_setpoint_mode`],
              temp: fields[`${of}_setpoint_temperature`],
              endTime: fields[`${of}_setpoint_end_time`],
            },
          );
          if (answer !== DONE) return answer;
        }
        return DONE;
      },
      'POST /api/setthermmode'(call) {
        const { home_id, mode } = parametersOf(call);
        const home = homeOf(call, home_id);
        const next = HOME_MODES.find((one) => one === mode);
        if (home === undefined) return INVALID;
        if (next === undefined) return failed(mode === undefined ? 10 : 21, 'mode not authorized');
        for (const room of home.rooms) {
          settle(room, home, clock.now());
          setRoom(room, { mode: 'home', now: clock.now() });
        }
        home.thermMode = next;
        webhooks.tell(call.home.userId, {
          home_id: home.id,
          event_type: 'therm_mode',
          mode: next,
          push_type: 'home_event_changed',
        });
        return DONE;
      },
      'POST /api/switchhomeschedule'(call) {
        const { home_id, schedule_id } = parametersOf(call);
        if (homeOf(call, home_id) === undefined || typeof schedule_id !== 'string') return INVALID;
        webhooks.tell(call.home.userId, {
          home_id: home_id ?? null,
          event_type: 'schedule',
          schedule_id,
          push_type: 'home_event_changed',
        });
        return DONE;
      },
      'POST /api/addwebhook'(call) {
        const { url } = parametersOf(call);
        if (typeof url !== 'string' || !URL.canParse(url)) return failed(21, 'Invalid url');
        webhooks.subscribe(call.home.userId, url);
        return DONE;
      },
      'POST /api/dropwebhook'(call) {
        webhooks.unsubscribe(call.home.userId);
        return DONE;
      },
    },
    devices: {
      find: placeIn,
      arrange({ home, room }, situation) {
        const now = clock.now();
        settle(room, home, now);
        home.thermMode = 'schedule';
        if (situation === 'off') setRoom(room, { mode: 'off', now });
        if (situation === 'on') setRoom(room, { mode: 'home', now });
        if (situation !== 'cold') return;
        room.celsius = 17;
        setRoom(room, { mode: 'manual', target: 15, now, endsAt: now + 12 * 3_600_000 });
      },
      reach({ room }, isReachable) {
        for (const module of room.modules) module.isReachable = isReachable;
      },
      remove(_account, { home, room }) {
        home.rooms = home.rooms.filter((one) => one !== room);
      },
    },
  });

  const homes = () => Object.values<SimulatedAccount>(users).flatMap((account) => account.homes);
  return {
    ...simulator,
    reachModule(moduleId, isReachable) {
      for (const module of homes().flatMap(allModules))
        if (module.id === moduleId) module.isReachable = isReachable;
    },
    turnByHand(device, celsius) {
      const place = Object.values<SimulatedAccount>(users).flatMap(
        (account) => placeIn(account, device) ?? [],
      )[0];
      if (place === undefined) throw new Error(`there is no room ${device.id}`);
      const now = clock.now();
      settle(place.room, place.home, now);
      setRoom(place.room, { mode: 'manual', target: celsius, now, endsAt: now + 3_600_000 });
      postRoom(place, 'setpoint_event');
    },
  };
}

function placeIn(account: SimulatedAccount, { id }: Pick<DeviceRef, 'id'>): Place | undefined {
  for (const home of account.homes)
    for (const room of home.rooms) if (`${home.id}.${room.id}` === id) return { account, home, room };
  return undefined;
}

/** Rooms of newer modules are set by setstate alone, the others by setroomthermpoint alone. */
function isNewer(room: SimulatedRoom, home: SimulatedHome): boolean {
  const isNewerHome = home.rooms.some((one) => hasType(one, 'OTM') || hasType(one, 'BNS'));
  return !hasType(room, 'NATherm1') && (isNewerHome || !hasType(room, 'NRV'));
}
