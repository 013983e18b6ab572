import type { SimulatedAnswer } from '../../adapter/simulator.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import type { Routes, SimulatedCall } from '../../proof/simulation/routes.ts';
import { chargingState, order, type SimulatedCar, settle, USER_IDS, type User } from './simulated-car.ts';

type Call = SimulatedCall<SimulatedCar[]>;

/** An error of version 2: the fields of the error stand in the body itself. */
const failed = (status: number, type: string, code: string | null = null): SimulatedAnswer => ({
  status,
  json: {
    ...{ type, code, statusCode: status, requestId: 'simulated' },
    description: 'A simulated error.',
    resolution: { type: type === 'PERMISSION' ? 'REAUTHENTICATE' : null },
  },
});

const DONE: SimulatedAnswer = {
  status: 200,
  json: { status: 'success', message: 'Successfully sent request to vehicle' },
};

/** What can be read of a car, with the permission that it takes. */
const READS: Readonly<Record<string, readonly [string, (car: SimulatedCar) => JsonObject]>> = {
  '/': ['read_vehicle_info', ({ id, model: { make, model, year } }) => ({ id, make, model, year })],
  '/battery': [
    'read_battery',
    ({ stored }) => ({
      percentRemaining: Math.round(stored?.soc ?? 0) / 100,
      range: Math.round((stored?.soc ?? 0) * 4),
    }),
  ],
  '/battery/capacity': ['read_battery', () => ({ capacity: 60 })],
  '/charge': [
    'read_charge',
    (car) => ({ isPluggedIn: car.stored?.isPlugged ?? false, state: chargingState(car) }),
  ],
  '/charge/limit': ['read_charge', ({ stored }) => ({ limit: (stored?.limit ?? 0) / 100 })],
};

/**
 * Version 2 of the API, which ends on 1 December 2026, as far as Smartcar's own SDK for Node.js uses it: with tokens of users, and units
 * and the age of the data in headers. elnav does not use it.
 */
export function routesOfVersion2(now: () => number): Routes<SimulatedCar[]> {
  const withCar = (answer: (car: SimulatedCar, call: Call) => SimulatedAnswer) => (call: Call) => {
    const car = call.home.find(({ id }) => id === call.params.id);
    if (car === undefined) return failed(403, 'PERMISSION');
    settle(car, now());
    return answer(car, call);
  };

  function get(car: SimulatedCar, path: string): SimulatedAnswer {
    const read = READS[path];
    if (read === undefined) return failed(404, 'RESOURCE_NOT_FOUND', 'PATH');
    const [permission, body] = read;
    if (!car.granted.includes(permission)) return failed(403, 'PERMISSION');
    if (!car.online) return failed(409, 'VEHICLE_STATE', 'UNREACHABLE');
    const headers = {
      'sc-unit-system': 'metric',
      'sc-data-age': new Date(car.stored?.at ?? now()).toISOString(),
      'sc-request-id': 'simulated',
    };
    return { status: 200, headers, json: body(car) };
  }

  function command(car: SimulatedCar, name: string, percent?: number): SimulatedAnswer {
    if (!car.granted.includes('control_charge')) return failed(403, 'PERMISSION');
    const error = order(car, name, percent);
    return error === undefined ? DONE : failed(409, String(error.type), String(error.code));
  }

  const paths = Object.keys(READS).filter((path) => path !== '/');
  const reads = paths.map(
    (path) => [`GET /v2.0/vehicles/:id${path}`, withCar((car) => get(car, path))] as const,
  );
  return {
    'GET /v2.0/vehicles/': ({ home }) => ({
      status: 200,
      json: { vehicles: home.map(({ id }) => id), paging: { count: home.length, offset: 0 } },
    }),
    'GET /v2.0/user/': ({ user }) => ({ status: 200, json: { id: USER_IDS[user as User] } }),
    'GET /v2.0/vehicles/:id/': withCar((car) => get(car, '/')),
    ...Object.fromEntries(reads),
    'GET /v2.0/vehicles/:id/permissions': withCar(({ granted }) => ({
      status: 200,
      json: { permissions: [...granted], paging: { count: granted.length, offset: 0 } },
    })),
    'POST /v2.0/vehicles/:id/charge': withCar((car, { body }) =>
      command(car, body.action === 'START' ? 'start' : 'stop'),
    ),
    'POST /v2.0/vehicles/:id/charge/limit': withCar((car, { body }) =>
      command(car, 'set-limit', Math.round(Number(body.limit) * 100)),
    ),
    'POST /v2.0/vehicles/:id/batch': withCar((car, { body }) => {
      const asked = Array.isArray(body.requests) ? (body.requests as { path?: Json }[]) : [];
      const responses = asked.map(({ path }) => {
        const { status, json = null, headers = {} } = get(car, String(path));
        return { path: String(path), code: status, body: json, headers };
      });
      return { status: 200, json: { responses } };
    }),
    'DELETE /v2.0/vehicles/:id/application': withCar((car, { home }) => {
      home.splice(home.indexOf(car), 1);
      return { status: 200, json: { status: 'success' } };
    }),
  };
}
