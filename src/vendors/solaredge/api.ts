import Type, { type Static } from 'typebox';
import type { Found } from '../../adapter/adapter.ts';
import { HttpFailure } from '../../adapter/http.ts';
import * as kit from '../../adapter/kit/index.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import { HOUR_MS, QUARTER_MS } from '../../core/durations.ts';
import { AppError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import * as translate from './translate.ts';
import { Details, FAMILIES, type Family, type Reading, readingIn, type SiteReading } from './translate.ts';

const NAME = 'SolarEdge';
const mostBytes = 8 * 1024 * 1024;
/** SolarEdge does not say when the credits of a month are there again. */
const MONTH_RETRY_SECONDS = 6 * 3_600;
/** Quarters can be asked for over 12 hours at most, and on one day of the year an hour comes twice. */
const METERS_MS = 8 * HOUR_MS;
const WINDOW_MS = 2 * HOUR_MS;
/** Of a site that does not say when it was installed: SolarEdge was founded in 2006. */
const BEFORE_ALL = '2006-01-01';

type Place = Details['place'];
const Site = kit.lenient({}, 'name', 'installationDate', 'location', 'lastUpdateTime');
const Devices = Type.Array(Type.Unknown());
const Serial = Type.String({ minLength: 1, maxLength: 64 });
const Listed = kit.lenient(
  { type: Type.Enum(Object.values(FAMILIES)), serialNumber: Serial },
  ...(['name', 'model', 'partNumber', 'active', 'connectedTo'] as const),
);
type Listed = Static<typeof Listed>;
const TELEMETRY = {
  inverters: Type.Object({ inverters: Type.Object({}) }),
  storage: Type.Object({ storage: Type.Object({}) }),
};

/** A 429 of the minute has Retry-After, one of the month has not. */
export function failure(cause: unknown, what: string): AppError | undefined {
  if (!(cause instanceof HttpFailure)) return undefined;
  const { status, retryAfterSeconds } = cause;
  if (status === 429 && retryAfterSeconds === undefined)
    return new AppError(
      'vendor.rate_limited',
      `the credits of the ${NAME} API key for this month are used up`,
      {
        cause,
        retryAfterSeconds: MONTH_RETRY_SECONDS,
      },
    );
  return status === 403
    ? new AppError('vendor.refused', `the ${NAME} API key has no access to ${what}`, { cause })
    : undefined;
}

const api = kit.vendorCalls(NAME, { failure });

/** The ids of the sites of a link, each once. */
export const siteIdsIn = ({ site_ids }: JsonObject): string[] =>
  [...new Set(String(site_ids).match(/\d+/g))].toSorted();

const siteAt = (session: Session, site: string, use: 'list' | 'read') =>
  api.get(session, `/v2/sites/${site}`, Site, { what: `site ${site}`, use });

/** Without `types` only inverters are listed. What was replaced is listed as not active. */
async function devicesAt(session: Session, site: string, use: 'list' | 'read'): Promise<Listed[]> {
  const request = {
    what: `the devices of site ${site}`,
    query: { types: Object.values(FAMILIES) },
    mostBytes,
  };
  const listed = await api.get(session, `/v2/sites/${site}/devices`, Devices, { ...request, use });
  return kit.each(listed, Listed).filter(({ active }) => active !== false);
}

/** The inverters and batteries of the sites that the user named: two calls for each site. */
export async function findDevices(session: Session): Promise<Found[]> {
  const sites = siteIdsIn(session.credentials);
  const found: Found[] = [];
  for (const site of sites) {
    const { name, installationDate, location } = await siteAt(session, site, 'list');
    const listed = await devicesAt(session, site, 'list');
    const families = Object.keys(FAMILIES) as Family[];
    const has = families.filter((family) => listed.some(({ type }) => type === FAMILIES[family]));
    const [since = BEFORE_ALL] = /^\d{4}-\d\d-\d\d/.exec(String(installationDate)) ?? [];
    const place = { site, zone: zoneIn(kit.objectIn(location).timezone), since, has };
    for (const one of listed) {
      const title = [one.name, one.model, one.partNumber]
        .map((text) => kit.word(text))
        .find((text) => text !== null);
      const suffix = sites.length > 1 ? ` (${kit.word(name) ?? site})` : '';
      const batteries = one.type === 'INVERTER' ? batteriesBehind(one, listed) : [];
      const details: Details = { serial: one.serialNumber, place, batteries };
      found.push({
        id: one.serialNumber.replace(/[^\w-]/g, '_'),
        type: one.type === 'BATTERY' ? 'battery' : 'solar_inverter',
        ...kit.named(title && `${title}${suffix}`),
        site,
        details,
      });
    }
  }
  return kit.listedOnce(found);
}

/** The batteries behind an inverter; null where one of them may be behind another. */
function batteriesBehind({ serialNumber }: Listed, listed: readonly Listed[]): string[] | null {
  const inverters = listed.filter(({ type }) => type === 'INVERTER').map((one): unknown => one.serialNumber);
  const batteries = listed.filter(({ type }) => type === 'BATTERY');
  const placed = batteries.filter(({ connectedTo }) => inverters.includes(connectedTo));
  if (inverters.length > 1 && placed.length < batteries.length) return null;
  const behind = inverters.length > 1 ? placed.filter((one) => one.connectedTo === serialNumber) : batteries;
  return behind.map((one) => one.serialNumber);
}

/** A zone of the tz database; without one the site is taken to be in Sweden. */
function zoneIn(zone: unknown): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: String(zone) }).resolvedOptions().timeZone;
  } catch {
    return 'Europe/Stockholm';
  }
}

/** A time as it is asked for: that of the site, without an offset. */
const localTime = (ms: number, zone: string): string =>
  Temporal.Instant.fromEpochMilliseconds(Math.floor(ms))
    .toZonedDateTimeISO(zone)
    .toPlainDateTime()
    .toString({ smallestUnit: 'second' });

/** Metrics of a family, from a local time until now: one call. The default of SolarEdge, the day so far, is refused after noon. */
async function telemetryOf(
  session: Session,
  { site, zone }: Place,
  { family, ...asked }: { readonly family: Family; readonly resolution: string; readonly from: string },
): Promise<JsonObject> {
  const query = { ...asked, to: localTime(session.clock.now(), zone) };
  const request = { what: `the ${family} of site ${site}`, query, mostBytes };
  const body = await api.get(session, `/v2/sites/${site}/${family}/telemetry`, TELEMETRY[family], request);
  return kit.objectIn(kit.objectIn(body)[family]);
}

/** The meters of the inverters, asked for three times a day; quarters are added to them. With each read they would cost as much again. */
async function metersOf(session: Session, place: Place): Promise<Pick<SiteReading, 'meters' | 'years'>> {
  const name = `meters-${place.site}`;
  const now = session.clock.now();
  const stored = await session.documents.get(name);
  if (kit.fits(translate.Meters, stored) && now - stored.until < METERS_MS)
    return { meters: stored, years: {} };
  const asked = { family: 'inverters', resolution: 'YEAR', from: `${place.since}T00:00:00` } as const;
  const years = await telemetryOf(session, place, asked).catch((error: unknown) => {
    // Power is read without it.
    if (error instanceof AppError && error.code === 'vendor.refused') return {};
    throw error;
  });
  const wh: Record<string, number> = {};
  for (const [serial, device] of Object.entries(years)) {
    const total = translate.totalWh(device);
    if (total !== undefined) wh[serial] = total;
  }
  // The years have a part of the running quarter, which is not counted twice; the rest of it is in the next meters.
  const meters = { until: Math.ceil(now / QUARTER_MS) * QUARTER_MS, wh };
  if (Object.keys(wh).length > 0) await session.documents.put(name, meters);
  return { meters, years };
}

/** What SolarEdge has of a site: a call for each family, and one more while no inverter reports. */
async function readSite(session: Session, place: Place, families = place.has): Promise<SiteReading> {
  const now = session.clock.now();
  const hasInverters = families.includes('inverters');
  const none = { meters: { until: now, wh: {} }, years: {} };
  const { meters, years } = hasInverters ? await metersOf(session, place) : none;
  const quarters = (family: Family, from: number) => {
    if (!families.includes(family)) return {};
    return telemetryOf(session, place, {
      family,
      resolution: 'QUARTER_HOUR',
      from: localTime(from, place.zone),
    });
  };
  const inverters = await quarters('inverters', Math.min(meters.until, now - WINDOW_MS));
  const storage = await quarters('storage', now - WINDOW_MS);
  const isQuiet = hasInverters && !translate.isReporting({ inverters, now });
  const heardAt = isQuiet ? kit.timeIn((await siteAt(session, place.site, 'read')).lastUpdateTime) : null;
  return { now, inverters, storage, meters, years, heardAt };
}

const familyOf = ({ type }: DeviceRef): Family => (type === 'battery' ? 'storage' : 'inverters');

/** One device. Telemetry may leave out one that does not report; one that is not listed any more is gone. */
export async function readDevice(session: Session, device: DeviceRef): Promise<Reading> {
  const details = kit.detailsOf(Details, device);
  const { serial, place } = details;
  const family = familyOf(device);
  const site = await readSite(session, place, family === 'storage' ? ['storage'] : place.has);
  const reading = readingIn(site, family, details);
  if (reading !== undefined) return reading;
  const listed = await devicesAt(session, place.site, 'read');
  if (!listed.some(({ serialNumber }) => serialNumber === serial)) throw kit.gone(NAME, device);
  return { online: false };
}

/** The devices of a site together. */
export const sweep = kit.sweepBy<Reading, SiteReading>({
  by: ({ details }) => (kit.fits(Details, details) ? JSON.stringify(details.place) : undefined),
  call: (session, place) => readSite(session, JSON.parse(place) as Place),
  pick: (site, device) => readingIn(site, familyOf(device), kit.detailsOf(Details, device)),
});
