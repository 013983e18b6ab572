import type {
  SimulatedAnswer,
  SimulatorOptions,
  Situation,
  VendorSimulator,
} from '../../adapter/simulator.ts';

import { claimsIn } from '../../adapter/tokens.ts';
import { DAY_MS, HOUR_MS } from '../../core/durations.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import {
  byOAuth,
  listed,
  ofDevice,
  type Refusal,
  type SimulatedCall,
  simulatedVendor,
} from '../../proof/simulation/index.ts';
import { drawnW, gridWh, socAfter } from '../../proof/simulation/physics/car-battery.ts';

/** What the energy API reports of a model: all, the cable alone, or nothing for the time being. */
const MODELS = {
  EX40: { fuelType: 'ELECTRIC', capacity: 81.6, energy: 'all' },
  XC60: { fuelType: 'PETROL/ELECTRIC', capacity: 11.8, energy: 'cable' },
  C40: { fuelType: 'ELECTRIC', capacity: 78, energy: 'nothing' },
  V90: { fuelType: 'DIESEL', capacity: null, energy: 'nothing' },
} as const;
type Model = keyof typeof MODELS;

/** A simulated car as it reported itself last, at `at`, ms since 1970. */
export interface SimulatedCar {
  readonly id: string;
  readonly model: Model;
  online: boolean;
  at: number;
  /** Percent. */
  soc: number;
  limit: number;
  isPlugged: boolean;
  isStopped: boolean;
}

/** While it charges a car reports itself each minute. */
const REPORT_MS = 60_000;
const OFFERED_W = 11_040;

const mayCharge = ({ isPlugged, isStopped, soc, limit }: SimulatedCar) =>
  isPlugged && !isStopped && soc < limit;
const offered = ({ soc, limit }: SimulatedCar) => ({ soc, limit, offeredW: OFFERED_W });

/** Brings a car to its last report. A car that Volvo does not reach goes on, and reports that later. */
export function settle(car: SimulatedCar, now: number): void {
  const at = now - (now % REPORT_MS);
  if (!car.online || !mayCharge(car) || at <= car.at) return;
  car.soc = socAfter(offered(car), (at - car.at) / 1_000);
  car.at = at;
}

export function newCar(number: number, model: Model, now: number): SimulatedCar {
  const common = { online: true, at: now, soc: 50, limit: 90, isPlugged: true, isStopped: false };
  return { id: `YV1SMLTD0R${String(number).padStart(7, '0')}`, model, ...common };
}

export function arrange(car: SimulatedCar, situation: Situation, now: number): void {
  Object.assign(car, newCar(0, car.model, now), { id: car.id });
  car.isPlugged = situation !== 'off';
  car.isStopped = situation !== 'charging';
}

const iso = (ms: number) => new Date(ms).toISOString();

/** `GET …/vehicles/{vin}` */
function vehicleOf({ id, model }: SimulatedCar): JsonObject {
  const { fuelType, capacity } = MODELS[model];
  return {
    vin: id,
    modelYear: 2024,
    gearbox: 'AUTOMATIC',
    fuelType,
    externalColour: 'Vapour Grey',
    ...(capacity === null ? {} : { batteryCapacityKWH: capacity }),
    images: { exteriorImageUrl: '', internalImageUrl: '' },
    descriptions: { model, upholstery: 'null', steering: 'LEFT' },
  };
}

const SUPPORTED = {
  all: null,
  cable: ['chargerConnectionStatus', 'chargingStatus', 'targetBatteryChargeLevel'],
} as const;
const failed = (code: string): JsonObject => ({ status: 'ERROR', code, message: 'simulated' });

/** The energy state; undefined of a car that the energy API does not have. */
export function energyOf(car: SimulatedCar): Record<string, JsonObject> | undefined {
  const { energy } = MODELS[car.model];
  if (energy === 'nothing') return undefined;
  const updatedAt = iso(car.at).replace(/\.\d+Z$/, 'Z');
  const says = (value: Json, unit?: string): JsonObject => ({
    status: 'OK',
    value,
    ...(unit === undefined ? {} : { unit }),
    updatedAt,
  });
  const isCharging = mayCharge(car);
  const watts = isCharging ? Math.round(drawnW(offered(car))) : 0;
  const hours = isCharging ? gridWh(car.limit - car.soc) / watts : 0;
  const rest = car.soc >= car.limit ? 'DONE' : 'IDLE';
  const level = Math.round(car.soc * 10) / 10;
  const fields: Record<string, JsonObject> = {
    batteryChargeLevel: says(level, 'percentage'),
    electricRange: says(Math.round(car.soc * 4.6), 'km'),
    chargerConnectionStatus: says(car.isPlugged ? 'CONNECTED' : 'DISCONNECTED'),
    chargingStatus: says(isCharging ? 'CHARGING' : rest),
    chargingType: says(car.isPlugged ? 'AC' : 'NONE'),
    chargerPowerStatus: says(isCharging ? 'PROVIDING_POWER' : 'NO_POWER_AVAILABLE'),
    estimatedChargingTimeToTargetBatteryChargeLevel: says(Math.round(hours * 60), 'minutes'),
    chargingCurrentLimit: says(32, 'ampere'),
    targetBatteryChargeLevel: { ...says(car.limit, 'percentage'), updatedAt: iso(car.at - 100 * HOUR_MS) },
    chargingPower: isCharging ? says(watts, 'watts') : failed('PROPERTY_NOT_FOUND'),
  };
  const supported: readonly string[] | null = SUPPORTED[energy];
  return Object.fromEntries(
    Object.entries(fields).map(([field, said]) => [
      field,
      supported === null || supported.includes(field) ? said : failed('NOT_SUPPORTED'),
    ]),
  );
}

/** What the energy API can say of a car; `chargingStatus` has another name here. */
export function capabilitiesOf(car: SimulatedCar): JsonObject | undefined {
  const fields = energyOf(car);
  if (fields === undefined) return undefined;
  const supported = Object.entries(fields).map(([field, { code }]): [string, Json] => [
    field === 'chargingStatus' ? 'chargingSystemStatus' : field,
    { isSupported: code !== 'NOT_SUPPORTED' },
  ]);
  return { getEnergyState: { isSupported: true, ...Object.fromEntries(supported) } };
}

/** `GET …/fuel` */
function fuelOf({ model, soc, at }: SimulatedCar): JsonObject {
  const { fuelType } = MODELS[model];
  const timestamp = iso(at);
  return {
    ...(fuelType === 'ELECTRIC' ? {} : { fuelAmount: { value: '47.3', unit: 'l', timestamp } }),
    ...(fuelType === 'DIESEL' ? {} : { batteryChargeLevel: { value: soc.toFixed(1), unit: '%', timestamp } }),
  };
}

/** `GET …/command-accessibility` */
const accessibilityOf = ({ online, at }: SimulatedCar): JsonObject => ({
  availabilityStatus: {
    value: online ? 'AVAILABLE' : 'UNAVAILABLE',
    ...(online ? {} : { unavailableReason: 'NO_INTERNET' }),
    timestamp: iso(at),
  },
});

type Call = SimulatedCall<SimulatedCar[]>;

const AUTHORIZE = '/as/authorization.oauth2';
const TOKEN = '/as/token.oauth2';
/** A refresh token that is not used for so long is invalid. */
const REFRESH_MS = 7 * DAY_MS;

/** The commands of a car with Google built in, each with its permission; none is about charging. */
const COMMANDS: ReadonlyMap<string, string> = new Map([
  ['LOCK', 'conve:lock'],
  ['LOCK_REDUCED_GUARD', 'conve:lock'],
  ['UNLOCK', 'conve:unlock'],
  ['CLIMATIZATION_START', 'conve:climatization_start_stop'],
  ['CLIMATIZATION_STOP', 'conve:climatization_start_stop'],
]);
const pathOf = (command: string) => command.toLowerCase().replaceAll('_', '-');

const refusal: Refusal = (status, reason) => ({
  status,
  json: { status, error: { message: reason.toUpperCase().replaceAll(' ', '_'), description: reason } },
});
const gateway = (statusCode: number, message: string): SimulatedAnswer => ({
  status: statusCode,
  json: { statusCode, message },
});
const denied = (what: string): SimulatedAnswer => ({
  status: 401,
  json: { status: 401, error: { message: `Access denied due to invalid ${what}.` } },
});
const answered = (json: Json): SimulatedAnswer => ({ status: 200, json });
const asData = (data: Json): SimulatedAnswer => answered({ data });

/** Volvo's sign-in: with PKCE and HTTP Basic only, refresh tokens that are good once and for seven days. */
const byVolvoId = byOAuth({
  authorizePath: AUTHORIZE,
  tokenPath: TOKEN,
  accessSeconds: 299,
  extra: () => ({ id_token: 'simulated' }),
});
const signIn: typeof byVolvoId = (context) => {
  const made = byVolvoId(context);
  const invalid = (error: string, status = 400): SimulatedAnswer => ({ status, json: { error } });
  return {
    ...made,
    page: (request) =>
      request.path === AUTHORIZE && request.query.get('code_challenge_method') !== 'S256'
        ? invalid('invalid_request')
        : made.page(request),
    token(request, isLost) {
      if (request.path !== TOKEN) return undefined;
      if (request.headers.authorization?.startsWith('Basic ') !== true) return invalid('invalid_client', 401);
      const form = new URLSearchParams(Buffer.from(request.body).toString());
      const madeAt = Number(claimsIn(form.get('refresh_token') ?? '')?.at ?? context.clock.now());
      return madeAt + REFRESH_MS < context.clock.now()
        ? invalid('invalid_grant')
        : made.token(request, isLost);
    },
  };
};

/** Volvo's cloud: three APIs behind one gateway that counts calls. */
export function createSimulator(options: SimulatorOptions): VendorSimulator {
  const { now } = options.clock;
  const scoped = (scope: string, answer: (call: Call) => SimulatedAnswer | undefined) => (call: Call) =>
    call.scopes.includes(scope) ? answer(call) : refusal(403, 'forbidden');
  const of = (scope: string, answer: (car: SimulatedCar, call: Call) => SimulatedAnswer | undefined) =>
    scoped(
      scope,
      ofDevice<SimulatedCar>((car, call) => {
        settle(car, now());
        return answer(car, call);
      }),
    );
  const said = (json: JsonObject | undefined) =>
    json === undefined ? gateway(404, 'Resource not found') : answered(json);
  const iso = ({ at }: SimulatedCar) => new Date(at).toISOString();

  const vendor = simulatedVendor<SimulatedCar[], SimulatedCar>(options, {
    vendor: 'Volvo',
    users: {
      home: [
        newCar(1, 'EX40', now()),
        newCar(2, 'XC60', now()),
        newCar(3, 'C40', now()),
        newCar(4, 'V90', now()),
      ],
      none: [],
      large: Array.from({ length: 500 }, (_, index) => newCar(index + 101, 'EX40', now())),
    },
    signIn,
    refusal,
    tokenRefused: denied('token'),
    limits: [
      { name: 'quota', calls: 10_000, seconds: 86_400, of: 'app' },
      { name: 'general_api', calls: 100, seconds: 60, of: 'user' },
      { name: 'invocation_methods', calls: 10, seconds: 60, of: 'user', on: /^POST / },
    ],
    limited: ({ name, resetSeconds }) =>
      name === 'quota'
        ? gateway(403, `Out of call volume quota. Quota will be replenished in ${clockOf(resetSeconds)}.`)
        : gateway(429, `Rate limit is exceeded. Try again in ${resetSeconds} seconds.`),
    routes: {
      'GET /connected-vehicle/v2/vehicles': scoped('conve:vehicle_relation', ({ home }) =>
        asData(home.map(({ id }) => ({ vin: id }))),
      ),
      'GET /connected-vehicle/v2/vehicles/:id': of('conve:vehicle_relation', (car) => asData(vehicleOf(car))),
      'GET /connected-vehicle/v2/vehicles/:id/command-accessibility': of(
        'conve:command_accessibility',
        (car) => asData(accessibilityOf(car)),
      ),
      'GET /connected-vehicle/v2/vehicles/:id/fuel': of('conve:fuel_status', (car) => asData(fuelOf(car))),
      'GET /connected-vehicle/v2/vehicles/:id/odometer': of('conve:odometer_status', (car) =>
        asData({ odometer: { value: 30_000, unit: 'km', timestamp: iso(car) } }),
      ),
      'GET /connected-vehicle/v2/vehicles/:id/engine-status': of('conve:engine_status', (car) =>
        asData({ engineStatus: { value: 'STOPPED', unit: null, timestamp: iso(car) } }),
      ),
      'GET /connected-vehicle/v2/vehicles/:id/statistics': of('conve:trip_statistics', (car) =>
        asData({
          distanceToEmptyBattery: { value: Math.round(car.soc * 4.6), unit: 'km', timestamp: iso(car) },
        }),
      ),
      'GET /connected-vehicle/v2/vehicles/:id/commands': of('conve:commands', ({ id }) =>
        asData(
          [...COMMANDS.keys()].map((command) => ({
            command,
            href: `/v2/vehicles/${id}/commands/${pathOf(command)}`,
          })),
        ),
      ),
      'POST /connected-vehicle/v2/vehicles/:id/commands/:command': of('openid', (car, { params, scopes }) => {
        const [, scope] = [...COMMANDS].find(([command]) => pathOf(command) === params.command) ?? [];
        if (scope === undefined) return refusal(422, 'unprocessable entity');
        if (!scopes.includes(scope)) return refusal(403, 'forbidden');
        const invokeStatus = car.online ? 'COMPLETED' : 'VEHICLE_IN_SLEEP';
        return asData({ vin: car.id, invokeStatus, message: '' });
      }),
      'GET /energy/v2/vehicles/:id/capabilities': of('energy:capability:read', (car) =>
        said(capabilitiesOf(car)),
      ),
      'GET /energy/v2/vehicles/:id/state': of('energy:state:read', (car) => said(energyOf(car))),
      'GET /location/v1/vehicles/:id/location': of('location:read', (car) =>
        asData({
          type: 'Feature',
          properties: { timestamp: iso(car), heading: '90' },
          geometry: { type: 'Point', coordinates: [11.97, 57.71, 0] },
        }),
      ),
    },
    devices: {
      ...listed<SimulatedCar>((car, situation) => arrange(car, situation, now())),
      reach(car, isReachable) {
        settle(car, now());
        car.online = isReachable;
      },
    },
  });
  const isKey = (key: string | undefined) =>
    options.partner === undefined ? key !== undefined : key === options.partner.apiKey;
  return {
    ...vendor,
    async handle(request) {
      const { accept, 'vcc-api-key': key } = request.headers;
      if (request.path.startsWith('/as/')) return vendor.handle(request);
      if (!isKey(key)) return denied('VCC-API-KEY');
      const isAcceptable = accept === undefined || ['application/json', '*/*'].includes(accept);
      return isAcceptable ? vendor.handle(request) : refusal(406, 'not acceptable');
    },
  };
}

/** `03:30:56` */
function clockOf(seconds: number): string {
  const parts = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  return parts.map((part) => String(part).padStart(2, '0')).join(':');
}
