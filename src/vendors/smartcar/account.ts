import type { Found, Linked } from '../../adapter/adapter.ts';
import type { Capability } from '../../adapter/capabilities.ts';
import {
  allPages,
  fits,
  inTurn,
  listedOnce,
  named,
  objectIn,
  PlainId,
  word,
} from '../../adapter/kit/index.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import { AppError } from '../../core/errors.ts';
import { readSignals } from './car.ts';
import { api, type Connection, connectionsIn } from './connections.ts';
import { lackingIn, SIGNALS } from './translate.ts';

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
