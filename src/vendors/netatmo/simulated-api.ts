import type { SimulatedAnswer, SimulatedRequest } from '../../adapter/simulator.ts';
import type { Clock } from '../../core/clock.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import type { SimulatedAccount } from './simulated-accounts.ts';
import { setRoom, settle, statusOf, topologyOf } from './simulated-home.ts';
import { type createSimulatedOrders, isNewer, refusal } from './simulated-orders.ts';
import type { createSimulatedWebhooks } from './simulated-webhooks.ts';

interface ApiOptions {
  readonly clock: Clock;
  readonly orders: ReturnType<typeof createSimulatedOrders>;
  readonly webhooks: ReturnType<typeof createSimulatedWebhooks>;
}

type Call = (account: SimulatedAccount, told: JsonObject) => SimulatedAnswer;

const HOME_MODES = ['schedule', 'away', 'hg'] as const;
const DONE: SimulatedAnswer = { status: 200, json: {} };
const INVALID = refusal(21, 'Invalid id');

/** The calls of the API, for a user who is signed in. */
export function createSimulatedApi({ clock, orders, webhooks }: ApiOptions) {
  const homeOf = (account: SimulatedAccount, id: unknown) => account.homes.find((home) => home.id === id);

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
          if (home === undefined || room === undefined || isNewer(room, home)) return INVALID;
          return orders.order({ account, home, room }, { mode, temp, endTime: endtime }) ?? DONE;
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
            const refused = orders.order(
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
          webhooks.tell(account.userId, {
            home_id: home.id,
            event_type: 'therm_mode',
            home: { id: home.id, therm_mode: next },
            mode: next,
            previous_mode: previous,
            push_type: 'home_event_changed',
          });
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
          webhooks.tell(account.userId, { home_id: home.id, ...event });
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
  };
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
