import { FIELDS, HISTORY_FIELDS, type HistoryField } from '../../../adapter/fields.ts';

/** A field that history keeps. */
export type Field = HistoryField;
export const summaryOf = (field: Field) => FIELDS[field].summary;

const isFlag = (field: Field): boolean => FIELDS[field].unit === 'flag';

/** A value of each field, as a whole number (flags: 0 or 1); null where it has none. */
export type Values = { readonly [F in Field]: number | null };

/** The values in a state. Anything but a safe number is dropped, so that one vendor's value cannot stop the history of others. */
export function valuesOf(state: Readonly<Record<string, unknown>>): Values {
  const value = (field: Field): number | null => {
    const given = state[field];
    if (typeof given === 'boolean') return isFlag(field) ? Number(given) : null;
    if (typeof given !== 'number' || isFlag(field)) return null;
    const whole = Math.round(given);
    return Number.isSafeInteger(whole) ? whole : null;
  };
  return Object.fromEntries(HISTORY_FIELDS.map((field) => [field, value(field)])) as Values;
}

/** Values of the requested fields. */
export type SomeValues = Partial<Values>;

export const isSame = (a: Values, b: Values): boolean =>
  HISTORY_FIELDS.every((field) => a[field] === b[field]);

/** A value as callers get it. */
export const shownAs = (field: Field, value: number | null = null): number | boolean | null =>
  value === null || !isFlag(field) ? value : value === 1;
