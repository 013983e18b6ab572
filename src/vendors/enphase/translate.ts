import Type, { type Static } from 'typebox';
import type { Status } from '../../adapter/device.ts';
import { each, figure, lenient, objectIn, unrecognized, word } from '../../adapter/kit/index.ts';

/*
 * What is used of Enphase's responses. Times are seconds since 1970. Energy is measured over intervals, and power is the mean of the newest
 * one: `current_power` of a summary stays what it was when the sun went down.
 */

/** What listing learnt of a device's system: its number, how its gateway reports, and whether it has a battery, null before it was asked. */
export const Details = Type.Object({
  system: Type.String({ pattern: '^\\d{1,16}$' }),
  is_cellular: Type.Boolean(),
  has_battery: Type.Union([Type.Boolean(), Type.Null()]),
});

/** `energy_lifetime` ends with yesterday. */
export const Summary = lenient(
  {},
  ...(['status', 'source', 'energy_lifetime', 'energy_today'] as const),
  ...(['last_interval_end_at', 'battery_capacity_wh'] as const),
);
type Summary = Static<typeof Summary>;

export const Telemetry = lenient({ intervals: Type.Array(Type.Unknown()) }, 'total_devices');
const TIMES = { minimum: 1_000_000_000, maximum: 9_999_999_999 };
const Interval = lenient(
  { end_at: Type.Integer(TIMES) },
  // Microinverters have power and energy, meters the energy delivered, and batteries the last three.
  ...(['devices_reporting', 'powr', 'enwh', 'wh_del', 'charge', 'discharge', 'soc'] as const),
);

/** What was read of a device; a battery has no summary. */
export interface Reading {
  readonly summary?: Summary;
  /** The newest interval and how long it is; null where nothing was reported. */
  readonly newest: { readonly interval: Static<typeof Interval>; readonly seconds: number } | null;
}

/** The lengths of intervals that Enphase documents, seconds. */
const SECONDS = { production_micro: 300, production_meter: 900, battery: 900 } as const;
export type Measured = keyof typeof SECONDS;

/** The newest interval that a device has reported. Where there are several, their times show how long they are. */
export function newestIn(list: readonly unknown[], measured: Measured): Reading['newest'] {
  const intervals = each(list, Interval)
    .filter(({ devices_reporting: count }) => count !== 0)
    .sort((a, b) => a.end_at - b.end_at);
  const interval = intervals.at(-1);
  const ends = intervals.map(({ end_at }) => end_at);
  const step = Math.min(...ends.slice(1).map((end, index) => end - (ends[index] ?? 0)));
  const seconds = step === 300 || step === 900 ? step : SECONDS[measured];
  return interval === undefined ? null : { interval, seconds };
}

/** Statuses of systems: most name a part that has a fault, while the gateway goes on reporting. */
const REPORTING =
  `normal micro power meter meter_issue battery storage_idle encharge encharge_issue enpower enpower_issue debug
  info monitored muted warning Error rma unknown nsr any data_upload on_grid off_grid grid_unknown evse_not_reporting evse_faulted
  iq_collar`.split(/\s+/);
/** No data comes from the gateway, or from nobody's any more. */
const SILENT = ['comm', 'deactivated', 'retired', 'not_monitored', 'unused', 'disabled', 'no_data'];
/** What measures the production; clients differ in the word for microinverters. */
const SOURCES = ['meter', 'microinverters', 'microinverter'];

/** Whether the gateway reports; undefined for a status that is not recognized. */
export const isReporting = ({ status }: Summary): boolean | undefined =>
  REPORTING.includes(String(status)) ? true : SILENT.includes(String(status)) ? false : undefined;

export const solarStatus = ({ summary = {}, newest }: Reading): Status => ({
  online: isReporting(summary) ?? newest !== null,
  operation_state: word(summary.status),
});

export function batteryStatus(reading: Reading): Status {
  const power = batteryPowerW(reading);
  return { online: reading.newest !== null, charging: power === null ? null : power > 0 };
}

export const unrecognizedIn = ({ summary: { status, source } = {} }: Reading): string[] =>
  unrecognized({ status: [status, [...REPORTING, ...SILENT]], source: [source, SOURCES] });

/** The end of the newest interval, ms since 1970. */
export function observedAt({ summary, newest }: Reading): number | null {
  const end = newest?.interval.end_at ?? summary?.last_interval_end_at;
  const seconds = figure(end, TIMES.minimum, TIMES.maximum);
  return seconds === null ? null : seconds * 1_000;
}

const energy = (wh: unknown): number | null => figure(wh, -1e12, 1e12);
const meanW = (wh: number, seconds: number): number => Math.round((wh * 3_600) / seconds);

/** The mean of the newest interval, watt. At night meters see the few watts that microinverters take, which are no production. */
export function productionW({ newest }: Reading): number | null {
  if (newest === null) return null;
  const { powr, enwh, wh_del } = newest.interval;
  const wh = energy(wh_del ?? enwh);
  const watts = figure(powr, -1e8, 1e8) ?? (wh === null ? null : meanW(wh, newest.seconds));
  return watts === null ? null : Math.max(0, Math.round(watts));
}

/** All that the system has produced, watt-hours. */
export function energyWh({ summary }: Reading): number | null {
  const [before, today] = [energy(summary?.energy_lifetime), energy(summary?.energy_today)];
  return before === null || today === null ? null : figure(Math.round(before + today), 0, 1e12);
}

/** The mean of the newest interval, watt: what went into the batteries less what came out of them. */
export function batteryPowerW({ newest }: Reading): number | null {
  const charged = energy(objectIn(newest?.interval.charge).enwh);
  const discharged = energy(objectIn(newest?.interval.discharge).enwh);
  if (newest === null || charged === null || discharged === null) return null;
  return meanW(charged - discharged, newest.seconds);
}

/** Of all batteries together, percent. */
export function socPercent({ newest }: Reading): number | null {
  const percent = figure(objectIn(newest?.interval.soc).percent, 0, 100);
  return percent === null ? null : Math.round(percent);
}
