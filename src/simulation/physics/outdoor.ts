import { DAY_MS } from '../../core/durations.ts';

interface Wave {
  /** °C. */
  readonly amplitude: number;
  /** Radians per ms. */
  readonly frequency: number;
  /** When it is highest, ms since 1970. */
  readonly peak: number;
}

/** Stockholm, SMHI normals 1991–2020 rounded: the year's mean, −2 °C in January, 18 °C in July. */
const MEAN_C = 8;
const WAVES: readonly Wave[] = [
  { amplitude: 10, frequency: (2 * Math.PI) / (365.2425 * DAY_MS), peak: Date.UTC(1970, 6, 24) },
  { amplitude: 3, frequency: (2 * Math.PI) / DAY_MS, peak: Date.UTC(1970, 0, 1, 14) },
];

/** Outdoor temperature, °C: the mean, a wave of the year and a wave of the day. */
export function outdoorC(ms: number): number {
  let sum = MEAN_C;
  for (const wave of WAVES) sum += wave.amplitude * Math.cos(wave.frequency * (ms - wave.peak));
  return sum;
}

/**
 * What an unheated body of this time constant (ms) settles to, °C: the particular solution of τT′ = outdoor − T, each
 * wave damped by √(1 + (ωτ)²) and late by atan(ωτ).
 */
export function laggedOutdoorC(ms: number, timeConstant: number): number {
  let sum = MEAN_C;
  for (const wave of WAVES) {
    const turn = wave.frequency * timeConstant;
    sum +=
      (wave.amplitude / Math.hypot(1, turn)) * Math.cos(wave.frequency * (ms - wave.peak) - Math.atan(turn));
  }
  return sum;
}
