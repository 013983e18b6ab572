import type {
  SimulatedAnswer,
  SimulatedRequest,
  SimulatorOptions,
  Situation,
  VendorSimulator,
} from '../../adapter/simulator.ts';

import { claimsIn } from '../../adapter/tokens.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import {
  byPassword,
  deviceIn,
  listed,
  type Refusal,
  type SimulatedCall,
  simulatedVendor,
} from '../../proof/simulation/index.ts';
import { drawnW, gridWh, socAfter, WATT_PER_AMPERE } from '../../proof/simulation/physics/car-battery.ts';

const LOGIN = '/api/v5/auth/login';
const REFRESH = '/api/v5/auth/refreshToken';
const ACCESS_SECONDS = 7_200;
/** An eleventh sign-in ends the oldest one. */
const MOST_SIGN_INS = 10;
/** The one of all users: it protects nothing. */
const API_KEY = 'simulated-api-key';

type MakeSignIn = ReturnType<typeof byPassword>;

/**
 * Signing in with the API key in a header; tokens are JWTs that say themselves when they end.
 * @param signedIn is called for each user that signs in, and not for those who renew
 */
function signInWithKey(signedIn: (user: string) => void): MakeSignIn {
  return (context) => {
    const encoded = (json: JsonObject) => Buffer.from(JSON.stringify(json)).toString('base64url');
    const jwtOf = (jti: string, seconds: number) => {
      const exp = Math.floor(context.clock.now() / 1_000) + seconds;
      return `${encoded({ alg: 'none' })}.${encoded({ exp, jti })}.simulated`;
    };
    const inner = byPassword({
      path: LOGIN,
      accessSeconds: ACCESS_SECONDS,
      fields: { user: 'email', password: 'password' },
      signsInAs: (user) => `${user}@chargeamps.simulated`,
      refresh: { path: REFRESH, field: 'refreshToken' },
      answer: ({ access, refresh, seconds }) => ({
        token: jwtOf(access, seconds),
        refreshToken: refresh,
        message: 'simulated',
        user: { id: 'simulated' },
      }),
    })(context);
    /** Tokens of each user's sign-ins, the oldest first. */
    const live = new Map<string, { access: string; refresh: string }[]>();
    const isLive = (of: 'access' | 'refresh', token: string) =>
      [...live.values()].flat().some((one) => one[of] === token);
    const accessIn = ({ headers }: SimulatedRequest) =>
      String(claimsIn((headers.authorization ?? '').replace(/^Bearer /, ''))?.jti);
    const callerWith = (request: SimulatedRequest, access: string) =>
      inner.callerOf({ ...request, headers: { ...request.headers, authorization: `Bearer ${access}` } });

    return {
      ...inner,
      token(request, isLost) {
        // Clients write the path in two ways.
        const path = [LOGIN, REFRESH].find((one) => one.toLowerCase() === request.path.toLowerCase());
        if (path === undefined) return undefined;
        if (request.headers.apikey !== API_KEY) return context.refusal(401, 'the API key is not valid');
        const before = String(
          (JSON.parse(Buffer.from(request.body).toString() || '{}') as JsonObject).refreshToken,
        );
        if (path === REFRESH && !isLive('refresh', before))
          return context.refusal(401, 'the refresh token is not valid');
        const answer = inner.token({ ...request, path }, isLost);
        if (answer?.status !== 200) return answer;
        const { token, refreshToken } = answer.json as { token: string; refreshToken: string };
        const access = String(claimsIn(token)?.jti);
        const user = callerWith(request, access)?.user ?? '';
        const mine = (live.get(user) ?? []).filter(({ refresh }) => path === LOGIN || refresh !== before);
        live.set(user, [...mine, { access, refresh: refreshToken }].slice(-MOST_SIGN_INS));
        if (path === LOGIN) signedIn(user);
        return answer;
      },
      callerOf(request) {
        const access = accessIn(request);
        return isLive('access', access) ? callerWith(request, access) : undefined;
      },
      credentialsOf: (user) => ({ ...inner.credentialsOf(user), api_key: API_KEY }),
    };
  };
}

export const MOST_A = 32;
const VOLTS = 230;

interface SimulatedPoint {
  readonly id: string;
  readonly name: string;
  readonly type: 'HALO' | 'AURA' | 'DAWN';
  /** null with the older firmware, "C-API". */
  readonly ocppVersion: string | null;
  /** States are sent as numbers. */
  readonly sendsNumbers: boolean;
  readonly ownerReadOnly: boolean;
}

interface SimulatedSettings {
  mode: 'On' | 'Off' | 'Schedule';
  rfidLock: boolean;
  cableLock: boolean;
  maxCurrent: number;
  readonly installationCurrent: number | null;
}

/** A connector with a car. */
interface SimulatedConnector {
  readonly id: string;
  readonly number: number;
  readonly type: 'Charger' | 'Schuko';
  readonly point: SimulatedPoint;
  /** As they were set last; the connector follows them a moment later. */
  settings: SimulatedSettings;
  obeyed: SimulatedSettings;
  online: boolean;
  plugged: boolean;
  /** A tag was held to it, or it was started remotely. */
  authorized: boolean;
  /** It was stopped remotely. */
  stopped: boolean;
  sessionId: number;
  startedAt: number;
  /** The charge of the car, percent. */
  soc: number;
  sessionWh: number;
  /** When the energies were so, ms since 1970. */
  at: number;
}

export function newConnector(
  point: SimulatedPoint,
  number: number,
  now: number,
  more: Partial<Pick<SimulatedConnector, 'type' | 'plugged'>> & {
    readonly settings?: Partial<SimulatedSettings>;
  } = {},
): SimulatedConnector {
  const settings: SimulatedSettings = {
    mode: 'On',
    rfidLock: false,
    cableLock: false,
    maxCurrent: MOST_A,
    installationCurrent: null,
    ...more.settings,
  };
  return {
    id: `${point.id}-${number}`,
    number,
    type: more.type ?? 'Charger',
    point,
    settings,
    obeyed: settings,
    online: true,
    plugged: more.plugged ?? false,
    authorized: false,
    stopped: false,
    sessionId: 1,
    startedAt: now,
    soc: 50,
    sessionWh: 0,
    at: now,
  };
}

function offeredA({ plugged, authorized, stopped, obeyed }: SimulatedConnector): number {
  const { mode, rfidLock, maxCurrent, installationCurrent } = obeyed;
  const isAllowed = plugged && mode === 'On' && !stopped && (!rfidLock || authorized);
  const amperes = Math.min(maxCurrent, installationCurrent ?? MOST_A);
  return isAllowed && amperes >= LEAST_A ? amperes : 0;
}

const chargingOf = (connector: SimulatedConnector) => ({
  soc: connector.soc,
  limit: 100,
  offeredW: offeredA(connector) * WATT_PER_AMPERE,
});

export const isCharging = (connector: SimulatedConnector) => drawnW(chargingOf(connector)) > 0;

/** Charges the car until `now`. */
export function advance(connector: SimulatedConnector, now: number): void {
  const soc = socAfter(chargingOf(connector), (now - connector.at) / 1_000);
  connector.sessionWh += gridWh(soc - connector.soc);
  Object.assign(connector, { soc, at: now });
}

const CAPI = ['Available', 'Charging', 'Connected', 'Error', 'Unknown'];
const OCPP = ['Available', 'Preparing', 'Charging', 'SuspendedEVSE', 'SuspendedEV', 'Finishing'];

function stateOf(connector: SimulatedConnector): string {
  const { point, plugged, obeyed, authorized, stopped, soc } = connector;
  const isOlder = point.ocppVersion === null;
  if (!plugged) return 'Available';
  if (isCharging(connector)) return 'Charging';
  if (isOlder) return 'Connected';
  if (stopped) return 'Finishing';
  if (obeyed.rfidLock && !authorized) return 'Preparing';
  return soc >= 100 ? 'SuspendedEV' : 'SuspendedEVSE';
}

function statusJson(connector: SimulatedConnector, now: number): JsonObject {
  advance(connector, now);
  const { point, number, sessionWh, sessionId, startedAt, plugged } = connector;
  const watts = drawnW(chargingOf(connector));
  const state = stateOf(connector);
  const numbers = point.ocppVersion === null ? CAPI : OCPP;
  const current = Math.round((watts / WATT_PER_AMPERE) * 100) / 100;
  return {
    chargePointId: point.id,
    connectorId: number,
    totalConsumptionKwh: Math.round(sessionWh) / 1_000,
    chargingPowerKw: null,
    status: point.sendsNumbers ? String(numbers.indexOf(state)) : state,
    measurements: watts > 0 ? ['L1', 'L2', 'L3'].map((phase) => ({ phase, current, voltage: VOLTS })) : null,
    startTime: plugged ? new Date(startedAt).toISOString() : null,
    endTime: null,
    sessionId: plugged ? sessionId : null,
  };
}

/** Applies the settings. With the newer firmware, mode "Off" does not end a running charge. */
export function obey(connector: SimulatedConnector, settings: SimulatedSettings, now: number): void {
  advance(connector, now);
  const isKept = connector.point.ocppVersion !== null && settings.mode === 'Off' && isCharging(connector);
  connector.obeyed = isKept ? { ...settings, mode: 'On' } : settings;
}

export function arrange(connector: SimulatedConnector, situation: Situation, now: number): void {
  advance(connector, now);
  const maxCurrent = situation === 'plugged_in' ? 0 : MOST_A;
  const settings = { ...connector.settings, mode: 'On' as const, rfidLock: false, maxCurrent };
  Object.assign(connector, {
    settings,
    obeyed: settings,
    plugged: situation === 'plugged_in' || situation === 'charging',
    authorized: false,
    stopped: false,
    startedAt: now,
    sessionId: connector.sessionId + 1,
    soc: 50,
    sessionWh: 0,
  });
}

/** A connector obeys so much later. */
const EFFECT_MS = 1_500;
const LEAST_A = 6;

/** The connectors of one user. */
type Home = SimulatedConnector[];
type Call = SimulatedCall<Home>;

/** More than the contract asks of a simulator, for tests of what is peculiar to Charge Amps. */
export interface ChargeAmpsSimulator extends VendorSimulator {
  readonly connector: (id: string) => SimulatedConnector;
  /** How often each user has signed in with a password. */
  readonly signIns: ReadonlyMap<string, number>;
}

/** Charge Amps' cloud, its charge points and the cars at them. Users sign in as `home@chargeamps.simulated` and so on. */
export function createSimulator(options: SimulatorOptions): ChargeAmpsSimulator {
  const { clock } = options;
  const users = usersAt(clock.now());
  const signIns = new Map<string, number>();
  const later = (effect: () => void) => clock.after(EFFECT_MS, effect);

  function setConnector(connector: SimulatedConnector, { body }: Call): SimulatedAnswer {
    const { point, number } = connector;
    const isWhole =
      body.chargePointId === point.id &&
      body.connectorId === number &&
      ['On', 'Off', 'Schedule'].includes(String(body.mode)) &&
      typeof body.rfidLock === 'boolean' &&
      typeof body.cableLock === 'boolean';
    const { maxCurrent = null } = body;
    if (!isWhole || !isCurrent(maxCurrent) || connector.type === 'Schuko')
      return refusal(400, 'the settings are not valid');
    const { mode, rfidLock, cableLock } = body as unknown as SimulatedSettings;
    const settings = { ...connector.settings, mode, rfidLock, cableLock, maxCurrent };
    connector.settings = settings;
    later(() => obey(connector, settings, clock.now()));
    return { status: 200 };
  }

  function remote(connector: SimulatedConnector, isStart: boolean): SimulatedAnswer {
    advance(connector, clock.now());
    if (!connector.online || !connector.plugged || isCharging(connector) === isStart)
      return refusal(400, isStart ? 'it cannot be started' : 'nothing is charged');
    later(() => {
      advance(connector, clock.now());
      Object.assign(connector, { authorized: isStart, stopped: !isStart });
    });
    return { status: 200 };
  }

  const atPoint =
    (answer: (connectors: Home, point: SimulatedPoint, call: Call) => SimulatedAnswer) => (call: Call) => {
      const connectors = call.home.filter(({ point }) => point.id === call.params.id);
      const [first] = connectors;
      return first === undefined ? undefined : answer(connectors, first.point, call);
    };
  const atConnector =
    (answer: (connector: SimulatedConnector, call: Call) => SimulatedAnswer) => (call: Call) => {
      const found = call.home.find(({ id }) => id === `${call.params.id}-${call.params.number}`);
      return found === undefined ? undefined : answer(found, call);
    };
  const start = atConnector((connector) => remote(connector, true));
  const stop = atConnector((connector) => remote(connector, false));

  const vendor = simulatedVendor<Home, SimulatedConnector>(options, {
    vendor: 'Charge Amps',
    users,
    refusal,
    signIn: signInWithKey((user) => signIns.set(user, (signIns.get(user) ?? 0) + 1)),
    devices: listed((connector, situation) => arrange(connector, situation, clock.now())),
    routes: {
      'GET /api/v5/chargepoints/owned': ({ home }) => ok(pointsOf(home)),
      'GET /api/v5/chargepoints/:id/status': atPoint((connectors, { id }) => {
        const isOnline = connectors.every(({ online }) => online);
        const statuses = connectors.map((one) => statusJson(one, clock.now()));
        return ok({ id, status: isOnline ? 'Online' : 'Offline', connectorStatuses: statuses });
      }),
      'GET /api/v5/chargepoints/:id/settings': atPoint((_connectors, { id }) =>
        ok({ id, dimmer: 'Medium', downLight: true, maxCurrent: MOST_A, installationCurrent: null }),
      ),
      'PUT /api/v5/chargepoints/:id/settings': atPoint((_connectors, { id }, { body }) =>
        body.id === id ? { status: 200 } : refusal(400, 'the settings are not valid'),
      ),
      'PUT /api/v5/chargepoints/:id/reboot': atPoint(() => ({ status: 200 })),
      'GET /api/v5/chargepoints/:id/chargingsessions': atPoint((connectors) =>
        ok(connectors.filter(({ plugged }) => plugged).map((one) => sessionJson(one, clock.now()))),
      ),
      'GET /api/v5/chargepoints/:id/connectors/:number/settings': atConnector((one) => ok(settingsJson(one))),
      'PUT /api/v5/chargepoints/:id/connectors/:number/settings': atConnector(setConnector),
      'PUT /api/v5/chargepoints/:id/connectors/:number/remotestart': start,
      'PUT /api/v5/chargepoints/:id/connectors/:number/remoteStart': start,
      'PUT /api/v5/chargepoints/:id/connectors/:number/remotestop': stop,
      'PUT /api/v5/chargepoints/:id/connectors/:number/remoteStop': stop,
    },
  });

  return {
    ...vendor,
    signIns,
    connector: deviceIn(users),
  };
}

const ok = (json: Json): SimulatedAnswer => ({ status: 200, json });
const refusal: Refusal = (status, title) => ({ status, json: { status, title } });
/** 0 is a pause. */
const isCurrent = (value: unknown): value is number =>
  value === 0 || (typeof value === 'number' && value >= LEAST_A && value <= MOST_A);

function pointsOf(home: Home): JsonObject[] {
  return [...Map.groupBy(home, ({ point }) => point)].map(([point, connectors]) => ({
    id: point.id,
    name: point.name,
    password: 'simulated',
    type: point.type,
    isLoadbalanced: false,
    firmwareVersion: '158',
    hardwareVersion: null,
    ownerReadOnly: point.ownerReadOnly,
    ocppVersion: point.ocppVersion,
    connectors: connectors.map(({ number, type }) => ({
      chargePointId: point.id,
      connectorId: number,
      type,
    })),
  }));
}

const settingsJson = ({ point, number, settings }: SimulatedConnector): JsonObject => ({
  chargePointId: point.id,
  connectorId: number,
  ...settings,
});

const sessionJson = (connector: SimulatedConnector, now: number): JsonObject => {
  const { chargePointId, connectorId, sessionId, totalConsumptionKwh, startTime, endTime } = statusJson(
    connector,
    now,
  );
  const session = { chargePointId, connectorId, totalConsumptionKwh, startTime, endTime };
  return { id: sessionId ?? null, sessionType: 'Simulated', ...(session as JsonObject) };
};

function usersAt(now: number): Readonly<Record<'home' | 'none' | 'large', Home>> {
  const point = (id: string, name: string, more: Partial<SimulatedPoint> = {}): SimulatedPoint => ({
    id,
    name: `${name} (simulated)`,
    type: 'AURA',
    ocppVersion: '1.6',
    sendsNumbers: false,
    ownerReadOnly: false,
    ...more,
  });
  const halo = point('2600000001M', 'Garage', { type: 'HALO', ocppVersion: null });
  const aura = point('2600000002A', 'Driveway', { sendsNumbers: true });
  const dawn = point('2600000003D', 'Guests', { type: 'DAWN', ownerReadOnly: true });
  return {
    home: [
      newConnector(halo, 1, now, { settings: { installationCurrent: 20 } }),
      newConnector(halo, 2, now, { type: 'Schuko' }),
      newConnector(aura, 1, now),
      newConnector(aura, 2, now, { plugged: true, settings: { rfidLock: true } }),
      newConnector(dawn, 1, now),
    ],
    none: [],
    large: Array.from({ length: 250 }, (_, index) =>
      point(`27${String(index).padStart(8, '0')}A`, `Place ${index}`),
    ).flatMap((one) => [newConnector(one, 1, now), newConnector(one, 2, now)]),
  };
}
