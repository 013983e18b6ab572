import type { ApiDocument, Schema } from '../src/pages/reference/document.ts';

/** An OpenAPI document with what is sent to callers. */
type Document = ApiDocument & {
  readonly webhooks?: ApiDocument['paths'];
};
type JsonSchema = Omit<Schema, 'type' | 'additionalProperties'> & {
  readonly type?: string | readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>;
};

const SIMPLE: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
};
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
const JSON_TYPE = 'application/json';

/** TypeScript types of every operation that has a JSON response, and of the data of every event, as a module. */
export function apiTypes({ paths, webhooks = {} }: Document): string {
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      if (operation === undefined) return [];
      const { parameters = [], requestBody, responses = {} } = operation;
      const query = parameters.filter((one) => one.in === 'query');
      const ok = Object.entries(responses).filter(([status]) => status.startsWith('2'));
      const contents = ok.map(([, { content }]) => content?.[JSON_TYPE]?.schema);
      const response = contents.map((schema) => (schema === undefined ? 'null' : typeOf(schema)));
      const asked = query.map(
        ({ name, required, schema = {} }) =>
          `${JSON.stringify(name)}${required === true ? '' : '?'}: ${typeOf(schema)} | undefined`,
      );
      const body = requestBody?.content[JSON_TYPE]?.schema;
      return [
        `  ${JSON.stringify(`${method.toUpperCase()} ${path}`)}: {`,
        `    query: ${braced(asked)};`,
        `    body: ${body === undefined ? 'undefined' : typeOf(body)};`,
        `    response: ${[...new Set(response)].join(' | ') || 'null'};`,
        '  };',
      ];
    }),
  );
  const events = Object.entries(webhooks).map(([type, { post }]) => {
    const schema = post?.requestBody?.content[JSON_TYPE]?.schema;
    const data = schema?.properties?.data ?? {};
    return `  ${JSON.stringify(type)}: ${typeOf(data)};`;
  });
  return [
    '/** Every operation, by method and path. */',
    'export interface Operations {',
    ...operations,
    '}',
    '',
    '/** What the events of each type hold in `data`. */',
    'export interface EventData {',
    ...events,
    '}',
    '',
  ].join('\n');
}

function typeOf(given: Schema): string {
  const schema = given as JsonSchema;
  const { type, enum: values, anyOf, oneOf, items } = schema;
  if ('const' in schema) return JSON.stringify(schema.const);
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(' | ');
  const some = anyOf ?? oneOf;
  if (some !== undefined) return [...new Set(some.map(typeOf))].join(' | ');
  if (typeof type === 'object') return type.map((one) => typeOf({ ...given, type: one })).join(' | ');
  if (type === 'array') return items === undefined ? 'unknown[]' : `(${typeOf(items)})[]`;
  if (type === 'object') return objectOf(schema);
  return SIMPLE[type ?? ''] ?? 'unknown';
}

function objectOf({ properties = {}, required = [], ...others }: JsonSchema): string {
  const needed = new Set(required);
  const fields = Object.entries(properties).map(
    ([name, schema]) => `${JSON.stringify(name)}${needed.has(name) ? '' : '?'}: ${typeOf(schema)}`,
  );
  const rest =
    Object.values(others.patternProperties ?? {})[0] ??
    (typeof others.additionalProperties === 'object' ? others.additionalProperties : undefined);
  if (rest === undefined) return braced(fields);
  // Other fields may have other types than those that are named.
  const free = `{ [field: string]: ${fields.length === 0 ? typeOf(rest as Schema) : 'unknown'} }`;
  return fields.length === 0 ? free : `${braced(fields)} & ${free}`;
}

const braced = (fields: readonly string[]): string =>
  fields.length === 0 ? '{}' : `{ ${fields.join('; ')} }`;
