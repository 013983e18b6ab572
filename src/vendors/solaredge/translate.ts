import Type, { type Static } from 'typebox';
import { each, figure, objectIn, timeIn, unrecognized } from '../../adapter/kit/index.ts';
import { HOUR_MS, QUARTER_MS } from '../../core/durations.ts';
import type { JsonObject } from '../../core/json.ts';

/*
 * SolarEdge measures in quarters of an hour, each with the time at which it begins. Null are the quarter that has not ended, those of what
 * does not report, and those of a site without sun.
 */

/** What linking stores of a device, in `DeviceRef.details`. */
export const Details = Type.Object({
  site: Type.String(),
  /** Of a battery; null for the solar inverters of a site, which are one device. */
  serial: Type.Union([Type.String(), Type.Null()]),
});
export type Details = Static<typeof Details>;

/** A site or a battery. Power is positive where it is taken from the grid side. */
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

const POWER = { W: 1, KW: 1e3, MW: 1e6 };
const ENERGY = { WH: 1, KWH: 1e3, MWH: 1e6, GWH: 1e9 };
/** From 0 to 100. What `PERCENTAGE_100` in SolarEdge's document means is not known. */
const SHARE = { PERCENTAGE: 1 };
type Units = Readonly<Record<string, number>>;

const Value = Type.Object({ timestamp: Type.String(), value: Type.Number() });
const MOST = 1e12;
/** A quarter arrives minutes after its end. Two more have passed without one when a device counts as silent. */
const SILENT_MS = HOUR_MS;

/** Values by the end of their quarter, ms since 1970: in W, Wh or percent; null where the unit is not recognized. */
type Quarters = Map<number, number | null>;

function quartersIn(series: unknown, units: Units): Quarters {
  const { unit, values } = objectIn(series);
  const factor = units[String(unit)] ?? Number.NaN;
  const quarters = each(values, Value).flatMap(({ timestamp, value }): [number, number | null][] => {
    const start = timeIn(timestamp);
    return start === null ? [] : [[start + QUARTER_MS, figure(value * factor, -MOST, MOST)]];
  });
  return new Map(quarters);
}

/** The last quarter with a value. */
function latest(quarters: Quarters, now: number) {
  const end = quarters.size === 0 ? null : Math.max(...quarters.keys());
  const isRecent = end !== null && now - end <= SILENT_MS;
  return { end, value: quarters.get(end ?? 0) ?? null, isRecent };
}

export const hasValues = (energy: unknown): boolean => quartersIn(energy, ENERGY).size > 0;

const unitsIn = (series: Readonly<Record<string, readonly [series: unknown, Units]>>): string[] =>
  Object.entries(series).flatMap(([name, [one, units]]) =>
    unrecognized({ [`unit of ${name}`]: [objectIn(one).unit, units] }),
  );

/** What the inverters of a site produced in the last quarter and, in `total`, ever. They are offline where they do not report. */
export function solarIn(energy: unknown, total: unknown, now: number): Reading {
  const { end, value, isRecent } = latest(quartersIn(energy, ENERGY), now);
  const sums = [...quartersIn(total, ENERGY).values()];
  return {
    online: isRecent,
    observedAt: end,
    productionW: isRecent && value !== null ? Math.max(0, value * (HOUR_MS / QUARTER_MS)) : null,
    energyWh: sums.length === 1 ? (sums[0] ?? null) : null,
    unrecognized: unitsIn({ energy: [energy, ENERGY], 'total energy': [total, ENERGY] }),
  };
}

/** Inverters without sun report no more than ones that are unreachable: they sleep where SolarEdge still hears from the site. */
export function asleepIn(silent: Reading, lastUpdateTime: unknown, now: number): Reading {
  const heardAt = timeIn(lastUpdateTime);
  const isAsleep = heardAt !== null && now - heardAt <= SILENT_MS;
  return isAsleep ? { ...silent, online: true, observedAt: heardAt, productionW: 0 } : silent;
}

/** A battery in the telemetry of its site; undefined where it is not there. Its last charge is the best that is known of one that is silent. */
export function batteryIn(storage: JsonObject, serial: string, now: number): Reading | undefined {
  if (!Object.hasOwn(storage, serial)) return undefined;
  const { chargePower, dischargePower, stateOfEnergy } = objectIn(storage[serial]);
  const [taken, given] = [quartersIn(chargePower, POWER), quartersIn(dischargePower, POWER)];
  const flows: Quarters = new Map();
  for (const end of [...taken.keys(), ...given.keys()]) {
    const [more = 0, less = 0] = [taken.get(end), given.get(end)];
    flows.set(end, more === null || less === null ? null : more - less);
  }
  const [flow, charge] = [latest(flows, now), latest(quartersIn(stateOfEnergy, SHARE), now)];
  const ends = [flow.end, charge.end].filter((end) => end !== null);
  return {
    online: flow.isRecent || charge.isRecent,
    // The older one, where power and charge are not of the same quarter.
    observedAt: ends.length === 0 ? null : Math.min(...ends),
    powerW: flow.isRecent ? flow.value : null,
    soc: figure(charge.value, 0, 100),
    unrecognized: unitsIn({
      chargePower: [chargePower, POWER],
      dischargePower: [dischargePower, POWER],
      stateOfEnergy: [stateOfEnergy, SHARE],
    }),
  };
}
