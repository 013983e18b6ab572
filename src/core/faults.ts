import type { TSchema } from 'typebox';
import { Format } from 'typebox/format';
import type { RequestSchema } from './bounded-schema.ts';

/** One fault of a value, with the keyword of JSON Schema that it violates. */
export interface Fault {
  readonly keyword: string;
  /** The path to the faulty part: field names and list indices. */
  readonly path: readonly string[];
  readonly params: Readonly<Record<string, unknown>>;
  /** The faulty part. */
  readonly value: unknown;
}

/** The sentence for the caller uses the first few. */
const MOST_FAULTS = 20;

/**
 * The first faults of a value, in the order of the schema; empty when it is valid. Parts beyond the schema's limits are not checked:
 * no item of a list that is too long, and only some unknown fields. TypeBox's own `Errors` walks everything that was sent, and
 * some keywords cost it quadratic time.
 */
export function faultsIn(schema: TSchema, value: unknown): readonly Fault[] {
  const faults: Fault[] = [];
  look(schema as RequestSchema, value, { path: [], faults });
  return faults;
}

interface At {
  readonly path: readonly string[];
  readonly faults: Fault[];
}

function look(schema: RequestSchema, value: unknown, at: At): void {
  const report = (keyword: string, params: Fault['params']) => {
    if (at.faults.length < MOST_FAULTS) at.faults.push({ keyword, path: at.path, params, value });
  };
  if (schema.type !== undefined && !isOf(schema.type, value)) {
    report('type', { type: schema.type });
    return;
  }
  if (schema.anyOf !== undefined) checkChoices(schema.anyOf, value, { ...at, report });
  if (schema.const !== undefined && value !== schema.const) report('const', { allowedValue: schema.const });
  if (schema.enum !== undefined && !schema.enum.includes(value))
    report('enum', { allowedValues: schema.enum });
  if (typeof value === 'string') checkText(schema, value, report);
  else if (typeof value === 'number') checkNumber(schema, value, report);
  else if (Array.isArray(value)) checkItems(schema, value, { ...at, report });
  else if (typeof value === 'object' && value !== null) checkFields(schema, value, { ...at, report });
}

type Report = (keyword: string, params: Fault['params']) => void;

function isOf(type: string, value: unknown): boolean {
  switch (type) {
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return Number.isFinite(value);
    case 'null':
      return value === null;
    default:
      return typeof value === type;
  }
}

/** Every member of a union fails: reports the choices, or the faults of the member that was evidently meant. */
function checkChoices(
  choices: readonly RequestSchema[],
  value: unknown,
  { path, faults, report }: At & { report: Report },
): void {
  const found = choices.map((choice) => {
    const own: Fault[] = [];
    look(choice, value, { path, faults: own });
    return own;
  });
  if (found.some((own) => own.length === 0)) return;
  const meant = found.filter(
    ([first]) => !['type', 'const', 'enum'].includes(first?.keyword ?? '') || first?.path !== path,
  );
  const [only] = meant;
  if (only !== undefined && meant.length === 1) faults.push(...only.slice(0, MOST_FAULTS - faults.length));
  else report('anyOf', { choices });
}

function checkText(schema: RequestSchema, value: string, report: Report): void {
  const { minLength, maxLength, pattern, format, description } = schema;
  if (minLength !== undefined && value.length < 2 * minLength && lengthOf(value) < minLength)
    report('minLength', { limit: minLength });
  if (maxLength !== undefined && (value.length > 2 * maxLength || lengthOf(value) > maxLength)) {
    report('maxLength', { limit: maxLength });
    return;
  }
  if (format !== undefined && !Format.Test(format, value)) report('format', { format });
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(value))
    report('pattern', { pattern, description });
}

/** In characters, as JSON Schema counts, not in UTF-16 code units. */
function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}

function checkNumber({ minimum, maximum }: RequestSchema, value: number, report: Report): void {
  if (minimum !== undefined && value < minimum) report('minimum', { limit: minimum });
  if (maximum !== undefined && value > maximum) report('maximum', { limit: maximum });
}

function checkItems(
  { items, minItems, maxItems }: RequestSchema,
  value: readonly unknown[],
  { path, faults, report }: At & { report: Report },
): void {
  if (maxItems !== undefined && value.length > maxItems) {
    report('maxItems', { limit: maxItems });
    return;
  }
  if (minItems !== undefined && value.length < minItems) report('minItems', { limit: minItems });
  if (items === undefined) return;
  for (const [index, item] of value.entries()) {
    if (faults.length >= MOST_FAULTS) return;
    look(items, item, { path: [...path, String(index)], faults });
  }
}

function checkFields(
  schema: RequestSchema,
  value: object,
  { path, faults, report }: At & { readonly report: Report },
): void {
  const { properties = {}, required = [], additionalProperties, maxProperties } = schema;
  const missing = required.filter((name) => !Object.hasOwn(value, name));
  if (missing.length > 0) report('required', { requiredProperties: missing });
  if (maxProperties !== undefined && Object.keys(value).length > maxProperties) {
    report('maxProperties', { limit: maxProperties });
    return;
  }
  if (additionalProperties === false) {
    const unknown: string[] = [];
    for (const name in value) {
      if (!Object.hasOwn(properties, name)) unknown.push(name);
      if (unknown.length === MOST_FAULTS) break;
    }
    if (unknown.length > 0) report('additionalProperties', { additionalProperties: unknown });
  }
  for (const [name, property] of Object.entries(properties)) {
    const member: unknown = Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
    if (member !== undefined) look(property, member, { path: [...path, name], faults });
  }
}
