import { Compile } from 'typebox/compile';
import type { Found, Linked } from '../../adapter/adapter.ts';
import type { Capability } from '../../adapter/capabilities.ts';
import type { Session } from '../../adapter/session.ts';
import { accountName, accountRegion, listProducts, siteInfo } from './client.ts';
import { ListedCar, ListedSite, type SiteComponents } from './payloads.ts';
import type { Region } from './regions.ts';

const cars = Compile(ListedCar);
const sites = Compile(ListedSite);

/** Finds the account's region, its cars, and its sites that have a battery or solar cells. */
export async function link(session: Session): Promise<Linked> {
  const region = await accountRegion(session);
  const vendorAccount = await accountName(session, region);
  const devices = new Map<string, Found>();
  for (const product of await listProducts(session, region)) {
    const found = cars.Check(product)
      ? carFound(product, region)
      : sites.Check(product)
        ? await siteFound(session, product, region)
        : undefined;
    if (found !== undefined) devices.set(`${found.type}/${found.id}`, found);
    else
      session.log.debug('tesla: a product is passed over that is no car and no site with battery or cells');
  }
  return { vendorAccount, devices: [...devices.values()] };
}

const LONGEST_NAME = 200;

function nameIn(given: unknown): { readonly name?: string } {
  return typeof given === 'string' && given !== '' ? { name: given.slice(0, LONGEST_NAME) } : {};
}

function carFound({ vin, display_name }: ListedCar, region: Region): Found {
  return { id: vin, type: 'vehicle', ...nameIn(display_name), details: { region } };
}

async function siteFound(session: Session, site: ListedSite, region: Region): Promise<Found | undefined> {
  const id = String(site.energy_site_id);
  const { site_name, components } =
    site.components === undefined ? await siteInfo(session, region, id) : site;
  const type = typeOf(components);
  if (type === undefined) return undefined;
  const hasSolar = components?.solar === true;
  return { id, type, ...nameIn(site_name ?? site.site_name), details: { region, solar: hasSolar } };
}

function typeOf(components: SiteComponents | undefined): 'battery' | 'solar_inverter' | undefined {
  if (components?.battery === true) return 'battery';
  return components?.solar === true ? 'solar_inverter' : undefined;
}

/** A battery without solar cells produces nothing. */
export function withheldFrom({ details }: Found): readonly Capability[] {
  return details?.solar === true ? [] : ['read_production'];
}
