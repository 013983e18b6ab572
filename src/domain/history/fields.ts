/** How a field of a state becomes one of a quarter of an hour. */
export type Summary = 'mean' | 'difference' | 'last';

/** The fields of a state that history has. The word of a vendor for the state (`operation_state`) is text, and is in the event log alone. */
export const FIELDS = {
  battery_soc: 'mean',
  power_w: 'mean',
  energy_wh: 'difference',
  temperature_milli_c: 'mean',
  production_w: 'mean',
  remaining_seconds: 'last',
  connected: 'last',
  charging: 'last',
  power_on: 'last',
  door_open: 'last',
} as const satisfies Record<string, Summary>;

export type Field = keyof typeof FIELDS;
export const FIELD_NAMES = Object.keys(FIELDS) as Field[];

const FLAGS: ReadonlySet<string> = new Set(['connected', 'charging', 'power_on', 'door_open']);

/** A value of each field, as a whole number (flags: 0 or 1); null where it has none. */
export type Values = { readonly [F in Field]: number | null };

/** The values in a state. What is no number of that size is none, so that nothing a vendor sends can hold up the others. */
export function valuesOf(state: Readonly<Record<string, unknown>>): Values {
  const value = (field: Field): number | null => {
    const given = state[field];
    if (typeof given === 'boolean') return FLAGS.has(field) ? Number(given) : null;
    if (typeof given !== 'number' || FLAGS.has(field)) return null;
    const whole = Math.round(given);
    return Number.isSafeInteger(whole) ? whole : null;
  };
  return Object.fromEntries(FIELD_NAMES.map((field) => [field, value(field)])) as Values;
}

/** Values of the fields that somebody asks for. */
export type SomeValues = Partial<Values>;

export const isSame = (a: Values, b: Values): boolean => FIELD_NAMES.every((field) => a[field] === b[field]);

/** A value as callers get it. */
export const shownAs = (field: Field, value: number | null = null): number | boolean | null =>
  value === null || !FLAGS.has(field) ? value : value === 1;
