import { HOUR_MS, MINUTE_MS, QUARTER_MS } from '../../core/durations.ts';
import type { JsonObject } from '../../core/json.ts';
import { dayAt, SWEDISH_ZONE } from '../../core/swedish-days.ts';
import { Temporal } from '../../core/temporal.ts';
import { sineOfSunHeight } from '../../proof/simulation/physics/sun.ts';
import { between, houseLoadA } from '../../proof/simulation/physics/week.ts';

/** How long a call may ask for, by resolution. */
const MOST_MS: Readonly<Record<string, number>> = {
  QUARTER_HOUR: 12 * HOUR_MS,
  HOUR: 24 * HOUR_MS,
  DAY: 31 * 24 * HOUR_MS,
  YEAR: Number.POSITIVE_INFINITY,
  TOTAL: Number.POSITIVE_INFINITY,
};

interface Window extends Span {
  readonly resolution: string;
}

/** The requested range and fields, or the fault of the query. Without a range: the day so far. */
export function windowIn(query: URLSearchParams, now: number): Window | string {
  const resolution = query.get('resolution') ?? 'QUARTER_HOUR';
  const most = MOST_MS[resolution];
  if (most === undefined) return `resolution ${resolution} is not supported`;
  const today = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(SWEDISH_ZONE).startOfDay();
  const [from, to] = [timeOf(query.get('from'), today.epochMilliseconds), timeOf(query.get('to'), now)];
  if (from === undefined || to === undefined) return 'from and to are no times';
  if (to - from > most) return `the period is too long for resolution ${resolution}`;
  return { from, to, resolution };
}

/** With an offset, or in the local time of the site. */
function timeOf(text: string | null, otherwise: number): number | undefined {
  if (text === null) return otherwise;
  const [, local = '', offset] =
    /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?)(Z|[+-]\d\d:\d\d)?$/.exec(text) ?? [];
  if (local === '') return undefined;
  return offset === undefined
    ? Temporal.PlainDateTime.from(local).toZonedDateTime(SWEDISH_ZONE).epochMilliseconds
    : Temporal.Instant.from(text).epochMilliseconds;
}

/** The vendor's form of a time: that of the site, with its offset. */
export const timestampOf = (ms: number): string =>
  Temporal.Instant.fromEpochMilliseconds(ms)
    .toZonedDateTimeISO(SWEDISH_ZONE)
    .toString({ timeZoneName: 'never', smallestUnit: 'second' });

type Of = (quarter: Quarter) => number;

interface Metric {
  readonly unit: string;
  readonly of: Of;
  /** A sum of quarters; others are a mean. */
  readonly isSum?: boolean;
}

const round = (value: number) => Math.round(value * 1e4) / 1e4;

/** Values of a metric, one for each bucket that begins in the window; null where nothing arrived. */
function valuesOf(
  site: SimulatedSite,
  device: SimulatedDevice,
  of: Asked,
  { of: read, isSum }: Metric,
): JsonObject[] {
  const { window, now } = of;
  const bucketMs = window.resolution === 'QUARTER_HOUR' ? QUARTER_MS : HOUR_MS;
  const values: JsonObject[] = [];
  for (let at = Math.ceil(window.from / bucketMs) * bucketMs; at < window.to; at += bucketMs) {
    const inBucket: number[] = [];
    for (let quarter = at; quarter < at + bucketMs; quarter += QUARTER_MS) {
      const done = arrived(site, device, { at: quarter, now });
      if (done !== undefined) inBucket.push(read(done));
    }
    const sum = inBucket.reduce((total, value) => total + value, 0);
    const value = inBucket.length === 0 ? null : round(isSum === true ? sum : sum / inBucket.length);
    values.push({ timestamp: timestampOf(at), value });
  }
  return values;
}

interface Asked {
  readonly window: Window;
  readonly now: number;
}
const INVERTER: Readonly<Record<string, Metric>> = {
  power: { unit: 'KW', of: ({ power }) => power / 1_000 },
  energy: { unit: 'WH', of: ({ power }) => power * HOURS, isSum: true },
  voltage: { unit: 'VOLT', of: () => 231.4 },
  current: { unit: 'AMPERE', of: ({ power }) => power / 231.4 },
  frequency: { unit: 'HERTZ', of: () => 50.01 },
};
const BATTERY: Readonly<Record<string, Metric>> = {
  chargePower: { unit: 'W', of: ({ power }) => Math.max(0, power) },
  dischargePower: { unit: 'W', of: ({ power }) => Math.max(0, -power) },
  chargeEnergy: { unit: 'WH', of: ({ power }) => Math.max(0, power) * HOURS, isSum: true },
  dischargeEnergy: { unit: 'WH', of: ({ power }) => Math.max(0, -power) * HOURS, isSum: true },
  stateOfEnergy: { unit: 'PERCENTAGE', of: ({ soc }) => soc },
  remainingEnergy: { unit: 'KWH', of: ({ soc }) => (soc / 100) * 9.7 },
};
const METER: Readonly<Record<string, Metric>> = {
  productionPower: { unit: 'W', of: ({ power }) => power },
  productionEnergy: { unit: 'WH', of: ({ power }) => power * HOURS, isSum: true },
};
const METRICS = { INVERTER, BATTERY, METER };

/** The telemetry of a device. */
export function metricsOf(site: SimulatedSite, device: SimulatedDevice, asked: Asked): JsonObject {
  advance(site, asked.now);
  const { resolution } = asked.window;
  return Object.fromEntries(
    Object.entries(METRICS[device.type]).map(([name, metric]) => [
      name,
      { unit: metric.unit, resolution, values: valuesOf(site, device, asked, metric) },
    ]),
  );
}

/** What the site as a whole makes of its panels, mean watt or watt-hours by bucket: batteries are taken out. */
export function siteValues(site: SimulatedSite, asked: Asked, kind: 'power' | 'energy'): JsonObject[] {
  const { window, now } = asked;
  advance(site, now);
  const { resolution, from, to } = window;
  if (resolution === 'TOTAL' || resolution === 'YEAR') {
    const hasInverters = site.devices.some(({ type, active }) => type === 'INVERTER' && active);
    const value = hasInverters ? producedBetween(site, window, now) : null;
    return [{ timestamp: timestampOf(from), value }];
  }
  const bucketMs = resolution === 'QUARTER_HOUR' ? QUARTER_MS : HOUR_MS;
  const values: JsonObject[] = [];
  for (let at = Math.ceil(from / bucketMs) * bucketMs; at < to; at += bucketMs) {
    const inBucket: number[] = [];
    for (let quarter = at; quarter < at + bucketMs; quarter += QUARTER_MS) {
      const wh = producedBy(site, { at: quarter, now });
      if (wh !== undefined) inBucket.push(wh);
    }
    const sum = inBucket.reduce((wh, one) => wh + one, 0);
    const value = kind === 'energy' ? sum : sum / (HOURS * inBucket.length);
    values.push({ timestamp: timestampOf(at), value: inBucket.length === 0 ? null : round(value) });
  }
  return values;
}

/** When the day began. */
export const dayOf = (now: number): Window => ({
  from: Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(SWEDISH_ZONE).startOfDay()
    .epochMilliseconds,
  to: now + MINUTE_MS,
  resolution: 'HOUR',
});

/** What is kept of each site, for HOUR over a day of 25 hours. */
const KEPT_MS = 26 * HOUR_MS;
/** A quarter arrives so long after its end. */
const DELAY_MS = 3 * 60_000;
const BATTERY_WH = 9_700;
const BATTERY_W = 5_000;
/** A house with a load on one phase as its neighbours have on three. */
const VOLTS = 230;
const HOURS = QUARTER_MS / HOUR_MS;
/** A year of the sun in Stockholm on flat panels. */
const FULL_HOURS_A_YEAR = 900;
/** The age of a site. */
const YEARS = 4;

export interface SimulatedDevice {
  readonly serial: string;
  readonly type: 'INVERTER' | 'BATTERY' | 'METER';
  readonly name: string;
  readonly active: boolean;
  /** The inverter that a battery is behind. */
  readonly inverter: string | null;
  /** Panels at an inverter, watt. */
  readonly peakW: number;
  /** What is in a battery, Wh. */
  wh: number;
  /** Since when it does not report; ms since 1970. */
  lostAt: number | null;
}

/** ms since 1970. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** Means of a quarter: watt, and percent at its end. */
interface Quarter {
  readonly power: number;
  readonly soc: number;
}

/** A house with solar inverters and batteries, which serve it first and give the grid what is left. */
export interface SimulatedSite {
  readonly id: number;
  readonly name: string;
  devices: SimulatedDevice[];
  /** The start of the quarter that comes next, ms since 1970. */
  at: number;
  /** What the panels had produced before that, Wh. */
  producedWh: number;
  /** By its start, what the devices did. */
  readonly quarters: Map<number, ReadonlyMap<string, Quarter>>;
}

export function newDevice(
  serial: string,
  type: SimulatedDevice['type'],
  more: Partial<SimulatedDevice> = {},
): SimulatedDevice {
  const peakW = type === 'INVERTER' ? 8_000 : 0;
  return {
    serial,
    type,
    name: `${{ INVERTER: 'Inverter', BATTERY: 'Battery', METER: 'Meter' }[type]} (simulated)`,
    active: true,
    inverter: null,
    peakW,
    wh: type === 'BATTERY' ? BATTERY_WH / 2 : 0,
    lostAt: null,
    ...more,
  };
}

export function newSite(id: number, name: string, devices: SimulatedDevice[], now: number): SimulatedSite {
  const at = Math.floor((now - KEPT_MS) / QUARTER_MS) * QUARTER_MS;
  const producedWh = Math.round(peakOf(devices) * FULL_HOURS_A_YEAR * YEARS);
  return { id, name, devices, at, producedWh, quarters: new Map() };
}

const peakOf = (devices: readonly SimulatedDevice[]): number =>
  devices.reduce((sum, { peakW, active }) => sum + (active ? peakW : 0), 0);

/** Watt from the panels of an inverter: clouds let through a share of the light that is the day's own. */
const panelsW = ({ serial, peakW }: SimulatedDevice, at: number): number =>
  peakW * between(serial, `clouds ${dayAt(at)}`, [0.3, 1]) * Math.max(0, sineOfSunHeight(at));

const loadW = ({ id }: SimulatedSite, at: number): number => VOLTS * houseLoadA(String(id), at);

/** Lets the quarters that have ended pass; what is longer ago than is kept is passed in one step. */
function advance(site: SimulatedSite, now: number): void {
  const skippedMs = Math.max(0, now - KEPT_MS - site.at);
  if (skippedMs > 0) {
    const hours = (skippedMs / (365 * 24 * HOUR_MS)) * FULL_HOURS_A_YEAR;
    site.producedWh += Math.round(peakOf(site.devices) * hours);
    site.at = Math.floor((now - KEPT_MS) / QUARTER_MS) * QUARTER_MS;
  }
  for (; site.at + QUARTER_MS <= now; site.at += QUARTER_MS) {
    site.quarters.set(site.at, quarterOf(site, site.at));
    site.producedWh += producedIn(site, site.at) ?? 0;
    site.quarters.delete(site.at - KEPT_MS);
  }
}

function quarterOf(site: SimulatedSite, at: number): ReadonlyMap<string, Quarter> {
  const middle = at + QUARTER_MS / 2;
  const done = new Map<string, Quarter>();
  const inverters = site.devices.filter(({ type, active }) => type === 'INVERTER' && active);
  let surplus = -loadW(site, middle);
  for (const inverter of inverters) surplus += panelsW(inverter, middle);
  for (const inverter of inverters) {
    const panels = panelsW(inverter, middle);
    let given = panels;
    for (const battery of site.devices.filter((one) => one.inverter === inverter.serial)) {
      const room = Math.min(BATTERY_W, (BATTERY_WH - battery.wh) / HOURS);
      // Batteries are charged by the panels of their inverter alone.
      const taken = Math.max(Math.min(surplus, room, given), -Math.min(BATTERY_W, battery.wh / HOURS));
      battery.wh += taken * HOURS;
      surplus -= taken;
      given -= taken;
      done.set(battery.serial, { power: taken, soc: (battery.wh / BATTERY_WH) * 100 });
    }
    // Without sun and without a battery that gives, an inverter sleeps.
    if (panels > 0 || given > 0) done.set(inverter.serial, { power: given, soc: 0 });
  }
  return done;
}

/** The first inverter, through which a site reports. */
const gatewayOf = ({ devices }: SimulatedSite): SimulatedDevice | undefined =>
  devices.find(({ type, active }) => type === 'INVERTER' && active);

/** What a device did in a quarter; undefined while the quarter has not ended, and of one that did nothing or did not report it. */
function arrived(
  site: SimulatedSite,
  device: SimulatedDevice,
  { at, now }: { readonly at: number; readonly now: number },
): Quarter | undefined {
  const isLost = [device, gatewayOf(site)].some((one) => one?.lostAt != null && at + QUARTER_MS > one.lostAt);
  const hasEnded = at + QUARTER_MS + DELAY_MS <= now;
  return isLost || !hasEnded ? undefined : site.quarters.get(at)?.get(device.serial);
}

/** When the site was last heard from: it reports every five minutes, also at night. */
export const heardAt = (site: SimulatedSite, now: number): number =>
  gatewayOf(site)?.lostAt ?? Math.floor(now / 300_000) * 300_000;

/** What the panels produced in a quarter, Wh: what the inverters gave, with what batteries took; undefined while no inverter is awake. */
function producedIn({ devices, quarters }: SimulatedSite, at: number): number | undefined {
  const done = quarters.get(at);
  const isAwake = devices.some(({ type, serial }) => type === 'INVERTER' && done?.has(serial));
  if (done === undefined || !isAwake) return undefined;
  const watts = [...done.values()].reduce((sum, { power }) => sum + power, 0);
  return Math.round(Math.max(0, watts) * HOURS);
}

/** The same of a quarter that has arrived. */
function producedBy(site: SimulatedSite, of: { readonly at: number; readonly now: number }) {
  const inverters = site.devices.filter(({ type }) => type === 'INVERTER');
  return inverters.some((device) => arrived(site, device, of) !== undefined)
    ? producedIn(site, of.at)
    : undefined;
}

/** What the panels have produced from one time to another, as far as it has arrived, Wh. What is longer ago than is kept has all arrived. */
function producedBetween(site: SimulatedSite, { from, to }: Span, now: number): number {
  const kept = [...site.quarters.keys()];
  const isBetween = (at: number) => at >= from && at < to && producedBy(site, { at, now }) !== undefined;
  const sumOf = (quarters: readonly number[]) =>
    quarters.reduce((sum, at) => sum + (producedIn(site, at) ?? 0), 0);
  const before = from < Math.min(...kept) ? site.producedWh - sumOf(kept) : 0;
  return before + sumOf(kept.filter(isBetween));
}
