import { createHmac } from 'node:crypto';
import type {
  FaultCodes,
  SimulatedAnswer,
  SimulatorOptions,
  VendorSimulator,
} from '../../adapter/simulator.ts';

import type { Json, JsonObject } from '../../core/json.ts';
import {
  listed,
  type Refusal,
  type SimulatedCall,
  simulatedVendor,
  simulatedWebhooks,
} from '../../proof/simulation/index.ts';
import {
  arrangeCar,
  homesAt,
  order,
  REPORTED_AFTER_MS,
  type SimulatedCar,
  type StoredSignal,
  settle,
  storedSignals,
  USER_IDS,
  type User,
} from './simulated-car.ts';

import { type Consent, signInAt } from './simulated-sign-in.ts';
import { routesOfVersion2 } from './simulated-version-2.ts';

/** Each call reports a lost consent; the token of the app is not lost with it. */
export const faultCodes = {} as const satisfies FaultCodes;

const VEHICLE_API = 'https://vehicle.api.smartcar.com/v3';
const HOUR_MS = 3_600_000;
const MONTH_MS = 30 * 24 * HOUR_MS;
/** Smartcar has raised the limit of this app from 120 an hour. */
const RAISED = { calls: 6_000, seconds: 3_600, of: 'app', on: /^\w+ \/v[23]/ } as const;
const DEFAULT_PAGE = 10;
const MOST_A_PAGE = 100;
/** Cars of which the first delivery is posted when their user signs in. */
const MOST_FIRST = 10;

/** An error of version 3. */
export const failed = (
  status: number,
  { type, code = null, resolution = null }: JsonObject,
  headers: Record<string, string> = {},
): SimulatedAnswer => ({
  status,
  headers,
  json: { errors: [{ type: type ?? null, code, status: String(status), resolution: { type: resolution } }] },
});

const TYPES: Readonly<Record<number, JsonObject>> = {
  401: { type: 'AUTHENTICATION', code: 'UNAUTHORIZED' },
  403: { type: 'AUTHENTICATION', code: 'ACCESS_DENIED' },
  404: { type: 'RESOURCE_NOT_FOUND', code: 'PATH' },
  429: { type: 'RATE_LIMIT', code: 'SMARTCAR_API', resolution: 'RETRY_LATER' },
  500: { type: 'SERVER', code: 'INTERNAL' },
};
const refusal: Refusal = (status) => failed(status, TYPES[status] ?? { type: 'VALIDATION' });

/** The statuses that errors of commands have. */
const STATUSES: Readonly<Record<string, number>> = { VEHICLE_STATE: 409, UPSTREAM: 502, COMPATIBILITY: 501 };

type Call = SimulatedCall<SimulatedCar[]>;

/** Smartcar's cloud: Connect, connections in pages, signals as they were stored, commands, limits of cars, and webhooks. */
export function createSimulator(options: SimulatorOptions): VendorSimulator {
  const { clock } = options;
  const { now } = clock;
  const homes = homesAt(now());
  let events = 0;
  const webhooks = simulatedWebhooks(options, {
    secret: 'management_token',
    sign: (body, secret) => ({ 'sc-signature': createHmac('sha256', secret).update(body).digest('hex') }),
  });

  /** A new consent takes the place of the one before, car by car; the webhook of the app has its address below ours. */
  function consented({ user, scopes, externalId, redirectUri }: Consent): void {
    webhooks.subscribe(user, new URL('/webhooks/smartcar', redirectUri).href);
    for (const [index, car] of homes[user].entries()) {
      const granted = car.permits.filter((permission) => scopes.includes(permission));
      Object.assign(car, { granted, externalId, connectedAt: now() });
      if (index < MOST_FIRST && car.model.powertrainType !== 'ICE')
        post(user, car, [{ type: 'FIRST_DELIVERY' }]);
    }
  }

  function post(user: User, car: SimulatedCar, triggers: Json[]): void {
    settle(car, now());
    events += 1;
    const { make, model, year, powertrainType } = car.model;
    webhooks.post(user, {
      eventId: `simulated-${now()}-${events}`,
      eventType: 'VEHICLE_STATE',
      data: {
        user: { id: USER_IDS[user], externalId: car.externalId },
        vehicle: { id: car.id, make, model, year, mode: 'live', powertrainType },
        signals: storedSignals(car).map(({ code, body, error, at }) => ({
          code,
          status: error === undefined ? { value: 'SUCCESS' } : { value: 'ERROR', error },
          ...(body === undefined ? {} : { body }),
          ...(at === undefined ? {} : { meta: { oemUpdatedAt: at, retrievedAt: at + 1_000 } }),
        })),
      },
      triggers,
      meta: {
        version: '4.0',
        deliveryId: `d-${events}`,
        deliveredAt: now(),
        webhookName: 'Simulated',
        mode: 'LIVE',
      },
    });
  }

  /** A call about a car that the user has permitted, within the limits of the car. */
  const aboutCar =
    (permission: string, answer: (car: SimulatedCar, call: Call) => SimulatedAnswer) => (call: Call) => {
      if (!call.scopes.includes('of one user'))
        return failed(400, { type: 'VALIDATION', code: 'MISSING_PARAMETER' });
      const car = call.home.find(({ id }) => id === call.params.id);
      if (car === undefined) return failed(404, { type: 'RESOURCE_NOT_FOUND', code: 'PATH' });
      const over = overLimit(car, now());
      if (over !== undefined) return over;
      if (permission !== '' && !car.granted.includes(permission))
        return failed(403, { type: 'PERMISSION', resolution: 'REAUTHENTICATE' });
      settle(car, now());
      return answer(car, call);
    };

  function command(car: SimulatedCar, { params, body, user }: Call): SimulatedAnswer {
    const name = params.name ?? '';
    const { percent } = (((body.data ?? {}) as JsonObject).attributes ?? {}) as JsonObject;
    const isValid =
      name !== 'set-limit' || (Number.isInteger(percent) && Number(percent) >= 50 && Number(percent) <= 100);
    if (!isValid) return failed(400, { type: 'VALIDATION', code: 'INVALID_INPUT_FORMAT' });
    const error = order(car, name, percent);
    if (error === undefined)
      clock.after(REPORTED_AFTER_MS, () =>
        post(user as User, car, [{ type: 'SIGNAL_UPDATED', signal: { code: 'charge-ischarging' } }]),
      );
    const isSlow = car.model.isSlow === true;
    if (error !== undefined && !isSlow) return failed(STATUSES[String(error.type)] ?? 500, error);
    return {
      status: isSlow ? 202 : 200,
      json: {
        data: {
          id: `exec_${now()}`,
          type: 'command-execution',
          attributes: {
            commandType: `charge-${name}`,
            status: error === undefined ? { value: 'SUCCESS' } : { value: 'ERROR', error },
            executionMode: isSlow ? 'async' : 'sync',
            parameters: percent === undefined ? {} : { percent },
          },
          meta: { executedAt: iso(now()), completedAt: iso(now()), durationInSeconds: 0 },
        },
      },
    };
  }

  const signals = (car: SimulatedCar): SimulatedAnswer => {
    const data = storedSignals(car).map((signal) => signalOf(car, signal));
    const { make, model, year } = car.model;
    return {
      status: 200,
      json: {
        data,
        meta: { page: 1, pageSize: data.length, totalCount: data.length },
        links: { self: `${VEHICLE_API}/vehicles/${car.id}/signals` },
        included: { vehicle: { id: car.id, type: 'vehicle', attributes: { make, model, year } } },
      },
    };
  };

  const vehicle = ({ id, model: { make, model, year, powertrainType } }: SimulatedCar): SimulatedAnswer => {
    const attributes = { make, model, year, powertrainType, mode: 'live' };
    return { status: 200, json: { data: { id, type: 'vehicle', attributes } } };
  };

  return simulatedVendor<SimulatedCar[], SimulatedCar>(options, {
    vendor: 'Smartcar',
    users: homes,
    signIn: signInAt(consented),
    refusal,
    loginLost: failed(400, {
      type: 'CONNECTED_SERVICES_ACCOUNT',
      code: 'AUTHENTICATION_FAILED',
      resolution: 'REAUTHENTICATE',
    }),
    limits: [RAISED],
    routes: {
      'GET /v3/connections': (call) => ({ status: 200, json: connections(call, homes) }),
      'DELETE /v3/users/:user': ({ params, home }) => {
        if (!Object.values<string | undefined>(USER_IDS).includes(params.user)) return undefined;
        home.length = 0;
        return { status: 204 };
      },
      'GET /v3/vehicles/:id': aboutCar('', vehicle),
      // As Smartcar's own SDK asks.
      'GET /v3/vehicles/:id/': aboutCar('', vehicle),
      'GET /v3/vehicles/:id/signals': aboutCar('', signals),
      'GET /v3/vehicles/:id/signals/:code': aboutCar('', (car, { params }) => {
        const found = storedSignals(car).find(({ code }) => code === params.code);
        return found === undefined
          ? failed(404, { type: 'RESOURCE_NOT_FOUND', code: 'SIGNAL_NOT_FOUND' })
          : { status: 200, json: { data: signalOf(car, found) } };
      }),
      'POST /v3/vehicles/:id/commands/charge/:name': aboutCar('control_charge', command),
      ...routesOfVersion2(now),
    },
    devices: listed((car, situation) => arrangeCar(car, situation, now())),
  });
}

const iso = (at: number) => new Date(at).toISOString();

/** A signal as a response has it: times are ISO text, and one that the car cannot give has been asked for and no more. */
function signalOf({ id, at: now }: SimulatedCar, { code, body, error, at }: StoredSignal): JsonObject {
  return {
    id: code,
    type: 'signal',
    attributes: {
      code,
      name: code.split('-')[1] ?? '',
      group: code.split('-')[0] ?? '',
      status: error === undefined ? { value: 'SUCCESS' } : { value: 'ERROR', error },
      ...(body === undefined ? {} : { body }),
    },
    meta: {
      ingestedAt: iso(now),
      ...(at === undefined ? {} : { retrievedAt: iso(at + 1_000), oemUpdatedAt: iso(at) }),
    },
    links: { self: `${VEHICLE_API}/vehicles/${id}/signals/${code}` },
  };
}

/** The plan of the app pays so many calls about a car in a month; its maker allows so many in an hour. */
function overLimit({ limits, calls }: SimulatedCar, now: number): SimulatedAnswer | undefined {
  if (limits === undefined) return undefined;
  while ((calls[0] ?? now) <= now - MONTH_MS) calls.shift();
  const lately = calls.filter((at) => at > now - HOUR_MS);
  if (calls.length >= limits.month)
    return failed(430, { type: 'BILLING', code: 'VEHICLE_REQUEST_LIMIT', resolution: 'CONTACT_SUPPORT' });
  if (lately.length >= limits.hour) {
    const seconds = Math.ceil(((lately[0] ?? now) + HOUR_MS - now) / 1_000);
    const limited = { type: 'RATE_LIMIT', code: 'VEHICLE', resolution: 'RETRY_LATER' };
    return failed(429, limited, { 'retry-after': String(seconds) });
  }
  calls.push(now);
  return undefined;
}

/** A page of connections, those of a user or of a reference where a parameter names one; the header makes no difference. */
function connections({ query }: Call, homes: Record<User, SimulatedCar[]>): JsonObject {
  const reference = query.get('filter[user.externalId]');
  const named = query.get('filter[userId]');
  const all = (Object.entries(homes) as [User, SimulatedCar[]][])
    .filter(([user]) => named === null || USER_IDS[user] === named)
    .flatMap(([user, cars]) => cars.map((car) => ({ user, car })))
    .filter(({ car }) => reference === null || car.externalId === reference);
  const size = Math.min(Number(query.get('page[size]') ?? DEFAULT_PAGE), MOST_A_PAGE);
  const page = Number(query.get('page[number]') ?? 1);
  const isLast = page * size >= all.length;
  const linkTo = (number: number) =>
    `${VEHICLE_API}/connections?page%5Bnumber%5D=${number}&page%5Bsize%5D=${size}`;
  return {
    data: all.slice((page - 1) * size, page * size).map(({ user, car }) => connectionOf(user, car)),
    meta: { pageNumber: page, pageSize: size, totalCount: all.length },
    links: { self: linkTo(page), first: linkTo(1), next: isLast ? null : linkTo(page + 1) },
  };
}

function connectionOf(user: User, car: SimulatedCar): JsonObject {
  const { make, model, year, powertrainType } = car.model;
  return {
    id: car.connection,
    type: 'connection',
    attributes: {
      permissions: [...car.granted],
      vehicle: { make, model, year, mode: 'live', powertrainType },
      user: { id: USER_IDS[user], ...(car.externalId === null ? {} : { externalId: car.externalId }) },
    },
    relationships: {
      vehicle: { data: { id: car.id, type: 'vehicle' } },
      user: { data: { id: USER_IDS[user], type: 'user' } },
    },
    meta: { createdAt: iso(car.connectedAt), updatedAt: iso(car.connectedAt) },
    links: { self: `${VEHICLE_API}/connections/${car.connection}` },
  };
}
