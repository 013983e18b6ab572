import { FIELDS } from '../api/fields.ts';
import { duration, energy, percent, power, temperature } from '../format.ts';
import { language } from '../words/index.ts';

export type Field = keyof typeof FIELDS;
type UnitOf<F extends Field> = (typeof FIELDS)[F]['unit'];
export type FieldOf<U extends UnitOf<Field>> = { [F in Field]: UnitOf<F> extends U ? F : never }[Field];
/** Units of numbers. */
export type Unit = Exclude<UnitOf<Field>, 'flag' | 'text'>;

export interface UnitStyle {
  readonly format: (value: number) => string;
  /** Bars show sums, lines show values at a moment. */
  readonly kind: 'line' | 'area' | 'bars';
  /** The scale holds at least this. */
  readonly domain?: readonly [number, number];
  /** A tick of the scale is a round number of this. */
  readonly tick: number;
}

/** How each unit is written and drawn, in the order in which the page of a device shows them. */
export const UNITS = {
  watt: { format: power, kind: 'area', domain: [0, 10], tick: 1 },
  percent: { format: percent, kind: 'area', domain: [0, 100], tick: 1 },
  milli_celsius: { format: temperature, kind: 'line', tick: 1_000 },
  watt_hour: { format: energy, kind: 'bars', domain: [0, 10], tick: 1 },
  second: { format: duration, kind: 'line', tick: 60 },
} as const satisfies Readonly<Record<Unit, UnitStyle>>;

const ALL = Object.keys(FIELDS) as Field[];
export const UNIT_NAMES = Object.keys(UNITS) as Unit[];

export const nameOf = (field: Field): string => FIELDS[field].name[language];
export const isField = (name: string): name is Field => Object.hasOwn(FIELDS, name);
/** The fields of a unit, in the order of the table. */
export const fieldsOf = <U extends UnitOf<Field>>(unit: U): readonly FieldOf<U>[] =>
  ALL.filter((field): field is FieldOf<U> => FIELDS[field].unit === unit);

/** A value in its unit; undefined for a field that is no number. */
export function formatOf(field: Field): UnitStyle['format'] | undefined {
  const { unit } = FIELDS[field];
  return unit === 'flag' || unit === 'text' ? undefined : UNITS[unit].format;
}
