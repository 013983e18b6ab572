import type { Situation } from '../../adapter/conformance/witnesses.ts';
import type { DeviceRef } from '../../adapter/session.ts';
import type {
  SimulatedAnswer,
  SimulatedFault,
  SimulatedRequest,
  SimulatorOptions,
  VendorSimulator,
} from '../../adapter/simulator.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { faultAnswer, type Refusal } from '../../simulation/faults.ts';
import { createSimulatedOAuth } from '../../simulation/oauth.ts';
import { PASSWORD, type SimulatedAccount, simulatedAccounts } from './simulated-accounts.ts';
import { createSimulatedApi } from './simulated-api.ts';
import { allModules, type SimulatedHome, type SimulatedRoom, setRoom, settle } from './simulated-home.ts';
import { createSimulatedLimits } from './simulated-limits.ts';
import { createSimulatedOrders, refusal } from './simulated-orders.ts';
import { createSimulatedWebhooks } from './simulated-webhooks.ts';

/** A quota has a code of its own, and so has whatever else fails. */
const asRefused: Refusal = (status, reason) => refusal(status === 429 ? 26 : 35, reason, status);

const ACCESS_SECONDS = 10_800;

export interface NetatmoSimulator extends VendorSimulator {
  /** Somebody takes a module's battery out or the relay's plug, or puts it back. */
  reachModule(moduleId: string, isReachable: boolean): void;
  /** Somebody turns the room's thermostat by hand, for an hour. */
  turnByHand(device: Pick<DeviceRef, 'details'>, celsius: number): void;
}

/** Netatmo's cloud: sign-in, homes, rooms that warm and cool, limits and webhooks. */
export function createSimulator(options: SimulatorOptions): NetatmoSimulator {
  const { clock } = options;
  const accounts = new Map(simulatedAccounts(clock.now()));
  const oauth = createSimulatedOAuth({
    clock,
    random: options.random,
    partner: options.partner,
    vendor: 'Netatmo',
    users: new Map([...accounts.keys()].map((name) => [name, PASSWORD])),
    accessSeconds: ACCESS_SECONDS,
    isRotating: true,
    extra: (_user, scopes) => ({ expire_in: ACCESS_SECONDS, scope: [...scopes], simulated: true }),
  });
  const webhooks = createSimulatedWebhooks(options);
  const limits = createSimulatedLimits(clock);
  const orders = createSimulatedOrders({ clock, webhooks });
  const api = createSimulatedApi({ clock, orders, webhooks });
  let fault: SimulatedFault | null = null;

  function signedIn(request: SimulatedRequest): SimulatedAnswer {
    const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
    if (bearer === undefined) return refusal(1, 'Access token is missing', 401);
    const grant = oauth.userOf(bearer);
    const account = accounts.get(grant?.user ?? '');
    if (fault === 'token_refused' || fault === 'login_lost' || grant === undefined || account === undefined)
      return refusal(3, 'Access token expired', 403);
    if (limits.isOver(account.userId)) return refusal(26, 'User usage reached', 403);
    return api.handle(request, account, grant.scopes);
  }

  async function handle(request: SimulatedRequest): Promise<SimulatedAnswer> {
    if (request.path === '/oauth2/authorize') return oauth.authorize(request);
    const broken = faultAnswer(fault, asRefused);
    if (broken !== undefined) return broken;
    if (request.path === '/oauth2/token')
      return fault === 'login_lost'
        ? { status: 400, json: { error: 'invalid_grant' } }
        : oauth.token(request);
    const answer = enveloped(signedIn(request), clock.now());
    return fault === 'unknown_values' ? strange(answer) : answer;
  }

  function placeOf({ details }: Pick<DeviceRef, 'details'>) {
    for (const account of accounts.values())
      for (const home of account.homes)
        for (const room of home.rooms)
          if (home.id === details.home_id && room.id === details.room_id) return { account, home, room };
    throw new Error(`the simulator has no room ${JSON.stringify(details)}`);
  }

  return {
    handle,
    fault(next) {
      fault = next;
    },
    arrange(device, situation) {
      const { home, room } = placeOf(device);
      arrange(room, home, { situation, now: clock.now() });
    },
    reach(device, isReachable) {
      for (const module of placeOf(device).room.modules) module.isReachable = isReachable;
    },
    reachModule(moduleId, isReachable) {
      for (const { homes } of accounts.values())
        for (const module of homes.flatMap(allModules))
          if (module.id === moduleId) module.isReachable = isReachable;
    },
    turnByHand(device, celsius) {
      const { account, home, room } = placeOf(device);
      orders.setByHand({ account, home, room, celsius });
    },
    remove(device) {
      for (const [name, account] of accounts) accounts.set(name, withoutRoom(account, device.details));
    },
    expireTokens: () => oauth.expireAll(),
    revoke() {
      for (const user of accounts.keys()) oauth.revoke(user);
    },
    user: userNamed('home'),
    users: { none: userNamed('none'), large: userNamed('large') },
  };
}

const userNamed = (name: string) => ({ name, password: PASSWORD, credentials: {} });

function withoutRoom(account: SimulatedAccount, { home_id, room_id }: JsonObject): SimulatedAccount {
  const homes = account.homes.map((home) =>
    home.id === home_id ? { ...home, rooms: home.rooms.filter(({ id }) => id !== room_id) } : home,
  );
  return { ...account, homes };
}

interface Arrangement {
  readonly situation: Situation;
  readonly now: number;
}

function arrange(room: SimulatedRoom, home: SimulatedHome, { situation, now }: Arrangement): void {
  settle(room, home, now);
  for (const module of room.modules) module.isReachable = true;
  home.thermMode = 'schedule';
  if (situation === 'off') setRoom(room, { mode: 'off', now });
  if (situation === 'on') setRoom(room, { mode: 'home', now });
  if (situation === 'cold') {
    room.celsius = 17;
    setRoom(room, { mode: 'manual', target: 15, now, endsAt: now + 12 * 3_600_000 });
  }
}

function enveloped(answer: SimulatedAnswer, now: number): SimulatedAnswer {
  if (answer.status !== 200) return answer;
  const told = objectIn(answer.json);
  return {
    ...answer,
    json: {
      status: 'ok',
      time_exec: 0.02,
      time_server: Math.floor(now / 1_000),
      trace_of_the_simulator: 'x',
      ...told,
    },
  };
}

const objectIn = (value: Json | undefined): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
const listIn = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);

/** New words, other types and odd members in the lists, beside what there was. */
function strange(answer: SimulatedAnswer): SimulatedAnswer {
  const told = objectIn(answer.json);
  if (told.body === undefined) return answer;
  const body = objectIn(told.body);
  const oddRoom = (room: Json): Json => ({
    ...objectIn(room),
    therm_setpoint_mode: 'moonlight',
    therm_measured_temperature: 'warm',
    heating_power_request: { percent: 3 },
  });
  const oddList = (list: Json | undefined): Json[] => [
    null,
    7,
    [],
    { id: 4711 },
    { id: 'x'.repeat(5_000), type: 'NRV', room_id: 'y' },
    ...listIn(list),
  ];
  const odd: JsonObject =
    body.homes === undefined
      ? {
          home: {
            ...objectIn(body.home),
            rooms: oddList(listIn(objectIn(body.home).rooms).map(oddRoom)),
            modules: oddList(objectIn(body.home).modules),
          },
          errors: oddList(body.errors),
        }
      : {
          homes: oddList(
            listIn(body.homes).map((home) => ({
              ...objectIn(home),
              rooms: oddList(objectIn(home).rooms),
              modules: oddList(objectIn(home).modules),
              therm_setpoint_default_duration: 'long',
            })),
          ),
        };
  return { ...answer, json: { ...told, status: 'fine', body: { ...body, ...odd } } };
}
