import { language } from './words/index.ts';

/* Numbers in the language of the page, times in the zone of the browser. */

const LOCALE = language === 'en' ? 'en-GB' : 'sv-SE';
const numbers = (most: number) => new Intl.NumberFormat(LOCALE, { maximumFractionDigits: most });
const WHOLE = numbers(0);
const TENTHS = numbers(1);
const HUNDREDTHS = numbers(2);
const NO_BREAK = '\u00a0';

export const count = (value: number): string => WHOLE.format(value);

/** A unit with the prefix that keeps three digits. */
function scaled(value: number, unit: string): string {
  const size = Math.abs(value);
  if (size < 1_000) return `${WHOLE.format(value)}${NO_BREAK}${unit}`;
  const [divisor, prefix] =
    size < 1_000_000 ? [1_000, 'k'] : size < 1_000_000_000 ? [1_000_000, 'M'] : [1_000_000_000, 'G'];
  const number = value / divisor;
  const format = Math.abs(number) < 10 ? HUNDREDTHS : Math.abs(number) < 100 ? TENTHS : WHOLE;
  return `${format.format(number)}${NO_BREAK}${prefix}${unit}`;
}

export const power = (watts: number): string => scaled(watts, 'W');
export const energy = (wattHours: number): string => scaled(wattHours, 'Wh');
export const temperature = (milliCelsius: number): string =>
  `${TENTHS.format(milliCelsius / 1_000)}${NO_BREAK}°C`;
export const percent = (value: number): string => `${WHOLE.format(value)}${NO_BREAK}%`;
export const ampere = (value: number): string => `${WHOLE.format(value)}${NO_BREAK}A`;

export const ore = (value: number): string => `${TENTHS.format(value)}${NO_BREAK}öre`;
export const orePerKwh = (value: number): string => `${ore(value)}/kWh`;

const currencies = new Map<string, Intl.NumberFormat>();
/** An exact amount, in the currency's own form. */
export function money(amount: string, currency: string): string {
  // Making a format takes longer than using it a hundred times.
  const format = currencies.get(currency) ?? new Intl.NumberFormat(LOCALE, { style: 'currency', currency });
  currencies.set(currency, format);
  return format.format(Number(amount));
}

/** A number as it is typed into a field, which takes a comma or a point. */
export const typedNumber = (value: number): string =>
  new Intl.NumberFormat(LOCALE, { useGrouping: false, maximumFractionDigits: 2 }).format(value);

/** Thousands as English writes them. */
const GROUPED = /^-?[1-9]\d{0,2}(,\d{3})+(\.\d+)?$/;
/** What was typed as a number, as the page writes it or with a comma before its decimals; undefined where it is none. */
export function numberTyped(text: string): number | undefined {
  const typed = text.replaceAll(/\s/g, '').replace('−', '-');
  const isGrouped = language === 'en' && GROUPED.test(typed);
  const plain = isGrouped ? typed.replaceAll(',', '') : typed.replace(',', '.');
  return /^-?\d+(\.\d+)?$/.test(plain) ? Number(plain) : undefined;
}

const RELATIVE = new Intl.RelativeTimeFormat(LOCALE, { numeric: 'always', style: 'short' });
const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

/** How long ago: "2 min ago". */
export function ago(moment: string, now: number): string {
  const passed = Math.max(0, now - Date.parse(moment));
  if (passed < 5_000) return JUST_NOW[language];
  const [unit, ms] = UNITS.find(([, ms]) => passed >= ms) ?? ['second', 1_000];
  // The short form of Swedish is that of speech.
  return RELATIVE.format(-Math.floor(passed / ms), unit).replace(/ sen$/, ' sedan');
}
const JUST_NOW = { en: 'just now', sv: 'alldeles nyss' };

/** How soon: "in 2 min". */
export function ahead(moment: string, now: number): string {
  const left = Math.max(1_000, Date.parse(moment) - now);
  const [unit, ms] = UNITS.find(([, ms]) => left >= ms) ?? ['second', 1_000];
  return RELATIVE.format(Math.round(left / ms), unit);
}

export function duration(seconds: number): string {
  const minutes = Math.round(seconds / 60);
  const hours = Math.floor(minutes / 60);
  if (minutes === 0 && seconds > 0) return `<${NO_BREAK}1${NO_BREAK}min`;
  return hours === 0 ? `${minutes}${NO_BREAK}min` : `${hours}${NO_BREAK}h ${minutes % 60}${NO_BREAK}min`;
}

const formatted = (options: Intl.DateTimeFormatOptions) => {
  const format = new Intl.DateTimeFormat(LOCALE, { hourCycle: 'h23', ...options });
  return (moment: string | number | Date): string => format.format(new Date(moment));
};
export const dateTime = formatted({ dateStyle: 'medium', timeStyle: 'medium' });
export const shortDateTime = formatted({
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});
export const clockTime = formatted({ hour: '2-digit', minute: '2-digit' });
export const clockSeconds = formatted({ hour: '2-digit', minute: '2-digit', second: '2-digit' });
export const dayMonth = formatted({ day: 'numeric', month: 'short' });
export const dayMonthYear = formatted({ day: 'numeric', month: 'short', year: 'numeric' });
/** A UTC day such as 2026-11-21, without its year. */
export const utcDay = formatted({ day: 'numeric', month: 'short', timeZone: 'UTC' });
export const weekday = formatted({ weekday: 'short', day: 'numeric' });
/** Of a moment on an axis: the day at midnight, else the time. */
export const dayOrTime = (at: Date): string =>
  at.getHours() === 0 && at.getMinutes() === 0 ? weekday(at) : clockTime(at);
export const month = formatted({ month: 'short' });

const isToday = (moment: string): boolean => new Date(moment).toDateString() === new Date().toDateString();
/** The time of today, the date and time of other days. */
export const moment = (at: string): string => (isToday(at) ? clockSeconds(at) : shortDateTime(at));

const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const LONGEST_NAME = 200;
/** A text that others chose, short enough to show and without marks that would turn what stands beside it. */
export function foreign(text: string, longest = LONGEST_NAME): string {
  const plain = text.replaceAll(BIDI, '').trim();
  // A character outside the basic plane is two units, and is not cut in half.
  return plain.length > longest ? `${plain.slice(0, longest).replace(/[\ud800-\udbff]$/, '')}…` : plain;
}
