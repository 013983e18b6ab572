import Type, { type Static } from 'typebox';
import type { Linked } from '../../adapter/adapter.ts';
import type { Found } from '../../adapter/device.ts';
import { HttpFailure } from '../../adapter/http.ts';
import * as kit from '../../adapter/kit/index.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import { AppError } from '../../core/errors.ts';
import * as translate from './translate.ts';

const vehicles = kit.vendorCalls('Volvo', { failure, inside: 'data' });
const energy = kit.vendorCalls('Volvo', { failure });

const VEHICLES = '/connected-vehicle/v2/vehicles';
const vehiclePath = (vin: string) => `${VEHICLES}/${encodeURIComponent(vin)}`;
const energyPath = (vin: string) => `/energy/v2/vehicles/${encodeURIComponent(vin)}`;
/** The one media type that Volvo documents; others may be answered 406. */
const headers = { accept: 'application/json' };
const about = (vin: string, use: 'list' | 'read') => ({ use, device: vin, what: vin, headers }) as const;

/** ISO 3779. */
const Listed = Type.Object({ vin: Type.String({ pattern: '^[A-HJ-NPR-Z0-9]{17}$' }) });
const Vehicle = kit.lenient({}, 'fuelType', 'batteryCapacityKWH', 'descriptions');
const Capabilities = kit.lenient({}, 'getEnergyState');

/** Cars that are asked what they are in one list, with three calls each; the others follow in the next ones. */
const MOST_ASKED = 8;

export async function link(session: Session): Promise<Linked> {
  const devices = await list(session, []);
  const vendorAccount = await kit.accountInToken('Volvo', session, { otherwise: devices[0]?.id });
  return { vendorAccount, devices };
}

/** The cars of an account that can be charged. Those that were never asked what they are come first, the rest in turn by day. */
export async function list(session: Session, listedBefore: readonly DeviceRef[]): Promise<Found[]> {
  const request = { use: 'list', what: 'the cars', headers } as const;
  const listed = await vehicles.get(session, VEHICLES, Type.Array(Type.Unknown()), request);
  const vins = kit.each(listed, Listed).map(({ vin }) => vin);
  const stored = new Map(
    listedBefore.map(({ id, details }) => [id, kit.fits(translate.Details, details) ? details : undefined]),
  );
  const cars = new Map(vins.map((vin) => [vin, stored.get(vin)]));
  const wasAsked = (vin: string) => stored.get(vin) !== undefined;
  for (const vin of kit.inTurn(vins, { most: MOST_ASKED, now: session.clock.now(), wasAsked })) {
    const vehicle = await kit.unlessRefused(
      vehicles.get(session, vehiclePath(vin), Vehicle, about(vin, 'list')),
    );
    if (vehicle === undefined) continue;
    if (isElectric(vehicle)) cars.set(vin, await detailsOf(session, { ...vehicle, vin }, cars.get(vin)));
    else cars.delete(vin);
  }
  return [...cars].map(([id, details = {}]) => ({
    id,
    type: 'vehicle',
    ...kit.named(details.model),
    details,
  }));
}

/** A plug-in hybrid is `PETROL/ELECTRIC`, a mild hybrid `PETROL`. */
function isElectric({ fuelType, batteryCapacityKWH }: Static<typeof Vehicle>): boolean {
  const fuel = String(fuelType);
  const isOther = fuel === 'PETROL' || fuel === 'DIESEL';
  return fuel.includes('ELECTRIC') || (!isOther && typeof batteryCapacityKWH === 'number');
}

/** What Volvo has values for: by the energy API, and by `/fuel` where that has no charge level. */
async function detailsOf(
  session: Session,
  { vin, descriptions }: Static<typeof Vehicle> & Static<typeof Listed>,
  before: translate.Details | undefined,
): Promise<translate.Details> {
  const path = `${energyPath(vin)}/capabilities`;
  const said = await kit.unlessRefused(energy.get(session, path, Capabilities, about(vin, 'list')));
  // The energy API refuses supported cars for weeks.
  if (said === undefined && before !== undefined) return before;
  // Wrapped on the wire; clients hand on what is inside.
  const state = kit.objectIn(said?.getEnergyState ?? said);
  const has = (field: string) => kit.objectIn(state[field]).isSupported === true;
  const fuel = has('batteryChargeLevel') ? undefined : await readFuel(session, vin, 'list');
  const soc = translate.socOf({ energy: undefined, fuel, accessibility: undefined });
  const reads: translate.Details['reads'] = [];
  if (has('batteryChargeLevel') || soc !== null) reads.push('read_battery_soc');
  if (has('chargingPower')) reads.push('read_power');
  return { model: kit.word(kit.objectIn(descriptions).model), reads };
}

const readFuel = (session: Session, vin: string, use: 'list' | 'read') =>
  kit.unlessRefused(vehicles.get(session, `${vehiclePath(vin)}/fuel`, translate.Fuel, about(vin, use)));

/**
 * The energy state, whether Volvo reaches the car, and `/fuel` where the energy state has no charge level. The energy API refuses cars for
 * weeks that it supports: what the others say is returned then. Throws `vendor.refused` where all refuse.
 */
export async function readCar(session: Session, device: DeviceRef): Promise<translate.CarReading> {
  const { EnergyState, Accessibility } = translate;
  const path = `${energyPath(device.id)}/state`;
  const other = `${vehiclePath(device.id)}/command-accessibility`;
  const of = about(device.id, 'read');
  const state = await kit.unlessRefused(energy.get(session, path, EnergyState, of));
  const lacksSoc = translate.energySoc({ energy: state }) === null;
  const asksFuel = lacksSoc && !translate.withheldFrom(device).includes('read_battery_soc');
  const fuel = asksFuel ? await readFuel(session, device.id, 'read') : undefined;
  const asked = vehicles.get(session, other, Accessibility, of);
  const isAllRefused = state === undefined && fuel === undefined;
  return { energy: state, fuel, accessibility: await (isAllRefused ? asked : kit.unlessRefused(asked)) };
}

/** A used-up quota of a day has status 403, as a missing permission has: `Quota will be replenished in 03:30:56.` */
const QUOTA = /out of call volume quota(?:.*?(\d{1,3}):(\d\d):(\d\d))?/i;
const UNSTATED_SECONDS = 3_600;
/** An API key that Volvo does not accept has status 401, as an expired token has. */
const API_KEY = /vcc-api-key/i;

/** What Volvo says in words and not by the status. */
function failure(cause: unknown): AppError | undefined {
  if (!(cause instanceof HttpFailure)) return undefined;
  const quota = QUOTA.exec(cause.bodyText());
  if (quota !== null) {
    const [hours = 0, minutes = 0, seconds = 0] = quota.slice(1).map((part) => Number(part ?? 0));
    const retryAfterSeconds = hours * 3_600 + minutes * 60 + seconds || UNSTATED_SECONDS;
    const sentence = 'the calls that Volvo permits an app in a day are used up';
    return new AppError('vendor.rate_limited', sentence, { cause, retryAfterSeconds });
  }
  if (cause.status !== 401 || !API_KEY.test(cause.bodyText())) return undefined;
  const sentence = 'Volvo rejected the API key of this server; the operator must check ELNAV_VOLVO_API_KEY';
  return new AppError('oauth.not_configured', sentence, { cause });
}

/** A rejected API key is the operator's concern: no token is renewed for it, and no user loses a link. */
export const isTokenRefused = ({ status, body }: { readonly status: number; readonly body: string }) =>
  status === 401 && !API_KEY.test(body);
