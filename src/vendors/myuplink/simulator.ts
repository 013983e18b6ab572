import type {
  SimulatedAnswer,
  SimulatedRequest,
  SimulatorOptions,
  Situation,
  VendorSimulator,
} from '../../adapter/simulator.ts';

import type { Json, JsonObject } from '../../core/json.ts';
import {
  byOAuth,
  listed,
  ofDevice,
  type Refusal,
  type SimulatedCall,
  simulatedVendor,
} from '../../proof/simulation/index.ts';
import {
  boostMs,
  nameOf,
  newPump,
  pointsOf,
  type SimulatedPump,
  settle,
  writePoint,
  ZONE,
  zonesOf,
} from './simulated-pump.ts';

type Home = SimulatedPump[];
type Call = SimulatedCall<Home>;

const FIRMWARE = '9682R7';
const OK: SimulatedAnswer = { status: 200 };
const refusal: Refusal = (status, reason) => ({
  status,
  json: { type: 'about:blank', title: reason, status },
});
const stateOf = ({ online }: SimulatedPump) => (online ? 'Connected' : 'Disconnected');
const productOf = (pump: SimulatedPump) => ({
  serialNumber: pump.id.split('-')[2] ?? '',
  name: nameOf(pump),
});
const languageOf = ({ headers }: SimulatedRequest) =>
  headers['accept-language']?.startsWith('sv') === true ? 'sv' : 'en';

/** myUplink's cloud: systems in pages, devices as lists of points, a limit for all who call with one client id. */
export function createSimulator(options: SimulatorOptions): VendorSimulator {
  const { now } = options.clock;
  const reading =
    (answer: (call: Call) => SimulatedAnswer | undefined) =>
    (call: Call): SimulatedAnswer | undefined =>
      call.scopes.includes('READSYSTEM') ? answer(call) : refusal(403, 'READSYSTEM is missing');
  const writing = (
    answer: (pump: SimulatedPump, body: JsonObject, call: Call) => SimulatedAnswer | undefined,
  ) =>
    ofDevice<SimulatedPump>((pump, call) => {
      if (!call.scopes.includes('WRITESYSTEM')) return refusal(403, 'WRITESYSTEM is missing');
      if (!pump.isPremium) return refusal(403, 'Forbidden');
      settleOnline(pump, now());
      return answer(pump, call.body, call);
    });
  const vendor = simulatedVendor<Home, SimulatedPump>(options, {
    vendor: 'myUplink',
    users: usersAt(now()),
    signIn: byOAuth({
      authorizePath: '/oauth/authorize',
      tokenPath: '/oauth/token',
      accessSeconds: 3_600,
      extra: (_user, scopes) => ({ scope: scopes.join(' ') }),
    }),
    refusal,
    limits: [{ calls: 25, seconds: 60, of: 'app' }],
    limited: ({ calls, resetSeconds }) => ({
      ...refusal(429, 'API calls quota exceeded'),
      headers: {
        'ratelimit-limit': String(calls),
        'ratelimit-remaining': '0',
        'ratelimit-reset': String(resetSeconds),
      },
    }),
    routes: {
      'GET /v2/protected-ping': () => ({ status: 204 }),
      'GET /v2/systems/me': reading(({ home, query }) => ({ status: 200, json: systemsPage(home, query) })),
      'GET /v2/systems/:system/subscriptions': reading(({ home, params }) => {
        const first = home.find(({ systemId }) => systemId === params.system);
        const subscriptions = first?.isPremium === true ? [{ type: 'manage', validUntil: null }] : [];
        return first === undefined ? undefined : { status: 200, json: { subscriptions } };
      }),
      'GET /v2/systems/:system/notifications/active': reading(({ query }) => ({
        status: 200,
        json: { page: Number(query.get('page') ?? 1), itemsPerPage: 10, numItems: 0, notifications: [] },
      })),
      'GET /v2/systems/:system/smart-home-mode': reading(() => ({
        status: 200,
        json: { smartHomeMode: 'Default' },
      })),
      'GET /v2/devices/:id': reading(ofDevice((pump) => ({ status: 200, json: deviceOf(pump) }))),
      'GET /v2/devices/:id/points': reading(
        ofDevice((pump, { query, request }) => {
          settleOnline(pump, now());
          const wanted = query.get('parameters')?.split(',');
          const points = pointsOf(pump, languageOf(request));
          return {
            status: 200,
            json:
              wanted === undefined
                ? points
                : points.filter((one) => wanted.includes(String(one.parameterId))),
          };
        }),
      ),
      'GET /v2/devices/:id/smart-home-zones': reading(
        ofDevice((pump) => ({ status: 200, json: zonesOf(pump) })),
      ),
      'PATCH /v2/devices/:id/points': writing((pump, body) => {
        const ids = Object.keys(body);
        if (ids.length === 0 || !ids.every((id) => writePoint(pump, id, body[id] ?? null)))
          return refusal(400, 'Invalid parameter or value');
        return {
          status: 200,
          json: { status: 200, payload: Object.fromEntries(ids.map((id) => [id, 'modified'])) },
        };
      }),
      'PATCH /v2/devices/:id/zones/:zone': writing((pump, { setpointHeat }, { params }) => {
        if (zonesOf(pump).length === 0 || params.zone !== ZONE) return undefined;
        if (typeof setpointHeat !== 'number' || setpointHeat < 5 || setpointHeat > 35)
          return refusal(400, 'Invalid setpoint');
        if (pump.online) pump.target = setpointHeat;
        return OK;
      }),
    },
    devices: {
      ...listed<SimulatedPump>((pump, situation) => arrange(pump, situation, now())),
      intervene(pump, { isNeeded }) {
        pump.isPremium = !isNeeded;
        return true;
      },
      reach(pump, isReachable) {
        settleOnline(pump, now());
        pump.at = now();
        pump.online = isReachable;
      },
    },
  });
  return {
    ...vendor,
    // The one call that wants no token.
    handle: async (request) =>
      request.method === 'GET' && request.path === '/v2/ping' ? { status: 204 } : vendor.handle(request),
  };
}

/** A device that is not connected goes on from where it was. */
function settleOnline(pump: SimulatedPump, now: number): void {
  if (pump.online) settle(pump, now);
}

function systemsPage(home: Home, query: URLSearchParams): JsonObject {
  const page = Number(query.get('page') ?? 1);
  const itemsPerPage = Math.min(100, Number(query.get('itemsPerPage') ?? 10));
  const systems = [...Map.groupBy(home, ({ systemId }) => systemId)].map(
    ([systemId, pumps]): Json => ({
      systemId,
      name: 'Simulated house',
      securityLevel: 'admin',
      hasAlarm: false,
      country: 'Sweden',
      devices: pumps.map((pump) => ({
        id: pump.id,
        connectionState: stateOf(pump),
        currentFwVersion: FIRMWARE,
        product: productOf(pump),
      })),
    }),
  );
  const shown = systems.slice((page - 1) * itemsPerPage, page * itemsPerPage);
  return { page, itemsPerPage, numItems: systems.length, systems: shown };
}

const deviceOf = (pump: SimulatedPump): JsonObject => ({
  id: pump.id,
  connectionState: stateOf(pump),
  firmware: { currentFwVersion: FIRMWARE, desiredFwVersion: FIRMWARE },
  product: productOf(pump),
  availableFeatures: {
    settings: true,
    boostHotWater: true,
    boostVentilation: true,
    getZones: zonesOf(pump).length > 0,
  },
});

/** Brings a device into a situation that a check of its commands begins in. */
function arrange(pump: SimulatedPump, situation: Situation, now: number): void {
  const isCold = situation === 'cold';
  // A curve that is moved by −5 heats to 15 °C.
  Object.assign(pump, { at: now, celsius: isCold ? 17 : 22, target: 15, offset: -5 });
  pump.boostEndsAt = situation === 'on' ? now + boostMs : null;
}

/** Every way in which a model is set, none, 500, and one without the subscription that permits changes; by user name. */
function usersAt(now: number) {
  return {
    home: [
      newPump(1, 'F730', now),
      newPump(2, 'S735', now),
      newPump(3, 'SMO', now),
      newPump(4, 'F1155', now),
      newPump(5, 'HOIAX', now),
    ],
    none: [],
    large: Array.from({ length: 500 }, (_, index) => newPump(index + 101, 'F730', now)),
    basic: [newPump(11, 'F730', now, { isPremium: false })],
  };
}
