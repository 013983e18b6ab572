import { DAY_MS, dayOfYear, utcNoonOf } from './stockholm.ts';

const LATITUDE = (59.33 * Math.PI) / 180;
const LONGITUDE_DEGREES = 18.07;
const MINUTE_MS = 60_000;
/** Simulated ms for one radian of the hour angle. */
const MS_PER_RADIAN = DAY_MS / (2 * Math.PI);

/** The sun over Stockholm on one local date; declination and equation of time are those of its noon. */
interface SolarDay {
  /** When the sun is highest, ms since 1970. */
  readonly noon: number;
  /** sin φ sin δ. */
  readonly offset: number;
  /** cos φ cos δ. */
  readonly swing: number;
}

/**
 * Declination and equation of time as Fourier series: J. W. Spencer, "Fourier series representation of the position of
 * the sun", Search 2 (1971) 172; good to 0.04° and half a minute.
 */
function solarDay(ms: number): SolarDay {
  const angle = (2 * Math.PI * (dayOfYear(ms) - 1)) / 365;
  const [cos1, sin1] = [Math.cos(angle), Math.sin(angle)];
  const [cos2, sin2] = [Math.cos(2 * angle), Math.sin(2 * angle)];
  const declination =
    0.006918 -
    0.399912 * cos1 +
    0.070257 * sin1 -
    0.006758 * cos2 +
    0.000907 * sin2 -
    0.002697 * Math.cos(3 * angle) +
    0.00148 * Math.sin(3 * angle);
  const equationMinutes =
    229.18 * (0.000075 + 0.001868 * cos1 - 0.032077 * sin1 - 0.014615 * cos2 - 0.040849 * sin2);
  return {
    noon: utcNoonOf(ms) - (equationMinutes + 4 * LONGITUDE_DEGREES) * MINUTE_MS,
    offset: Math.sin(LATITUDE) * Math.sin(declination),
    swing: Math.cos(LATITUDE) * Math.cos(declination),
  };
}

/** When the sun is highest on the local date of `ms`, ms since 1970. */
export function solarNoon(ms: number): number {
  return solarDay(ms).noon;
}

/** Sine of the sun's height over Stockholm (59.33° N, 18.07° E): sin h = sin φ sin δ + cos φ cos δ cos H. */
export function sineOfSunHeight(ms: number): number {
  const day = solarDay(ms);
  return day.offset + day.swing * Math.cos((ms - day.noon) / MS_PER_RADIAN);
}

/** The sun's height over the horizon, degrees. */
export function sunHeightDegrees(ms: number): number {
  return (Math.asin(sineOfSunHeight(ms)) * 180) / Math.PI;
}

/** ∫ max(0, sin h) dt since Stockholm's midnight, hours: (A·H + B·sin H) from sunrise to now or sunset. */
export function sunHoursToday(ms: number): number {
  const day = solarDay(ms);
  // Stockholm has neither midnight sun nor polar night: |offset| < swing on every day.
  const sunset = Math.acos(-day.offset / day.swing);
  const reached = Math.max(-sunset, Math.min(sunset, (ms - day.noon) / MS_PER_RADIAN));
  const until = (angle: number) => day.offset * angle + day.swing * Math.sin(angle);
  return (24 / (2 * Math.PI)) * (until(reached) - until(-sunset));
}
