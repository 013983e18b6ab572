const LOCALE = 'en-GB';
const WHOLE = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 0 });
const PERCENT = new Intl.NumberFormat(LOCALE, { style: 'percent', maximumFractionDigits: 0 });

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

/** Lengths of time, sizes and shares as people read them, in English. */
export const AMOUNTS = {
  /** Of seconds: "40 seconds", "7 minutes", "3 hours", "2 days". */
  span(seconds: number): string {
    // From two of a unit on: 90 seconds say more than 2 minutes.
    const { unit, seconds: length } =
      UNITS.find((one) => seconds >= 2 * one.seconds) ?? ({ unit: 'second', seconds: 1 } as const);
    const value = Math.round(seconds / length);
    return new Intl.NumberFormat(LOCALE, { style: 'unit', unit, unitDisplay: 'long' }).format(value);
  },
  /** Of bytes: "174 MB". */
  size(bytes: number): string {
    const { unit, bytes: length } =
      SIZES.find((one) => bytes >= one.bytes) ?? ({ unit: 'kilobyte', bytes: 1e3 } as const);
    const value = bytes / length;
    const maximumFractionDigits = value < 10 ? 1 : 0;
    return new Intl.NumberFormat(LOCALE, { style: 'unit', unit, maximumFractionDigits }).format(value);
  },
  /** Of a part of one: "91%". */
  share: (part: number): string => PERCENT.format(part),
  number: (value: number): string => WHOLE.format(value),
};
