import type { Static } from 'typebox';
import type { Found, Linked, NextStep } from '../../adapter/adapter.ts';
import { type Capability, CONTROL_CAPABILITIES } from '../../adapter/capabilities.ts';
import { each, fits } from '../../adapter/kit/index.ts';
import type { Session } from '../../adapter/session.ts';
import { AppError, type ErrorCodeName } from '../../core/errors.ts';
import { call } from './calls.ts';
import { NO_PROXY } from './failures.ts';
import { AS_DATA } from './limits.ts';
import {
  FleetCar,
  FleetStatus,
  ListedCar,
  ListedSite,
  Me,
  Products,
  type SiteComponents,
  SiteInfo,
  UserRegion,
} from './payloads.ts';
import { hostOf, type Region, regionNamed } from './regions.ts';

/** Where to ask first: whoever lives elsewhere is told so by either. Tokens for China come from another sign-in. */
const ASKED_FOR_REGION = ['eu', 'na'] as const satisfies readonly Region[];
const ACCOUNT = 'the account';

/** Finds the account's region, its cars, and its sites that have a battery or solar cells. */
export async function link(session: Session): Promise<Linked> {
  const region = await accountRegion(session);
  const me = await call(session, { region, path: '/api/1/users/me', use: 'list' }, Me, ACCOUNT);
  const vendorAccount = me.response.vault_uuid || me.response.email;
  if (!vendorAccount)
    throw new AppError('vendor.answer_invalid', "Tesla's response does not name the account");
  const listed = await call(session, { region, path: '/api/1/products', use: 'list' }, Products, ACCOUNT);
  const cars = each(listed.response, ListedCar);
  const sites = each(listed.response, ListedSite);
  const status = await fleetStatus(session, region, cars);
  const found = [
    ...cars.map((car) => carFound(session, car, { region, status })),
    ...(await Promise.all(sites.map((site) => siteFound(session, site, region)))),
  ].filter((one) => one !== undefined);
  return {
    vendorAccount,
    devices: [...new Map(found.map((one) => [`${one.type}/${one.id}`, one])).values()],
  };
}

/** The region of the account. A region where this service is not registered, or the account is not, does not answer. */
async function accountRegion(session: Session): Promise<Region> {
  let refusal: unknown;
  for (const region of ASKED_FOR_REGION) {
    try {
      const { response } = await call(
        session,
        { region, path: '/api/1/users/region', use: 'list' },
        UserRegion,
        ACCOUNT,
      );
      const named = regionNamed(response);
      if (named !== undefined) return named;
      throw new AppError(
        'vendor.answer_invalid',
        'Tesla names a region of the account that is not known here',
      );
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
const UNTOLD: ReadonlySet<ErrorCodeName> = new Set([
  'vendor.refused',
  'vendor.answer_invalid',
  'vendor.rate_limited',
]);

type Status = Static<typeof FleetStatus>['response'];

/** Which cars know our key and which take signed commands alone; that Tesla does not say it keeps nobody from linking. */
async function fleetStatus(
  session: Session,
  region: Region,
  cars: readonly ListedCar[],
): Promise<readonly Status[]> {
  const all: Status[] = [];
  for (let from = 0; from < cars.length; from += MOST_CARS) {
    const vins = cars.slice(from, from + MOST_CARS).map(({ vin }) => vin);
    const request = { method: 'POST', json: { vins }, use: 'list', costs: AS_DATA } as const;
    try {
      const { response } = await call(
        session,
        { region, path: '/api/1/vehicles/fleet_status', ...request },
        FleetStatus,
        ACCOUNT,
      );
      all.push(response);
    } catch (error) {
      if (!(error instanceof AppError) || !UNTOLD.has(error.code)) throw error;
      session.log.warn({ err: error }, 'tesla: it is not known which cars know the key of this service');
    }
  }
  return all;
}

const has = (list: unknown, vin: string) => Array.isArray(list) && list.includes(vin);

function carFound(
  session: Session,
  { vin, display_name, command_signing }: ListedCar,
  { region, status }: { readonly region: Region; readonly status: readonly Status[] },
): Found {
  const infos = status.map(({ vehicle_info: cars }) => (cars as Record<string, unknown> | null)?.[vin]);
  const info = infos.find((one) => fits(FleetCar, one));
  const isSigned = info?.vehicle_command_protocol_required ?? command_signing === 'required';
  const isPaired = status.some(({ key_paired_vins: vins }) => has(vins, vin));
  const isUnpaired = status.some(({ unpaired_vins: vins }) => has(vins, vin));
  const commands = !isSigned
    ? 'plain'
    : session.hasOwnAddress(hostOf('commands', region))
      ? 'signed'
      : 'without_proxy';
  const paired = isPaired || isUnpaired ? { paired: isPaired } : {};
  return { id: vin, type: 'vehicle', ...nameIn(display_name), details: { region, commands, ...paired } };
}

const nameIn = (given: unknown): { readonly name?: string } =>
  typeof given === 'string' && given !== '' ? { name: given } : {};

async function siteFound(session: Session, site: ListedSite, region: Region): Promise<Found | undefined> {
  const id = String(site.energy_site_id);
  const { site_name, components } =
    site.components === undefined ? (await siteInfo(session, region, id)).response : site;
  const type = typeOf(components);
  if (type === undefined) return undefined;
  const solar = components?.solar === true;
  return { id, type, ...nameIn(site_name ?? site.site_name), details: { region, solar } };
}

/** What a site consists of, for accounts whose list does not say it. */
const siteInfo = (session: Session, region: Region, id: string) =>
  call(
    session,
    {
      region,
      path: `/api/1/energy_sites/${encodeURIComponent(id)}/site_info`,
      use: 'list',
      device: id,
    },
    SiteInfo,
    `the energy site ${id}`,
  );

function typeOf(components: SiteComponents | undefined): 'battery' | 'solar_inverter' | undefined {
  if (components?.battery === true) return 'battery';
  return components?.solar === true ? 'solar_inverter' : undefined;
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

/** Owners of cars that take signed commands add our key to them, in Tesla's app. */
export function nextSteps(
  devices: readonly Pick<Found, 'id' | 'details'>[],
  { domain }: { readonly domain: string },
): NextStep[] {
  const unpaired = devices
    .filter(({ details }) => details?.commands === 'signed' && details.paired === false)
    .map(({ id }) => id);
  if (unpaired.length === 0) return [];
  return [
    {
      id: 'pair_key',
      url: `https://tesla.com/_ak/${encodeURIComponent(domain)}`,
      devices: unpaired,
      words: {
        en: {
          title: 'Approve in the Tesla app',
          text: 'One thing is left: your car takes commands only from services that you have approved in the Tesla app. Open the link on the phone that has the app.',
        },
        sv: {
          title: 'Godkänn i Tesla-appen',
          text: 'En sak återstår: bilen tar bara emot kommandon från tjänster som du har godkänt i Tesla-appen. Öppna länken på telefonen där appen finns.',
        },
      },
    },
  ];
}
