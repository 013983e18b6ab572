import Type, { type Static, type TSchema } from 'typebox';
import type { Linked, NextStep } from '../../adapter/adapter.ts';
import { type Found, HOUSE_METERS } from '../../adapter/device.ts';
import { type Capability, CONTROL_CAPABILITIES } from '../../adapter/fields.ts';
import type { VendorRequest } from '../../adapter/http.ts';
import {
  each,
  houseMeters,
  lenient,
  listedOnce,
  named,
  objectIn,
  vendorCalls,
  word,
} from '../../adapter/kit/index.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import { AppError, type ErrorCodeName } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { failure, hostOf, NO_PROXY, type Region, refusals, regionNamed, regionOf } from './failures.ts';
import { AS_DATA } from './limits.ts';

const tesla = vendorCalls('Tesla', { failure, refusals, inside: 'response' });

interface Call extends Omit<VendorRequest, 'host'> {
  readonly region: Region;
  /** Commands may have an address of their own. */
  readonly to?: 'api' | 'commands';
  /** What it is about, for sentences. */
  readonly what?: string;
}

/** A call to the Fleet API, or to the proxy that signs commands. */
function call<S extends TSchema>(
  session: Session,
  { region, to = 'api', what = 'the account', ...request }: Call,
  schema: S,
): Promise<Static<S>> {
  // Tesla asks for the header on calls without a body, too.
  const headers = request.json === undefined ? { 'content-type': 'application/json' } : {};
  return tesla.send(session, { headers, ...request, host: hostOf(to, region) }, schema, what);
}

/** The same about one device; a meter is asked for with its site, whose limit it shares. */
export function callAbout<S extends TSchema>(
  session: Session,
  { id, type, details }: DeviceRef,
  { path, ...request }: Omit<Call, 'region' | 'device' | 'what'>,
  schema: S,
): Promise<Static<S>> {
  const [kind, word] = type === 'vehicle' ? ['vehicles', 'car'] : ['energy_sites', 'energy site'];
  const named = typeof details.site === 'string' ? details.site : id;
  const below = `/api/1/${kind}/${encodeURIComponent(named)}${path}`;
  const about = { region: regionOf(details), device: named, path: below, what: `the ${word} ${named}` };
  return call(session, { ...about, ...request }, schema);
}

const Me = lenient({}, 'vault_uuid', 'email');
const Products = Type.Array(Type.Unknown());
/** ISO 3779. `command_signing` is `required`, `allowed` or `off`. */
const ListedCar = lenient(
  { vin: Type.String({ pattern: '^[A-HJ-NPR-Z0-9]{17}$' }) },
  'display_name',
  'command_signing',
);
type ListedCar = Static<typeof ListedCar>;
const SiteInfo = lenient({}, 'site_name', 'components');
const Id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
const ListedSite = lenient({ energy_site_id: Id }, 'site_name', 'components');
type ListedSite = Static<typeof ListedSite>;
/** Which cars have the key of this service, and which take signed commands alone. */
const FleetStatus = lenient({}, 'key_paired_vins', 'unpaired_vins', 'vehicle_info');
type FleetStatus = Static<typeof FleetStatus>;

/** Where to ask first: either region names the one of an account that is elsewhere. Tokens for China come from another sign-in. */
const ASKED_FOR_REGION = ['eu', 'na'] as const satisfies readonly Region[];

/** Finds the account's region, its cars, and its sites that have a battery or solar cells. */
export async function link(session: Session): Promise<Linked> {
  const region = await accountRegion(session);
  const me = await call(session, { region, use: 'list', path: '/api/1/users/me' }, Me);
  const vendorAccount = word(me.vault_uuid, 200) ?? word(me.email, 200);
  if (vendorAccount === null)
    throw new AppError('vendor.answer_invalid', "Tesla's response does not name the account");
  return { vendorAccount, devices: await devicesIn(session, region, []) };
}

/** The account's cars and sites as they are now; an account stays in its region. */
export async function list(session: Session, known: readonly DeviceRef[]): Promise<readonly Found[]> {
  const [first] = known;
  const region = first === undefined ? await accountRegion(session) : regionOf(first.details);
  return devicesIn(session, region, known);
}

async function devicesIn(
  session: Session,
  region: Region,
  known: readonly DeviceRef[],
): Promise<readonly Found[]> {
  const listed = await call(session, { region, use: 'list', path: '/api/1/products' }, Products);
  const cars = each(listed, ListedCar);
  const before = new Map(known.map(({ id, details }) => [id, details]));
  // Asking costs, and a car that has our key goes on having it: new cars and those that do not have it yet are asked about.
  const open = cars.filter(({ vin }) => !before.has(vin) || before.get(vin)?.paired === false);
  const status = await fleetStatus(session, region, open);
  const sites = each(listed, ListedSite).map((site) => siteFound(session, site, region));
  const found = [
    ...cars.map((car) => carFound(session, car, { region, status, before: before.get(car.vin) })),
    ...(await Promise.all(sites)).flat(),
  ];
  return listedOnce(found);
}

/** The region of the account. A region where this service is not registered, or the account is not, does not answer. */
async function accountRegion(session: Session): Promise<Region> {
  let refusal: unknown;
  for (const region of ASKED_FOR_REGION) {
    try {
      const request = { region, path: '/api/1/users/region', use: 'list' } as const;
      const response = regionNamed(await call(session, request, lenient({}, 'region', 'fleet_api_base_url')));
      if (response !== undefined) return response;
      const sentence = 'Tesla names a region of the account that elnav does not support';
      throw new AppError('vendor.answer_invalid', sentence);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'vendor.refused') throw error;
      refusal ??= error;
    }
  }
  throw refusal;
}

/** Cars of one question. */
const MOST_CARS = 100;

/** A used-up credit keeps nobody from linking either. */
const UNANSWERED: readonly ErrorCodeName[] = [
  'vendor.refused',
  'vendor.answer_invalid',
  'vendor.rate_limited',
];

/** Which cars have our key and which take signed commands alone; that Tesla does not say it keeps nobody from linking. */
async function fleetStatus(
  session: Session,
  region: Region,
  cars: readonly ListedCar[],
): Promise<readonly FleetStatus[]> {
  const all: FleetStatus[] = [];
  const request = { region, method: 'POST', path: '/api/1/vehicles/fleet_status', use: 'list' } as const;
  for (let from = 0; from < cars.length; from += MOST_CARS) {
    const vins = cars.slice(from, from + MOST_CARS).map(({ vin }) => vin);
    try {
      all.push(await call(session, { ...request, json: { vins }, costs: AS_DATA }, FleetStatus));
    } catch (error) {
      if (!(error instanceof AppError) || !UNANSWERED.includes(error.code)) throw error;
      session.log.warn({ err: error }, 'tesla: it is unknown which cars have the key of this service');
    }
  }
  return all;
}

interface Knowing {
  readonly region: Region;
  readonly status: readonly FleetStatus[];
  /** What an earlier list kept of the car. */
  readonly before: JsonObject | undefined;
}

function carFound(
  session: Session,
  { vin, display_name, command_signing }: ListedCar,
  { region, status, before }: Knowing,
): Found {
  const infos = status.map(({ vehicle_info: cars }) => objectIn(objectIn(cars)[vin]));
  const required = infos
    .map(({ vehicle_command_protocol_required: is }) => is)
    .find((is) => typeof is === 'boolean');
  const wasSigned = before === undefined ? command_signing === 'required' : before.commands !== 'plain';
  const isSigned = required ?? wasSigned;
  const isIn = (list: unknown) => Array.isArray(list) && list.includes(vin);
  const isPaired = status.some(({ key_paired_vins: vins }) => isIn(vins));
  const isUnpaired = status.some(({ unpaired_vins: vins }) => isIn(vins));
  const hasProxy = session.hasOwnAddress(hostOf('commands', region));
  const commands = !isSigned ? 'plain' : hasProxy ? 'signed' : 'without_proxy';
  const paired = isPaired || isUnpaired ? isPaired : before?.paired;
  const details = { region, commands, ...(paired === undefined ? {} : { paired }) };
  return { id: vin, type: 'vehicle', ...named(display_name), details };
}

/** A site with a battery or solar cells and its meters, else nothing; accounts whose list does not say what it has are asked for it. */
async function siteFound(session: Session, site: ListedSite, region: Region): Promise<Found[]> {
  const id = String(site.energy_site_id);
  const about = { region, use: 'list', device: id, what: `the energy site ${id}` } as const;
  const { site_name, components } =
    site.components === undefined
      ? await call(session, { ...about, path: `/api/1/energy_sites/${id}/site_info` }, SiteInfo)
      : site;
  const { battery, solar, grid, load_meter } = objectIn(components);
  if (battery !== true && solar !== true) return [];
  const type = battery === true ? 'battery' : 'solar_inverter';
  const meters = HOUSE_METERS.filter((one) => (one === 'grid' ? grid : load_meter) === true);
  return [
    { id, type, ...named(site_name ?? site.site_name), details: { region, solar: solar === true } },
    ...houseMeters(id, meters, { details: { region, site: id } }),
  ];
}

/** A battery without solar cells produces nothing. */
export const withheldFromSite = ({ details }: Found): readonly Capability[] =>
  details?.solar === true ? [] : ['read_production'];

/** A car that takes signed commands alone obeys nobody without a proxy that signs them. */
export const withheldFromCar = ({ details }: Found): readonly Capability[] =>
  details?.commands === 'without_proxy' ? CONTROL_CAPABILITIES : [];

export const whyWithheld = ({ details }: Pick<Found, 'details'>): string | undefined =>
  details?.commands === 'without_proxy'
    ? `this car accepts signed commands only; ${NO_PROXY}, and the account must then be linked again`
    : undefined;

export const PAIR_KEY_WORDS: NextStep['words'] = {
  en: {
    title: 'Approve in the Tesla app',
    text: 'One thing is left: your car takes commands only from services that you have approved in the Tesla app. Open the link on the phone that has the app.',
  },
  sv: {
    title: 'Godkänn i Tesla-appen',
    text: 'En sak återstår: bilen tar bara emot kommandon från tjänster som du har godkänt i Tesla-appen. Öppna länken på telefonen där appen finns.',
  },
};

/** Whether the key has to be added to a car; null where nobody knows, and for one that takes commands without it. */
export const needsKey = ({ details }: Pick<Found, 'details'>): boolean | null =>
  details?.commands === 'signed' && typeof details.paired === 'boolean' ? !details.paired : null;

export const keyUrl = ({ domain }: { readonly domain: string }): string =>
  `https://tesla.com/_ak/${encodeURIComponent(domain)}`;

/** Owners of cars that take signed commands add our key to them, in Tesla's app. */
export function nextSteps(
  devices: readonly Pick<Found, 'id' | 'details'>[],
  { domain }: { readonly domain: string },
): NextStep[] {
  const unpaired = devices.filter((device) => needsKey(device) === true).map(({ id }) => id);
  const url = keyUrl({ domain });
  return unpaired.length === 0 ? [] : [{ id: 'pair_key', url, devices: unpaired, words: PAIR_KEY_WORDS }];
}
