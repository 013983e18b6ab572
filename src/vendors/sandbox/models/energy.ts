import Type from 'typebox';
import { dayAt } from '../../../core/swedish-days.ts';
import { sineOfSunHeight, sunHoursToday } from '../../../proof/simulation/physics/sun.ts';
import { between } from '../../../proof/simulation/physics/week.ts';
import { BATTERY_LIMITS, inRange, model } from './model.ts';

const CAPACITY_WH = 10_000;
/** Each way: 0.9 for a round trip. */
const EFFICIENCY = 0.95;

const BatteryState = Type.Object({
  stored_wh: Type.Number({ minimum: 0, maximum: CAPACITY_WH }),
  /** Watt on the grid side; positive charges. */
  setpoint_w: Type.Integer(),
});
type BatteryState = Type.Static<typeof BatteryState>;

/** The power that the setpoint adds to the store, watt. */
const storingW = (setpoint: number) => (setpoint > 0 ? setpoint * EFFICIENCY : setpoint / EFFICIENCY);

/** The power on the grid side: 0 into a full battery and out of an empty one. */
function flowingW({ stored_wh, setpoint_w }: BatteryState): number {
  if (setpoint_w > 0 && stored_wh >= CAPACITY_WH) return 0;
  return setpoint_w < 0 && stored_wh <= 0 ? 0 : setpoint_w;
}

/** A home battery that follows a power setpoint. */
export const battery = model<BatteryState>({
  schema: BatteryState,
  initial: (seed) => ({ stored_wh: between(seed, 'stored', [0.3, 0.7]) * CAPACITY_WH, setpoint_w: 0 }),
  advance: (state, { from, to }) => {
    const reached = state.stored_wh + storingW(state.setpoint_w) * ((to - from) / 3_600_000);
    return { ...state, stored_wh: Math.min(CAPACITY_WH, Math.max(0, reached)) };
  },
  reading: (state) => ({
    batteryPercent: (100 * state.stored_wh) / CAPACITY_WH,
    powerKw: flowingW(state) / 1_000,
  }),
  orders: {
    set_battery_power: (state, { power_w }) => ({
      ...state,
      setpoint_w: inRange('power_w', power_w, { least: BATTERY_LIMITS.min_w, most: BATTERY_LIMITS.max_w }),
    }),
  },
  charge: (state, soc) => ({ ...state, stored_wh: (soc / 100) * CAPACITY_WH }),
});

/** It has no settings. */
type SolarState = Record<string, never>;

/** Power of the panels with the sun in the zenith of a clear sky, watt. */
const peakW = (seed: string) => between(seed, 'peak', [6_000, 12_000]);

/** The share of light that the clouds of a date let through. */
const clearness = (seed: string, at: number) => between(seed, `clouds ${dayAt(at)}`, [0.2, 1]);

/** Flat panels in Stockholm: production is peak × sin(sun height) × the day's clearness; the energy is today's. */
export const solarInverter = model<SolarState>({
  schema: Type.Object({}),
  initial: () => ({}),
  advance: (state) => state,
  reading: (_state, at, seed) => {
    const scaleKw = (peakW(seed) * clearness(seed, at)) / 1_000;
    return {
      productionKw: scaleKw * Math.max(0, sineOfSunHeight(at)),
      kwhToday: scaleKw * sunHoursToday(at),
    };
  },
  orders: {},
});
