import type { TSchema } from 'typebox';

/** The keywords that requests are validated by. */
export interface RequestSchema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly RequestSchema[];
  readonly properties?: Readonly<Record<string, RequestSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | RequestSchema;
  readonly maxProperties?: number;
  readonly items?: RequestSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly description?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** All keywords allowed in the schema of a request: descriptive ones, and those whose cost is bounded. */
const DESCRIBING = [
  'title',
  'description',
  'default',
  'examples',
  'writeOnly',
  'discriminator',
  'documented',
  'x-api-only',
  'x-device-types',
];
const JUDGING = {
  type: true,
  const: true,
  enum: true,
  anyOf: true,
  properties: true,
  required: true,
  additionalProperties: true,
  maxProperties: true,
  items: true,
  minItems: true,
  maxItems: true,
  minLength: true,
  maxLength: true,
  pattern: true,
  format: true,
  minimum: true,
  maximum: true,
} satisfies Record<Exclude<keyof RequestSchema, 'description'>, true>;
const TYPES = ['object', 'array', 'string', 'integer', 'number', 'boolean', 'null'];

/**
 * Faults that keep a schema from bounding the cost of a check: a list, text or map without a maximum, or a keyword of unknown cost
 * (`uniqueItems` is quadratic). Each is a sentence that names the place; empty for a good schema.
 */
export function unboundedIn(schema: TSchema, place = 'body'): readonly string[] {
  return unbounded(schema as RequestSchema, place);
}

function unbounded(schema: RequestSchema, place: string): string[] {
  const faults = Object.keys(schema)
    .filter((keyword) => !Object.hasOwn(JUDGING, keyword) && !DESCRIBING.includes(keyword))
    .map((keyword) => `${place} has ${keyword}, which is not supported for requests`);
  const { type, items, properties = {}, anyOf = [], additionalProperties } = schema;
  if (type !== undefined && !TYPES.includes(type)) faults.push(`${place} has a type that JSON does not have`);
  const isNamed = schema.const !== undefined || schema.enum !== undefined;
  if (type === 'string' && !isNamed && schema.maxLength === undefined)
    faults.push(`${place} is missing maxLength`);
  if (type === 'array' && schema.maxItems === undefined) faults.push(`${place} is missing maxItems`);
  const isMap = additionalProperties !== undefined && additionalProperties !== false;
  if (isMap && schema.maxProperties === undefined) faults.push(`${place} is missing maxProperties`);
  if (isMap && additionalProperties !== true)
    faults.push(`${place} has a schema for unknown fields, which is not supported for requests`);
  if (items !== undefined) faults.push(...unbounded(items, `${place}[]`));
  for (const [name, property] of Object.entries(properties))
    faults.push(...unbounded(property, `${place}.${name}`));
  for (const choice of anyOf) faults.push(...unbounded(choice, place));
  return faults;
}
