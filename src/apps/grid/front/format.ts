import { Big } from 'big.js';
import { HOUR_MS } from '../../../core/durations.ts';
import { type Language, translated } from '../../../core/language.ts';
import { swedishTime } from '../../../core/swedish-days.ts';

const LOCALES = translated({ sv: 'sv-SE', en: 'en-GB' });

type Decimals = Parameters<Intl.NumberFormat['format']>[0] & `${number}`;

/** Numbers, times and days as people read them in a language. */
export interface Format {
  /** SEK per kWh as öre, to a tenth: 0.87431 is 87.4. Rounded from the exact decimals. */
  ore(sek: string): string;
  /** The same with a tenth only where it is none of zero: 30, and 57.5. */
  limit(sek: string): string;
  /** Decimal text of the wire, with all its decimals. */
  decimal(text: string): string;
  whole(value: number): string;
  /** 14:15, as clocks in Sweden show it. */
  time(at: number): string;
  /** 03–04; of the hour that comes twice in autumn it says which. */
  hour(start: number): string;
  /** Saturday 21 November; within a sentence, Swedish writes lördag. */
  day(at: number, place?: 'within'): string;
  /** 1 January 2026 */
  date(day: string): string;
  /** Sat 21 Nov */
  shortDay(at: number, place?: 'within'): string;
}

const WORDS = translated({
  en: { summer: 'summer time', winter: 'winter time' },
  sv: { summer: 'sommartid', winter: 'vintertid' },
});

/** Kept, because they take a quarter of the time of a page to make. */
const formats = new Map<Language, Format>();

export function formatIn(language: Language): Format {
  const format = formats.get(language) ?? makeFormat(language);
  formats.set(language, format);
  return format;
}

function makeFormat(language: Language): Format {
  const locale = LOCALES[language];
  const words = WORDS[language];
  const zone = { timeZone: 'Europe/Stockholm' } as const;
  const tenth = new Intl.NumberFormat(locale, {
    minimumFractionDigits: 1,
    maximumFractionDigits: 1,
    signDisplay: 'negative',
  });
  const short = new Intl.NumberFormat(locale, { maximumFractionDigits: 1, signDisplay: 'negative' });
  const exact = new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 5 });
  const whole = new Intl.NumberFormat(locale, { maximumFractionDigits: 0, signDisplay: 'negative' });
  const day = new Intl.DateTimeFormat(locale, { ...zone, weekday: 'long', day: 'numeric', month: 'long' });
  const shortDay = new Intl.DateTimeFormat(locale, {
    ...zone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
  });
  const date = new Intl.DateTimeFormat(locale, { timeZone: 'UTC', dateStyle: 'long' });
  // A hyphen is no minus.
  const signed = (text: string) => text.replace('-', '−');
  const two = (value: number) => String(value).padStart(2, '0');
  const hourAt = (at: number) => swedishTime(at).hour;
  return {
    // Intl reads decimal text exactly.
    ore: (sek) => signed(tenth.format(new Big(sek).times(100).toFixed() as Decimals)),
    limit: (sek) => signed(short.format(new Big(sek).times(100).toFixed() as Decimals)),
    decimal: (text) => signed(exact.format(text as Decimals)),
    whole: (value) => signed(whole.format(value)),
    time(at) {
      const { hour, minute } = swedishTime(at);
      return `${two(hour)}:${two(minute)}`;
    },
    hour(start) {
      const span = `${two(hourAt(start))}–${two((hourAt(start) + 1) % 24)}`;
      if (hourAt(start + HOUR_MS) === hourAt(start)) return `${span} ${words.summer}`;
      return hourAt(start - HOUR_MS) === hourAt(start) ? `${span} ${words.winter}` : span;
    },
    day: (at, place) => begun(day.format(at).replace(',', ''), place),
    date: (text) => date.format(Date.parse(text)),
    shortDay: (at, place) => begun(shortDay.format(at).replaceAll(/[,.]/g, ''), place),
  };
}

/** Intl gives the names as they are written within a sentence. */
const begun = (text: string, place: 'within' | undefined) =>
  place === 'within' ? text : text.slice(0, 1).toUpperCase() + text.slice(1);
