import Type from 'typebox';
import { dayAt } from '../../../core/swedish-days.ts';
import { between } from '../../../simulation/physics/chance.ts';
import { sineOfSunHeight, sunHoursToday } from '../../../simulation/physics/sun.ts';
import { model } from './model.ts';

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
