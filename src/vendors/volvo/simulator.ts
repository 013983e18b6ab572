import type { SimulatedAnswer, SimulatorOptions, VendorSimulator } from '../../adapter/simulator.ts';
import { claimsIn } from '../../adapter/token-claims.ts';
import { DAY_MS } from '../../core/durations.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import {
  byOAuth,
  listed,
  ofDevice,
  type Refusal,
  type SimulatedCall,
  simulatedVendor,
} from '../../simulation/index.ts';
import {
  accessibilityOf,
  arrange,
  capabilitiesOf,
  energyOf,
  fuelOf,
  newCar,
  type SimulatedCar,
  settle,
  vehicleOf,
} from './simulated-car.ts';

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
