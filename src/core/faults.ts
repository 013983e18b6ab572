import type { TSchema } from 'typebox';
import { Format } from 'typebox/format';
import type { RequestSchema } from './bounded-schema.ts';

/** One thing that is wrong with a value, by the keyword of JSON Schema that says so. */
export interface Fault {
  readonly keyword: string;
  /** Where: names of fields and indices of items, from the value down. */
  readonly path: readonly string[];
  readonly params: Readonly<Record<string, unknown>>;
  /** What stands there. */
  readonly value: unknown;
}

/** A sentence is made of the first few. */
const MOST_FAULTS = 20;

/**
 * The first faults of a value, in the order of the schema; none where it fits. What costs more than the schema permits is not
 * looked at: of a list that is too long no item is, and of fields that are not known only some names are told. TypeBox's own
 * `Errors` walks everything that was sent, and some keywords cost it the square of that.
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
  const tell = (keyword: string, params: Fault['params']) => {
    if (at.faults.length < MOST_FAULTS) at.faults.push({ keyword, path: at.path, params, value });
  };
  if (schema.type !== undefined && !isOf(schema.type, value)) {
    tell('type', { type: schema.type });
    return;
  }
  if (schema.anyOf !== undefined) lookAtChoices(schema.anyOf, value, { ...at, tell });
  if (schema.const !== undefined && value !== schema.const) tell('const', { allowedValue: schema.const });
  if (schema.enum !== undefined && !schema.enum.includes(value)) tell('enum', { allowedValues: schema.enum });
  if (typeof value === 'string') lookAtText(schema, value, tell);
  else if (typeof value === 'number') lookAtNumber(schema, value, tell);
  else if (Array.isArray(value)) lookAtItems(schema, value, { ...at, tell });
  else if (typeof value === 'object' && value !== null) lookAtFields(schema, value, { ...at, tell });
}

type Tell = (keyword: string, params: Fault['params']) => void;

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

/** Inside a choice every member complains: it is told what there is to choose from, or of the one that was meant. */
function lookAtChoices(
  choices: readonly RequestSchema[],
  value: unknown,
  { path, faults, tell }: At & { tell: Tell },
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
  else tell('anyOf', { choices });
}

function lookAtText(schema: RequestSchema, value: string, tell: Tell): void {
  const { minLength, maxLength, pattern, format } = schema;
  if (minLength !== undefined && value.length < 2 * minLength && lengthOf(value) < minLength)
    tell('minLength', { limit: minLength });
  if (maxLength !== undefined && (value.length > 2 * maxLength || lengthOf(value) > maxLength)) {
    tell('maxLength', { limit: maxLength });
    return;
  }
  if (format !== undefined && !Format.Test(format, value)) tell('format', { format });
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(value)) tell('pattern', { pattern });
}

/** In characters, as JSON Schema counts: not in halves of surrogate pairs. */
function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}

function lookAtNumber({ minimum, maximum }: RequestSchema, value: number, tell: Tell): void {
  if (minimum !== undefined && value < minimum) tell('minimum', { limit: minimum });
  if (maximum !== undefined && value > maximum) tell('maximum', { limit: maximum });
}

function lookAtItems(
  { items, minItems, maxItems }: RequestSchema,
  value: readonly unknown[],
  { path, faults, tell }: At & { tell: Tell },
): void {
  if (maxItems !== undefined && value.length > maxItems) {
    tell('maxItems', { limit: maxItems });
    return;
  }
  if (minItems !== undefined && value.length < minItems) tell('minItems', { limit: minItems });
  if (items === undefined) return;
  for (const [index, item] of value.entries()) {
    if (faults.length >= MOST_FAULTS) return;
    look(items, item, { path: [...path, String(index)], faults });
  }
}

function lookAtFields(
  schema: RequestSchema,
  value: object,
  { path, faults, tell }: At & { readonly tell: Tell },
): void {
  const { properties = {}, required = [], additionalProperties, maxProperties } = schema;
  const missing = required.filter((name) => !Object.hasOwn(value, name));
  if (missing.length > 0) tell('required', { requiredProperties: missing });
  if (maxProperties !== undefined && Object.keys(value).length > maxProperties) {
    tell('maxProperties', { limit: maxProperties });
    return;
  }
  if (additionalProperties === false) {
    const unknown: string[] = [];
    for (const name in value) {
      if (!Object.hasOwn(properties, name)) unknown.push(name);
      if (unknown.length === MOST_FAULTS) break;
    }
    if (unknown.length > 0) tell('additionalProperties', { additionalProperties: unknown });
  }
  for (const [name, property] of Object.entries(properties)) {
    const member: unknown = Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
    if (member !== undefined) look(property, member, { path: [...path, name], faults });
  }
}
