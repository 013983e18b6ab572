import Type, { type Static } from 'typebox';
import type { Handler, Linked } from '../../adapter/adapter.ts';
import type { Found } from '../../adapter/device.ts';
import { outcomeUnknown } from '../../adapter/failures.ts';
import type { Capability } from '../../adapter/fields.ts';
import type { VendorRequest } from '../../adapter/http.ts';
import type { CallSession } from '../../adapter/kit/calls.ts';
import {
  allPages,
  each,
  fits,
  inTurn,
  lenient,
  listedOnce,
  named,
  objectIn,
  PlainId,
  vendorCalls,
  word,
} from '../../adapter/kit/index.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import { AppError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { errorOf, isConsentLost, problemIn, refusals, VehicleState } from './failures.ts';
import { hasValues, lackingIn, problemsIn, type Reading, readingIn, SIGNALS } from './translate.ts';

/** Cars that are asked for one list what they can do: each costs a call, and an app has few for all its users. */
const MOST_ASKED = 10;

/** Powertrains without a battery that could be charged. */
const NOT_ELECTRIC: readonly unknown[] = ['ICE', 'HEV', 'MHEV'];

export async function link(session: Session): Promise<Linked> {
  const user = await userOf(session);
  return { vendorAccount: user, devices: await carsOf(session, user, []) };
}

/** The cars that the user still permits. Throws `vendor.login_expired` once there are none. */
export async function list(session: Session, known: readonly DeviceRef[]): Promise<readonly Found[]> {
  const cars = await carsOf(session, await userOf(session), known);
  if (cars.length > 0 || known.length === 0) return cars;
  throw new AppError(
    'vendor.login_expired',
    'the user has disconnected every car at Smartcar; link the account again',
  );
}

/** Disconnects the cars at Smartcar, where each counts for the plan; other links of the same user keep theirs. */
export async function unlink(session: Session, { isLast }: { readonly isLast: boolean }): Promise<void> {
  if (!isLast) return;
  const id = await userOf(session);
  // No call about a car, which its limits would count.
  const costs = { vehicle_month: 0, vehicle_hour: 0 };
  const request = {
    method: 'DELETE',
    use: 'list',
    path: `/v3/users/${id}`,
    costs,
    repeatable: true,
  } as const;
  await api.command(session, { id }, request);
}

/** The id that the sign-in was confirmed for. */
async function userOf({ http }: Session): Promise<string> {
  const id = (await http.tokenExtra())?.user_id;
  if (fits(PlainId, id)) return id;
  throw new AppError(
    'vendor.login_expired',
    'it is not stored who signed in at Smartcar; link the account again',
  );
}

async function carsOf(session: Session, user: string, known: readonly DeviceRef[]): Promise<Found[]> {
  const connections = await allPages('the connections', (page: number | undefined) =>
    connectionsIn(session, user, { use: 'list' }, page),
  );
  const details = new Map(known.map(({ id, details: stored }) => [id, stored]));
  const cars = listedOnce(connections.flatMap(carIn));
  const wasAsked = ({ id }: Found) => details.get(id)?.lacks !== undefined;
  const asked = inTurn(cars, { most: MOST_ASKED, now: session.clock.now(), wasAsked });
  for (const [id, lacks] of await Promise.all(asked.map((car) => lackingOf(session, car))))
    if (lacks !== undefined) details.set(id, { lacks });
  return cars.map((car) => ({ ...car, details: details.get(car.id) ?? {} }));
}

function carIn({ relationships, attributes }: Connection): Found[] {
  const { permissions, vehicle } = objectIn(attributes);
  const { make, model, powertrainType } = objectIn(vehicle);
  if (NOT_ELECTRIC.includes(powertrainType)) return [];
  const name = [makeIn(make), word(model)].filter((one) => one !== null).join(' ');
  const granted = Array.isArray(permissions) ? permissions.filter((one) => typeof one === 'string') : null;
  return [
    {
      id: relationships.vehicle.data.id,
      type: 'vehicle',
      ...named(name),
      ...(granted === null ? {} : { granted }),
    },
  ];
}

/** VOLKSWAGEN and LAND_ROVER are words; BMW, BYD, KIA and MG are written like that. */
const makeIn = (make: unknown): string | null =>
  word(make)
    ?.replaceAll('_', ' ')
    .replace(/\p{L}{4,}/gu, (part) => part[0] + part.slice(1).toLowerCase()) ?? null;

/**
 * The signals that Smartcar does not have of a car; undefined where it has none at all yet. A car that cannot be asked now counts as one that
 * can do everything, is asked for the next list, and costs the others nothing.
 */
async function lackingOf(session: Session, { id }: Found): Promise<readonly [string, string[] | undefined]> {
  try {
    const reading = await readSignals(session, id, 'list');
    return [id, reading.size === 0 ? undefined : lackingIn(reading)];
  } catch (error) {
    if (error instanceof AppError) return [id, undefined];
    throw error;
  }
}

const READ_FROM = {
  read_battery_soc: SIGNALS.soc,
  read_power: SIGNALS.power,
  read_energy: SIGNALS.energy,
} as const;

/** What a car never reports is no capability of it. */
export function withheldFrom({ details }: Found): readonly Capability[] {
  const lacks: readonly unknown[] = Array.isArray(details?.lacks) ? details.lacks : [];
  const capabilities = Object.keys(READ_FROM) as (keyof typeof READ_FROM)[];
  return capabilities.filter((capability) => lacks.includes(READ_FROM[capability]));
}

const SignalsResponse = lenient({ data: Type.Array(Type.Unknown()) });
/** Smartcar keeps the connection open until the car has answered; the platform gives up soon after this. */
const COMMAND_MS = 13_500;

const pathOf = (id: string) => `/v3/vehicles/${encodeURIComponent(id)}`;

/** All signals that Smartcar has stored of a car: one call. */
async function readSignals(session: Session, id: string, use: 'read' | 'list'): Promise<Reading> {
  const headers = { 'sc-unit-system': 'metric' };
  const about = { use, headers, device: id, what: id } as const;
  return readingIn((await api.get(session, `${pathOf(id)}/signals`, SignalsResponse, about)).data);
}

/** Throws `vendor.login_expired` where the car says nothing but that its maker no longer lets Smartcar in. */
export async function readCar(session: Session, { id }: DeviceRef): Promise<Reading> {
  const reading = await readSignals(session, id, 'read');
  const lost = problemsIn(reading).find(isConsentLost);
  if (lost !== undefined && !hasValues(reading)) throw errorOf(lost, { what: id, use: 'read', device: id });
  return reading;
}

export const startCharge: Handler<'start_charge'> = (session, device) =>
  order(session, device, { name: 'start', already: 'CHARGING_IN_PROGRESS' });

export const stopCharge: Handler<'stop_charge'> = (session, device) =>
  order(session, device, { name: 'stop', already: 'NOT_CHARGING' });

export const setChargeLimit: Handler<'set_charge_limit'> = (session, device, { percent }) =>
  order(session, device, { name: 'set-limit', json: { data: { attributes: { percent } } } });

interface Order {
  readonly name: string;
  readonly json?: JsonObject;
  /** The state of the car in which the command has nothing left to do. */
  readonly already?: string;
}

/**
 * Sends a command and waits for what the car says: a status of 202 has the outcome in its body, good or bad. It is not repeated: the first
 * one may still be under way, and each takes of the car's month.
 */
async function order(session: Session, device: DeviceRef, { name, json, already }: Order): Promise<void> {
  const request = {
    path: `${pathOf(device.id)}/commands/charge/${name}`,
    timeoutMs: COMMAND_MS,
    ...(json === undefined ? {} : { json }),
  };
  try {
    const body = objectIn(await api.command(session, device, request));
    const { value, error } = objectIn(objectIn(objectIn(body.data).attributes).status);
    if (value === 'SUCCESS' && body.errors === undefined) return;
    const problem = problemIn(value === 'ERROR' ? { errors: [error ?? null] } : body);
    if (problem.type === '') throw outcomeUnknown('Smartcar');
    throw errorOf(problem, { what: device.id, use: 'command', device: device.id });
  } catch (error) {
    if (!(error instanceof VehicleState) || error.state !== already) throw error;
  }
}

/** Calls to Smartcar, with what its errors mean. */
const api = vendorCalls('Smartcar', { refusals });

const Related = Type.Object({ data: Type.Object({ id: PlainId }) });
/** What a user permits an app to do with one car (JSON:API). */
const Connection = lenient({ relationships: lenient({ vehicle: Related }, 'user') }, 'attributes');
type Connection = Static<typeof Connection>;
const ConnectionsResponse = lenient({ data: Type.Array(Type.Unknown()) }, 'links', 'meta');

/** Smartcar lists 10 unless more are asked for; clients ask for up to 50. */
const A_PAGE = '50';

/**
 * A page of the connections of one user. Smartcar filters them by a parameter alone, and the token of the app permits all: connections of
 * other users are left out here too. `next` is the number of the next page.
 */
export async function connectionsIn(
  session: CallSession,
  user: string,
  { query, ...request }: Omit<VendorRequest, 'path'>,
  page = 1,
): Promise<{ readonly members: readonly Connection[]; readonly next: number | undefined }> {
  const pages = { 'page[number]': String(page), 'page[size]': A_PAGE };
  const response = await api.get(session, '/v3/connections', ConnectionsResponse, {
    ...request,
    query: { 'filter[userId]': user, ...query, ...pages },
    mostBytes: 4 * 1024 * 1024,
    what: 'the connections',
  });
  const { next } = objectIn(response.links);
  return {
    members: each(response.data, Connection).filter((connection) => userIn(connection).id === user),
    next: typeof next === 'string' && next !== '' ? page + 1 : undefined,
  };
}

/** The user of a connection, and the data that was stored with the last grant. */
export function userIn({ attributes, relationships }: Connection): JsonObject {
  const { id, externalId } = objectIn(objectIn(attributes).user);
  const related = objectIn(objectIn(relationships.user).data).id;
  return { id: related ?? id ?? null, externalId: externalId ?? null };
}
