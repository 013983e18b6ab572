import type { Language, Words } from '../../../core/language.ts';

/** Lengths of time, sizes and shares as people read them. */
export interface Amounts {
  /** Of seconds: "40 seconds", "7 minutes", "3 hours", "2 days". */
  span(seconds: number): string;
  /** Of bytes: "174 MB". */
  size(bytes: number): string;
  /** Of a part of one: "91%". */
  share(part: number): string;
  number(value: number): string;
}

const LOCALES = { en: 'en-GB', sv: 'sv-SE' } satisfies Words<string>;

const UNITS = [
  { unit: 'day', seconds: 86_400 },
  { unit: 'hour', seconds: 3_600 },
  { unit: 'minute', seconds: 60 },
  { unit: 'second', seconds: 1 },
] as const;
const SIZES = [
  { unit: 'gigabyte', bytes: 1e9 },
  { unit: 'megabyte', bytes: 1e6 },
  { unit: 'kilobyte', bytes: 1e3 },
] as const;

const made = new Map<Language, Amounts>();

export function amountsIn(language: Language): Amounts {
  const known = made.get(language) ?? makeAmounts(LOCALES[language]);
  made.set(language, known);
  return known;
}

function makeAmounts(locale: string): Amounts {
  const whole = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 });
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 });
  return {
    span(seconds) {
      // From two of a unit on: 90 seconds say more than 2 minutes.
      const { unit, seconds: length } =
        UNITS.find((one) => seconds >= 2 * one.seconds) ?? ({ unit: 'second', seconds: 1 } as const);
      const value = Math.round(seconds / length);
      return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(value);
    },
    size(bytes) {
      const { unit, bytes: length } =
        SIZES.find((one) => bytes >= one.bytes) ?? ({ unit: 'kilobyte', bytes: 1e3 } as const);
      const value = bytes / length;
      const maximumFractionDigits = value < 10 ? 1 : 0;
      return new Intl.NumberFormat(locale, { style: 'unit', unit, maximumFractionDigits }).format(value);
    },
    share: (part) => percent.format(part),
    number: (value) => whole.format(value),
  };
}
