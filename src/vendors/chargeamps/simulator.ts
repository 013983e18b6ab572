import type { SimulatedAnswer, SimulatorOptions, VendorSimulator } from '../../adapter/simulator.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import {
  deviceIn,
  listed,
  type Refusal,
  type SimulatedCall,
  simulatedVendor,
} from '../../simulation/index.ts';
import {
  advance,
  arrange,
  isCharging,
  MOST_A,
  newConnector,
  obey,
  type SimulatedConnector,
  type SimulatedPoint,
  type SimulatedSettings,
  statusJson,
} from './simulated-connector.ts';
import { signInWithKey } from './simulated-sign-in.ts';

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
