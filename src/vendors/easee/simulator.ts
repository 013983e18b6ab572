import type {
  SimulatedAnswer,
  SimulatedFault,
  SimulatedRequest,
  SimulatorOptions,
  VendorSimulator,
} from '../../adapter/simulator.ts';
import { createSimulatedAccounts, type SimulatedUser } from './simulated-accounts.ts';
import type { ChargerEvents, Deed, SimulatedCharger } from './simulated-charger.ts';
import { createSimulatedHomes, EMPTY, FLEET, HOME, productsOf, USERS } from './simulated-homes.ts';
import { createSimulatedHub } from './simulated-hub.ts';

/** 100 ns since the year 1, as .NET counts. */
const TICKS_AT_1970 = 621_355_968_000_000_000n;

const WINDOWS = {
  observations: { amount: 100, seconds: 300 },
  settings: { amount: 20, seconds: 60 },
} as const;

const DEEDS: Readonly<Record<string, Deed>> = {
  start_charging: { type: 'start' },
  stop_charging: { type: 'stop' },
  pause_charging: { type: 'pause' },
  resume_charging: { type: 'resume' },
};

/** More than the contract asks of a simulator, for tests of what is peculiar to Easee. */
export interface EaseeSimulator extends VendorSimulator {
  readonly charger: (id: string) => SimulatedCharger;
  /** The charger answers the next command with a refusal. */
  refuseNext(): void;
  /** Turns every call away at the gateway, as it does with addresses that call too much. */
  blockAddress(isBlocked: boolean): void;
  /** Ends every stream as a server that is replaced does. */
  closeStreams(): void;
}

/** Easee's cloud, its chargers and the cars at them. Users: home, empty and fleet `@easee.simulated`. */
export function createSimulator(options: SimulatorOptions): EaseeSimulator {
  const { clock, random } = options;
  const accounts = createSimulatedAccounts(USERS, { clock, random });
  const windows = new Map<string, { from: number; used: number }>();
  let fault: SimulatedFault | null = null;
  let isBlocked = false;
  let refusals = 0;
  let serial = 0n;

  const hub = createSimulatedHub({
    clock,
    random,
    userOf: (header) => accounts.userOf(header),
    chargerOf: (user, id) => homes.chargerOf(user, id),
  });
  const events: ChargerEvents = {
    changed: (charger) => hub.changed(charger),
    answered: (charger, ticks, wasAccepted) => hub.answered(charger, ticks, wasAccepted),
  };
  const homes = createSimulatedHomes({ clock, events });

  /** 429 once a window is used up, with the seconds until it is over. */
  function limited(name: keyof typeof WINDOWS, user: SimulatedUser): SimulatedAnswer | undefined {
    const { amount, seconds } = WINDOWS[name];
    const key = `${name}/${user.id}`;
    const now = clock.now();
    const before = windows.get(key);
    const window =
      before === undefined || now - before.from >= seconds * 1000 ? { from: now, used: 0 } : before;
    windows.set(key, window);
    window.used += 1;
    if (window.used <= amount) return undefined;
    return tooMany(Math.ceil((window.from + seconds * 1000 - now) / 1000));
  }

  function observations(charger: SimulatedCharger, query: URLSearchParams): SimulatedAnswer {
    const wanted = new Set((query.get('ids') ?? '').split(',').map(Number));
    const told = charger.observe().filter(({ id }) => wanted.has(id));
    const isStrange = fault === 'unknown_values';
    return {
      status: 200,
      json: {
        id: charger.id,
        simulated: true,
        observations: [
          ...told.map(({ id, value, dataType, at }) => ({
            id,
            dataType: isStrange ? 9 : dataType,
            value: isStrange && id === 109 ? 42 : value,
            timestamp: new Date(at).toISOString(),
            simulated: true,
          })),
          ...(isStrange ? [{ id: 9_999, value: { new: 'kind' } }, 'a word', null] : []),
        ],
      },
    };
  }

  const nextTicks = () => {
    serial += 1n;
    return String(TICKS_AT_1970 + BigInt(clock.now()) * 10_000n + serial);
  };

  /** Takes an order. `shape` is how the path answers: one object for a command, a list for settings. */
  function order(charger: SimulatedCharger, deed: Deed, shape: 'one' | 'list'): SimulatedAnswer {
    if (charger.hasNothingToDo(deed))
      return shape === 'list' ? { status: 202, json: [] } : raw(202, told(charger, '0'));
    const ticks = nextTicks();
    if (refusals > 0) {
      refusals -= 1;
      charger.refuse(ticks);
    } else charger.order(deed, ticks);
    const one = told(charger, ticks);
    return raw(202, shape === 'list' ? `[${one}]` : one);
  }

  function settings(charger: SimulatedCharger, body: Readonly<Record<string, unknown>>): SimulatedAnswer {
    const { dynamicChargerCurrent: amperes } = body;
    if (typeof amperes !== 'number' || amperes < 0 || amperes > 40)
      return { status: 400, json: { errorCode: 400, errorCodeName: 'ValidationError' } };
    return order(charger, { type: 'dynamic', amperes }, 'list');
  }

  function circuitLimit(user: SimulatedUser, path: string, body: Readonly<Record<string, unknown>>) {
    const [, site, id] = /^\/api\/sites\/(\d+)\/circuits\/(\d+)\/dynamicCurrent$/.exec(path) ?? [];
    const charger = homes
      .chargersOf(user)
      .find(({ circuit }) => String(circuit.site) === site && String(circuit.id) === id);
    if (charger === undefined) return notThere();
    const phases = [body.phase1, body.phase2, body.phase3].map(Number);
    const [p1 = Number.NaN, p2 = Number.NaN, p3 = Number.NaN] = phases;
    if (!phases.every((amperes) => amperes >= 0 && amperes <= 100) || typeof body.timeToLive !== 'number')
      return { status: 400, json: { errorCode: 400, errorCodeName: 'ValidationError' } };
    return order(charger, { type: 'circuit', amperes: [p1, p2, p3], minutes: body.timeToLive }, 'one');
  }

  function route(request: SimulatedRequest, user: SimulatedUser): SimulatedAnswer {
    const { method, path, query } = request;
    if (method === 'GET' && path === '/api/accounts/products')
      return { status: 200, json: productsOf(homes.chargersOf(user)) };
    if (method === 'POST' && path === '/hubs/chargers/negotiate') return hub.negotiate();
    const [, read, , act] =
      /^(?:\/state\/([^/]+)\/observations|\/api\/chargers\/([^/]+)\/(settings|commands\/\w+))$/.exec(path) ??
      [];
    const id = /^\/(?:state|api\/chargers)\/([^/]+)\//.exec(path)?.[1];
    const charger = id === undefined ? undefined : homes.chargerOf(user, decodeURIComponent(id));
    if (method === 'GET' && read !== undefined) {
      if (charger === undefined) return notThere();
      return limited('observations', user) ?? observations(charger, query);
    }
    if (method !== 'POST') return atTheGateway();
    if (path.startsWith('/api/sites/'))
      return limited('settings', user) ?? circuitLimit(user, path, bodyOf(request));
    if (act === undefined) return atTheGateway();
    if (charger === undefined) return notThere();
    if (act === 'settings') return limited('settings', user) ?? settings(charger, bodyOf(request));
    const deed = DEEDS[act.slice('commands/'.length)];
    if (deed === undefined) return atTheGateway();
    // Authorization where none is asked for.
    if ((deed.type === 'start' || deed.type === 'stop') && !charger.needsAuthorization)
      return { status: 403, json: { errorCode: 106, errorCodeName: 'Forbidden' } };
    return order(charger, deed, 'one');
  }

  async function handle(request: SimulatedRequest): Promise<SimulatedAnswer> {
    if (isBlocked) return atTheGateway();
    const broken = fault === null ? undefined : BROKEN[fault];
    if (broken !== undefined) return broken;
    if (request.path === '/api/accounts/login') return accounts.login(bodyOf(request));
    if (request.path === '/api/accounts/refresh_token') return accounts.refresh(bodyOf(request));
    const user = accounts.userOf(request.headers.authorization);
    if (user === undefined) return { status: 401, text: '' };
    return route(request, user);
  }

  return {
    handle,
    upgrade: (request, socket) => hub.open(request, socket),
    fault(next) {
      if (fault === 'login_lost') accounts.close(false);
      fault = next;
      if (next === 'token_refused') accounts.forgetAll();
      if (next === 'login_lost') accounts.close(true);
    },
    arrange: (device, situation) => homes.anyCharger(device.id).arrange(situation),
    user: signingIn(HOME),
    charger: (id) => homes.anyCharger(id),
    refuseNext() {
      refusals += 1;
    },
    blockAddress(blocked) {
      isBlocked = blocked;
    },
    closeStreams: () => hub.closeAll(),
    expireTokens: () => accounts.expireAll(),
    revoke: () => accounts.forgetAll(),
    reach: ({ id }, isReachable) => homes.anyCharger(id).setOnline(isReachable),
    remove: ({ id }) => homes.take(id),
    users: { none: signingIn(EMPTY), large: signingIn(FLEET) },
  };
}

const signingIn = ({ email, password }: SimulatedUser) => ({
  name: email,
  password,
  credentials: { username: email, password },
});

const tooMany = (seconds: number): SimulatedAnswer => ({
  status: 429,
  headers: { 'retry-after': String(seconds) },
  text: 'Too many requests',
});

/** What every fault answers; the others are about tokens and values. */
const BROKEN: { readonly [F in SimulatedFault]?: SimulatedAnswer } = {
  hang: { status: 200, broken: 'hang' },
  reset: { status: 200, broken: 'reset' },
  truncated: { status: 200, broken: 'truncate', text: '{"observations":[{"id":109,"val' },
  html: {
    status: 200,
    headers: { 'content-type': 'text/html' },
    text: '<html><body>Maintenance (simulated)</body></html>',
  },
  server_error: { status: 503, text: 'Service Unavailable' },
  rate_limited: tooMany(42),
  rate_limited_without_delay: { status: 429, text: 'Too many requests' },
};

/** As the AWS gateway in front of Easee: for addresses that call too much, and for paths that there are not. */
const atTheGateway = (): SimulatedAnswer => ({ status: 403, json: { message: 'Forbidden' } });

const notThere = (): SimulatedAnswer => ({
  status: 404,
  json: { errorCode: 404, errorCodeName: 'NotFound' },
});

const raw = (status: number, text: string): SimulatedAnswer => ({
  status,
  headers: { 'content-type': 'application/json' },
  text,
});

/** Written by hand: ticks have more digits than a number keeps. */
const told = (charger: SimulatedCharger, ticks: string): string =>
  `{"device":"${charger.id}","commandId":48,"ticks":${ticks},"simulated":true}`;

function bodyOf(request: SimulatedRequest): Readonly<Record<string, unknown>> {
  try {
    const body: unknown = JSON.parse(Buffer.from(request.body).toString());
    return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
