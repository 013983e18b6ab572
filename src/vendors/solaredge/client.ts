import Type, { type Static } from 'typebox';
import type { Found } from '../../adapter/device.ts';
import { HttpFailure } from '../../adapter/http.ts';
import * as kit from '../../adapter/kit/index.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import { HOUR_MS } from '../../core/durations.ts';
import { AppError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { asleepIn, batteryIn, Details, hasValues, type Reading, solarIn } from './translate.ts';

const NAME = 'SolarEdge';
/** SolarEdge does not say when the credits of a month are there again. */
const MONTH_RETRY_SECONDS = 6 * 3_600;
const WINDOW_MS = 2 * HOUR_MS;
/** SolarEdge was founded in 2006. */
const BEFORE_ALL = Date.UTC(2000, 0, 1);

const Site = kit.lenient({}, 'name', 'lastUpdateTime');
const Listed = kit.lenient(
  {
    type: Type.Enum(['INVERTER', 'BATTERY']),
    serialNumber: Type.String({ minLength: 1, maxLength: 64 }),
  },
  ...(['name', 'model', 'partNumber', 'active'] as const),
);
type Listed = Static<typeof Listed>;
const Series = kit.lenient({ values: Type.Array(Type.Unknown()) }, 'unit');
const Storage = Type.Object({ storage: Type.Record(Type.String(), Type.Unknown()) });

/** A 429 of the minute has Retry-After, one of the month has not. */
export function failure(cause: unknown, what: string): AppError | undefined {
  if (!(cause instanceof HttpFailure)) return undefined;
  const { status, retryAfterSeconds } = cause;
  if (status === 403)
    return new AppError('vendor.refused', `the ${NAME} API key has no access to ${what}`, { cause });
  if (status !== 429 || retryAfterSeconds !== undefined) return undefined;
  const sentence = `the credits of the ${NAME} API key for this month are used up`;
  return new AppError('vendor.rate_limited', sentence, { cause, retryAfterSeconds: MONTH_RETRY_SECONDS });
}

const api = kit.vendorCalls(NAME, { failure });

/** The ids of the sites of a link, each once. */
export const siteIdsIn = ({ site_ids }: JsonObject): string[] =>
  [...new Set(String(site_ids).match(/\d+/g))].toSorted();

const siteAt = (session: Session, site: string, use: 'list' | 'read') =>
  api.get(session, `/v2/sites/${site}`, Site, { what: `site ${site}`, use });

/** Without `types` only inverters are listed. What was replaced is listed as not active. */
async function devicesAt(session: Session, site: string, use: 'list' | 'read'): Promise<Listed[]> {
  const request = { what: `the devices of site ${site}`, query: { types: ['INVERTER', 'BATTERY'] }, use };
  const listed = await api.get(session, `/v2/sites/${site}/devices`, Type.Array(Type.Unknown()), request);
  return kit.each(listed, Listed).filter(({ active }) => active !== false);
}

/** The inverters of each site that the user named, as one device, and its batteries: two calls for each site. */
export async function findDevices(session: Session): Promise<Found[]> {
  const sites = siteIdsIn(session.credentials);
  const found: Found[] = [];
  for (const site of sites) {
    const { name } = await siteAt(session, site, 'list');
    const listed = await devicesAt(session, site, 'list');
    if (listed.some(({ type }) => type === 'INVERTER'))
      found.push({ id: site, type: 'solar_inverter', ...kit.named(name), ...at(site, null) });
    const suffix = sites.length > 1 ? ` (${kit.word(name) ?? site})` : '';
    for (const { serialNumber, ...one } of listed.filter(({ type }) => type === 'BATTERY')) {
      const title = kit.word(one.name) ?? kit.word(one.model) ?? kit.word(one.partNumber);
      const id = serialNumber.replace(/[^\w-]/g, '_');
      const called = kit.named(title && `${title}${suffix}`);
      found.push({ id, type: 'battery', ...called, ...at(site, serialNumber) });
    }
  }
  return kit.listedOnce(found);
}

const at = (site: string, serial: string | null) => ({ site, details: { site, serial } satisfies Details });

/** A span of time, ms since 1970. The default of SolarEdge, the day so far, is too long for quarters after noon. */
const span = (from: number, to: number) => ({ from: moment(from), to: moment(to) });
const moment = (ms: number) => new Date(ms).toISOString().replace(/\.\d+/, '');

const quarters = (now: number) => ({ resolution: 'QUARTER_HOUR', ...span(now - WINDOW_MS, now) });
const ever = (now: number) => ({ resolution: 'TOTAL', ...span(BEFORE_ALL, now) });

/** What the panels of a site have produced: two calls, and one more while no inverter reports. Undefined where none ever has. */
async function readSolar(session: Session, site: string): Promise<Reading | undefined> {
  const now = session.clock.now();
  const energy = (query: ReturnType<typeof quarters>) =>
    api.get(session, `/v2/sites/${site}/energy`, Series, {
      what: `the energy of site ${site}`,
      query: { ...query, unit: 'WH' },
    });
  const recent = await energy(quarters(now));
  // Production is read without it.
  const total = await kit.unlessRefused(energy(ever(now)));
  const reading = solarIn(recent, total, now);
  if (reading.online) return reading;
  if (total !== undefined && !hasValues(total)) return undefined;
  return asleepIn(reading, (await siteAt(session, site, 'read')).lastUpdateTime, now);
}

/** Finds a device in what was read together. */
type Finder = (device: DeviceRef) => Reading | undefined;

/** The inverters of a site, or all its batteries in one call. */
async function readTogether(session: Session, device: DeviceRef): Promise<Finder> {
  const { site, serial } = kit.detailsOf(Details, device);
  if (serial === null) {
    const reading = await readSolar(session, site);
    return () => reading;
  }
  const now = session.clock.now();
  const request = { what: `the batteries of site ${site}`, query: quarters(now) };
  const { storage } = await api.get(session, `/v2/sites/${site}/storage/telemetry`, Storage, request);
  return (one) => batteryIn(kit.objectIn(storage), kit.detailsOf(Details, one).serial ?? '', now);
}

/** One device. Telemetry may leave out a battery that does not report; what is not listed any more is gone. */
export async function readDevice(session: Session, device: DeviceRef): Promise<Reading> {
  const reading = (await readTogether(session, device))(device);
  if (reading !== undefined) return reading;
  const { site, serial } = kit.detailsOf(Details, device);
  const listed = await devicesAt(session, site, 'read');
  const isIt = ({ type, serialNumber }: Listed) =>
    serial === null ? type === 'INVERTER' : serialNumber === serial;
  if (!listed.some(isIt)) throw kit.gone(NAME, device);
  return { online: false };
}

export const sweep = kit.sweepBy<Reading, Finder>({
  by: ({ type, details }) => (kit.fits(Details, details) ? `${type} ${details.site}` : undefined),
  call: (session, _group, [device]) => readTogether(session, device),
  pick: (find, device) => find(device),
});
