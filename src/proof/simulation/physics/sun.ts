import { DAY_MS, MINUTE_MS } from '../../../core/durations.ts';
import { swedishTime } from '../../../core/swedish-days.ts';
import { Temporal } from '../../../core/temporal.ts';

/** A span of simulated time, ms since 1970. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** 12:00 UTC of the local date. */
function utcNoonOf(ms: number): number {
  const { year, month, day } = swedishTime(ms);
  return new Temporal.PlainDateTime(year, month, day, 12).toZonedDateTime('UTC').epochMilliseconds;
}

/** Hours since local midnight by the clock on the wall, with fractions: 0–24. */
export function hourOfDay(ms: number): number {
  const { hour, minute, second } = swedishTime(ms);
  return hour + minute / 60 + second / 3_600;
}

const radians = (degrees: number) => (degrees * Math.PI) / 180;

const LATITUDE = radians(59.33);
const LONGITUDE_DEGREES = 18.07;
const J2000 = Date.UTC(2000, 0, 1, 12);
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
 * US Naval Observatory, "Approximate Solar Coordinates" (from the Astronomical Almanac): declination to 0.02° and equation
 * of time to a few seconds for centuries around 2000.
 */
function solarDay(ms: number): SolarDay {
  const noon = utcNoonOf(ms);
  const days = (noon - J2000) / DAY_MS;
  const anomaly = radians(357.529 + 0.98560028 * days);
  const meanLongitude = 280.459 + 0.98564736 * days;
  const longitude = radians(meanLongitude + 1.915 * Math.sin(anomaly) + 0.02 * Math.sin(2 * anomaly));
  const obliquity = radians(23.439 - 0.00000036 * days);
  const rightAscension = Math.atan2(Math.cos(obliquity) * Math.sin(longitude), Math.cos(longitude));
  // Mean longitude less right ascension, brought to −180…180°; four minutes for each degree.
  const turn = meanLongitude - (rightAscension * 180) / Math.PI;
  const equationMinutes = 4 * (turn - 360 * Math.round(turn / 360));
  const sine = Math.sin(obliquity) * Math.sin(longitude);
  return {
    noon: noon - (equationMinutes + 4 * LONGITUDE_DEGREES) * MINUTE_MS,
    offset: Math.sin(LATITUDE) * sine,
    swing: Math.cos(LATITUDE) * Math.sqrt(1 - sine * sine),
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
