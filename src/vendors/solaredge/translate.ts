import Type, { type Static } from 'typebox';
import { each, figure, objectIn, timeIn, unrecognized } from '../../adapter/kit/index.ts';
import { HOUR_MS, QUARTER_MS } from '../../core/durations.ts';
import type { JsonObject } from '../../core/json.ts';

/*
 * Telemetry is a series of means of a quarter of an hour, each with the time at which it begins. Null are the quarter that has not
 * ended, those of a device that does not report, and those of an inverter without sun.
 */

/** What is read of a site, a call for each, and the type of device that it is of. */
export const FAMILIES = { inverters: 'INVERTER', storage: 'BATTERY' } as const;
export type Family = keyof typeof FAMILIES;

/** What linking stores of a device, in `DeviceRef.details`. */
export const Details = Type.Object({
  serial: Type.String(),
  /** The same for all devices of a site; what is asked of it is in its local time. */
  place: Type.Object({
    site: Type.String(),
    zone: Type.String(),
    /** The day on which it was installed. */
    since: Type.String(),
    has: Type.Array(Type.Enum(['inverters', 'storage'])),
  }),
  /** Serial numbers of the batteries behind an inverter; null where SolarEdge does not say which are. */
  batteries: Type.Union([Type.Array(Type.String()), Type.Null()]),
});
export type Details = Static<typeof Details>;

/** Lifetime energy of inverters, Wh by serial number, without the quarters from `until` on (ms since 1970). */
export const Meters = Type.Object({ until: Type.Number(), wh: Type.Record(Type.String(), Type.Number()) });
export type Meters = Static<typeof Meters>;

/** What SolarEdge has of a site: metrics by serial number. */
export interface SiteReading {
  /** When it was asked, ms since 1970. */
  readonly now: number;
  readonly inverters: JsonObject;
  readonly storage: JsonObject;
  readonly meters: Meters;
  /** The yearly energies that the meters were made from in this reading; empty otherwise. */
  readonly years: JsonObject;
  /** When SolarEdge last heard from the site; null unless it was asked, because no inverter reports. */
  readonly heardAt: number | null;
}

const POWER = { W: 1, KW: 1e3, MW: 1e6 };
const ENERGY = { WH: 1, KWH: 1e3, MWH: 1e6, GWH: 1e9 };
/** From 0 to 100. What `PERCENTAGE_100` in SolarEdge's document means is not known. */
const SHARE = { PERCENTAGE: 1 };
type Units = Readonly<Record<string, number>>;

const Value = Type.Object({ timestamp: Type.String(), value: Type.Number() });
const MOST = 1e12;
/** A quarter arrives minutes after its end. Two more have passed without one when a device counts as silent. */
const SILENT_MS = HOUR_MS;

const isRecent = (at: number | null, now: number): at is number => at !== null && now - at <= SILENT_MS;
const seriesOf = (device: unknown, metric: string) => objectIn(objectIn(device)[metric]);

/** A metric in W, Wh or percent, by the start of the quarter, ms since 1970; empty where its unit is not recognized. */
function quartersOf(device: unknown, metric: string, units: Units): Map<number, number> {
  const { unit, values } = seriesOf(device, metric);
  const factor = units[String(unit)] ?? Number.NaN;
  const quarters = each(values, Value).flatMap(({ timestamp, value }): [number, number][] => {
    const [at, stated] = [timeIn(timestamp), figure(value * factor, -MOST, MOST)];
    return at === null || stated === null ? [] : [[at, stated]];
  });
  return new Map(quarters);
}

/** The end of the latest quarter, and its value. */
function latest(quarters: ReadonlyMap<number, number>) {
  const at = Math.max(...quarters.keys());
  return quarters.size === 0
    ? { end: null, value: null }
    : { end: at + QUARTER_MS, value: quarters.get(at) ?? null };
}

const sumOf = (values: Iterable<number>): number => [...values].reduce((sum, value) => sum + value, 0);

const unitsIn = (device: unknown, recognized: Readonly<Record<string, Units>>): string[] =>
  Object.entries(recognized).flatMap(([metric, units]) =>
    unrecognized({ [`unit of ${metric}`]: [seriesOf(device, metric).unit, units] }),
  );
const BATTERY_UNITS = { chargePower: POWER, dischargePower: POWER, stateOfEnergy: SHARE };

/** The meters that a year's energies make; undefined where there are none. */
export const totalWh = (device: unknown): number | undefined => {
  const years = quartersOf(device, 'energy', ENERGY);
  return years.size === 0 ? undefined : sumOf(years.values());
};

/** What a battery takes, watt by quarter; negative: what it gives. */
function flowsOf(battery: unknown): Map<number, number> {
  const flows = quartersOf(battery, 'chargePower', POWER);
  for (const [at, given] of quartersOf(battery, 'dischargePower', POWER))
    flows.set(at, (flows.get(at) ?? 0) - given);
  return flows;
}

/** Whether any inverter of a site reports. */
export const isReporting = ({ inverters, now }: Pick<SiteReading, 'inverters' | 'now'>): boolean =>
  Object.values(inverters).some((device) => isRecent(latest(quartersOf(device, 'power', POWER)).end, now));

/** A device of either type. Power is positive where it is taken from the grid side. */
export interface Reading {
  readonly online: boolean;
  /** ms since 1970. */
  readonly observedAt?: number | null;
  readonly powerW?: number | null;
  readonly productionW?: number | null;
  readonly energyWh?: number | null;
  /** Percent. */
  readonly soc?: number | null;
  readonly unrecognized?: readonly string[];
}

/** A device in what there is of its site; undefined where it is not there. */
export function readingIn(site: SiteReading, family: Family, details: Details): Reading | undefined {
  if (!Object.hasOwn(site[family], details.serial)) return undefined;
  return family === 'storage' ? batteryIn(site, details) : inverterIn(site, details);
}

/**
 * An inverter: what it gives on its AC side, and what its panels give. Without sun it reports no more than one that is out of reach. It sleeps
 * where SolarEdge hears from the site and no other inverter reports.
 */
function inverterIn(site: SiteReading, { serial, batteries }: Details): Reading {
  const { now, heardAt, meters } = site;
  const device = site.inverters[serial];
  const powers = quartersOf(device, 'power', POWER);
  const { end, value } = latest(powers);
  const isAwake = isRecent(end, now);
  const isAsleep = !isAwake && isRecent(heardAt, now);
  const energies = [...quartersOf(device, 'energy', ENERGY)].filter(([at]) => at >= meters.until);
  const before = meters.wh[serial];
  const units = [
    ...unitsIn(device, { power: POWER, energy: ENERGY }),
    ...unitsIn(site.years[serial], { energy: ENERGY }),
    ...(batteries ?? []).flatMap((battery) => unitsIn(site.storage[battery], BATTERY_UNITS)),
  ];
  return {
    online: isAwake || isAsleep,
    observedAt: isAsleep ? heardAt : end,
    // Never -0.
    powerW: isAwake && value !== null ? 0 - value : isAsleep ? 0 : null,
    productionW: isAwake ? productionIn(site, powers, batteries) : isAsleep ? 0 : null,
    energyWh: before === undefined ? null : before + sumOf(energies.map(([, wh]) => wh)),
    unrecognized: [...new Set(units)],
  };
}

/** What the panels give: the inverter's power with what its batteries take, or less what they give, all in one quarter. */
function productionIn(
  { storage, now }: SiteReading,
  powers: ReadonlyMap<number, number>,
  batteries: Details['batteries'],
): number | null {
  const flows = batteries?.map((serial) => flowsOf(storage[serial]));
  if (flows === undefined) return null;
  const whole = [...powers].filter(([at]) => flows.every((flow) => flow.has(at)));
  const { end, value } = latest(
    new Map(whole.map(([at, given]) => [at, given + sumOf(flows.map((flow) => flow.get(at) ?? 0))])),
  );
  return isRecent(end, now) && value !== null ? Math.max(0, value) : null;
}

/** A battery. Its last charge is still the best that is known of one that does not report. */
function batteryIn({ storage, now }: SiteReading, { serial }: Details): Reading {
  const device = storage[serial];
  const [flow, charge] = [latest(flowsOf(device)), latest(quartersOf(device, 'stateOfEnergy', SHARE))];
  const ends = [flow.end, charge.end].filter((end) => end !== null);
  return {
    online: ends.some((end) => isRecent(end, now)),
    // The older one, where power and charge are not of the same quarter.
    observedAt: ends.length === 0 ? null : Math.min(...ends),
    powerW: isRecent(flow.end, now) ? flow.value : null,
    soc: figure(charge.value, 0, 100),
    unrecognized: unitsIn(device, BATTERY_UNITS),
  };
}
