import { HOUR_MS, MINUTE_MS, QUARTER_MS } from '../../core/durations.ts';
import type { JsonObject } from '../../core/json.ts';
import { SWEDISH_ZONE } from '../../core/swedish-days.ts';
import {
  advance,
  arrived,
  producedBetween,
  producedBy,
  type Quarter,
  type SimulatedDevice,
  type SimulatedSite,
  type Span,
} from './simulated-site.ts';

/** How long a call may ask for, by resolution. */
const MOST_MS: Readonly<Record<string, number>> = {
  QUARTER_HOUR: 12 * HOUR_MS,
  HOUR: 24 * HOUR_MS,
  DAY: 31 * 24 * HOUR_MS,
  YEAR: Number.POSITIVE_INFINITY,
  TOTAL: Number.POSITIVE_INFINITY,
};

export interface Window extends Span {
  readonly resolution: string;
}

/** What a query asks for, or what is wrong with it. The day so far where it does not say. */
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

const HOURS = QUARTER_MS / HOUR_MS;
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
