import type { SimulatedAnswer, SimulatedRequest } from '../../adapter/simulator.ts';
import type { Clock } from '../../core/clock.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import type { SimulatedAccount } from './simulated-accounts.ts';
import {
  type SimulatedHome,
  type SimulatedRoom,
  setRoom,
  settle,
  statusOf,
  topologyOf,
} from './simulated-home.ts';
import type { createSimulatedWebhooks } from './simulated-webhooks.ts';

interface ApiOptions {
  readonly clock: Clock;
  readonly webhooks: ReturnType<typeof createSimulatedWebhooks>;
}

interface Order {
  readonly mode: unknown;
  readonly temp: unknown;
  readonly endTime: unknown;
}

interface Place {
  readonly account: SimulatedAccount;
  readonly home: SimulatedHome;
  readonly room: SimulatedRoom;
}

type Call = (account: SimulatedAccount, told: JsonObject) => SimulatedAnswer;

export function refusal(code: number, message: string, status = 400): SimulatedAnswer {
  return { status, json: { error: { code, message } } };
}

const MODES: readonly unknown[] = ['manual', 'max', 'home', 'off'];
const HOME_MODES = ['schedule', 'away', 'hg'] as const;
const DONE: SimulatedAnswer = { status: 200, json: {} };
const INVALID = refusal(21, 'Invalid id');

/** The calls of the API, for a user who is signed in. */
export function createSimulatedApi({ clock, webhooks }: ApiOptions) {
  const homeOf = (account: SimulatedAccount, id: unknown) => account.homes.find((home) => home.id === id);

  function eventOf(home: SimulatedHome, event: JsonObject): JsonObject {
    return { home_id: home.id, ...event };
  }

  function tellOfRoom({ account, home, room }: Place, eventType: string): void {
    const timed: JsonObject =
      room.mode === 'home'
        ? {}
        : {
            therm_setpoint_temperature: room.target,
            therm_setpoint_start_time: Math.floor(room.startedAt / 1_000),
            therm_setpoint_end_time: room.endsAt === null ? 0 : Math.floor(room.endsAt / 1_000),
          };
    webhooks.tell(
      account.userId,
      eventOf(home, {
        room_id: room.id,
        home: {
          id: home.id,
          name: home.name,
          country: 'SE',
          rooms: [
            { id: room.id, name: room.name, type: room.type, therm_setpoint_mode: room.mode, ...timed },
          ],
          modules: room.modules.map(({ id, type }) => ({ id, name: type, type })),
        },
        mode: room.mode,
        event_type: eventType,
        ...(room.mode === 'manual' ? { temperature: room.target } : {}),
        push_type: 'display_change',
      }),
    );
  }

  /** Null when the order was taken. */
  function order(place: Place, { mode, temp, endTime }: Order): SimulatedAnswer | null {
    const { home, room } = place;
    const now = clock.now();
    if (mode === undefined) return refusal(10, 'mode is missing');
    const isValve = room.modules.every(({ type }) => type === 'NRV');
    if (!MODES.includes(mode) || (mode === 'off' && isValve)) return refusal(21, 'mode not authorized');
    const target = Number(temp);
    if (mode === 'manual' && !(target >= 7 && target <= 30)) return refusal(21, 'Invalid temp');
    if (mode === 'manual' && target % 0.5 !== 0) return refusal(21, 'Invalid temp');
    const stated = endTime === undefined ? undefined : Number(endTime) * 1_000;
    if (stated !== undefined && !(stated > now)) return refusal(21, 'Invalid endtime');
    settle(room, home, now);
    if (mode === 'home' || mode === 'off') setRoom(room, { mode, now });
    else
      setRoom(room, {
        mode: mode as 'manual' | 'max',
        now,
        endsAt: stated ?? now + home.defaultMinutes * 60_000,
        ...(mode === 'manual' ? { target } : {}),
      });
    tellOfRoom(place, mode === 'home' ? 'cancel_set_point' : 'set_point');
    return null;
  }

  const calls: ReadonlyMap<string, { readonly scope: string; readonly call: Call }> = new Map([
    [
      '/api/homesdata',
      {
        scope: 'read_thermostat',
        call: ({ userId, homes }) => ({
          status: 200,
          json: {
            body: {
              homes: homes.map(topologyOf),
              user: { id: userId, email: 'simulated@example.com', language: 'sv-SE' },
            },
          },
        }),
      },
    ],
    [
      '/api/homestatus',
      {
        scope: 'read_thermostat',
        call: (account, { home_id }) => {
          if (home_id === undefined) return refusal(10, 'Missing home_id');
          const home = homeOf(account, home_id);
          if (home === undefined) return INVALID;
          for (const room of home.rooms) settle(room, home, clock.now());
          return { status: 200, json: { body: statusOf(home) } };
        },
      },
    ],
    [
      '/api/setroomthermpoint',
      {
        scope: 'write_thermostat',
        call: (account, { home_id, room_id, mode, temp, endtime }) => {
          const home = homeOf(account, home_id);
          const room = home?.rooms.find(({ id }) => id === room_id);
          // Rooms of newer modules are set by setstate alone.
          if (home === undefined || room === undefined || isNewer(room, home)) return INVALID;
          return order({ account, home, room }, { mode, temp, endTime: endtime }) ?? DONE;
        },
      },
    ],
    [
      '/api/setstate',
      {
        scope: 'write_thermostat',
        call: (account, told) => {
          const stated = objectIn(told.home);
          const home = homeOf(account, stated.id);
          if (home === undefined || !Array.isArray(stated.rooms)) return INVALID;
          for (const one of stated.rooms.map(objectIn)) {
            const room = home.rooms.find(({ id }) => id === one.id);
            if (room === undefined || !isNewer(room, home)) return INVALID;
            const [lost] = room.modules.filter(({ isReachable }) => !isReachable);
            if (lost !== undefined)
              return { status: 200, json: { body: { errors: [{ code: 6, id: lost.id }] } } };
            const refused = order(
              { account, home, room },
              {
                mode: one.therm_setpoint_mode,
                temp: one.therm_setpoint_temperature,
                endTime: one.therm_setpoint_end_time,
              },
            );
            if (refused !== null) return refused;
          }
          return DONE;
        },
      },
    ],
    [
      '/api/setthermmode',
      {
        scope: 'write_thermostat',
        call: (account, { home_id, mode }) => {
          const home = homeOf(account, home_id);
          const next = HOME_MODES.find((one) => one === mode);
          if (home === undefined) return INVALID;
          if (next === undefined) return refusal(mode === undefined ? 10 : 21, 'mode not authorized');
          for (const room of home.rooms) {
            settle(room, home, clock.now());
            setRoom(room, { mode: 'home', now: clock.now() });
          }
          const previous = home.thermMode;
          home.thermMode = next;
          webhooks.tell(
            account.userId,
            eventOf(home, {
              event_type: 'therm_mode',
              home: { id: home.id, therm_mode: next },
              mode: next,
              previous_mode: previous,
              push_type: 'home_event_changed',
            }),
          );
          return DONE;
        },
      },
    ],
    [
      '/api/switchhomeschedule',
      {
        scope: 'write_thermostat',
        call: (account, { home_id, schedule_id }) => {
          const home = homeOf(account, home_id);
          if (home === undefined || typeof schedule_id !== 'string') return INVALID;
          const event = { event_type: 'schedule', schedule_id, push_type: 'home_event_changed' };
          webhooks.tell(account.userId, eventOf(home, event));
          return DONE;
        },
      },
    ],
    [
      '/api/addwebhook',
      {
        scope: 'read_thermostat',
        call: ({ userId }, { url }) => {
          if (typeof url !== 'string' || !URL.canParse(url)) return refusal(21, 'Invalid url');
          webhooks.subscribe(userId, url);
          return DONE;
        },
      },
    ],
    [
      '/api/dropwebhook',
      {
        scope: 'read_thermostat',
        call: ({ userId }) => {
          webhooks.unsubscribe(userId);
          return DONE;
        },
      },
    ],
  ]);

  return {
    handle(request: SimulatedRequest, account: SimulatedAccount, scopes: readonly string[]): SimulatedAnswer {
      const known = calls.get(request.path);
      if (known === undefined) return refusal(31, 'Method not found', 404);
      if (!scopes.includes(known.scope))
        return refusal(13, 'Application does not have the good scope rights', 403);
      return known.call(account, parametersOf(request));
    },

    setByHand({ account, home, room, celsius }: Place & { readonly celsius: number }): void {
      const now = clock.now();
      settle(room, home, now);
      setRoom(room, { mode: 'manual', target: celsius, now, endsAt: now + 3_600_000 });
      tellOfRoom({ account, home, room }, 'setpoint_event');
    },
  };
}

function isNewer(room: SimulatedRoom, home: SimulatedHome): boolean {
  const has = (type: string) => room.modules.some((module) => module.type === type);
  const isModulating = home.rooms.some(({ modules }) => modules.some(({ type }) => type === 'OTM'));
  return !has('NATherm1') && (isModulating || !has('NRV'));
}

function objectIn(value: Json | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}

/** Parameters come in the query, as a form or as JSON. */
function parametersOf({ query, headers, body }: SimulatedRequest): JsonObject {
  const text = Buffer.from(body).toString();
  if (headers['content-type']?.startsWith('application/json') === true)
    return objectIn(JSON.parse(text) as Json);
  return Object.fromEntries([...query, ...new URLSearchParams(text)]);
}
