import { Compile, type Validator } from 'typebox/compile';

/** A response as it was sent. */
export interface Sent {
  readonly status: number;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
  /** Whether all of it was sent: a stream that the caller left was not. */
  readonly isWhole: boolean;
}

type Json = { readonly [name: string]: unknown };

/** The parts of an OpenAPI document that this reads. */
export interface OpenApi {
  readonly info: { readonly title: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: { readonly schemas?: Json; readonly responses?: Json };
}

interface Operation {
  readonly security?: readonly object[];
  readonly responses: Readonly<Record<string, Response>>;
}

interface Response {
  readonly $ref?: string;
  readonly headers?: Readonly<Record<string, { readonly $ref?: string; readonly required?: boolean }>>;
  readonly content?: Readonly<Record<string, { readonly schema?: Json }>>;
}

/** Holds responses against an OpenAPI document. */
export interface Contract {
  /** The operation of a route as Fastify has it: `GET` and `/devices/:id`. Undefined where the document has none. */
  operationOf(method: string, url: string): string | undefined;
  /** The faults of a response of an operation; empty where it fits. A body may have no field that is not declared. */
  faultsOf(operation: string, sent: Sent): string[];
}

/** Compiles schemas of the document as they are first needed. */
export function contractOf(document: OpenApi): Contract {
  const operations = new Map<string, Operation>();
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, operation] of Object.entries(methods))
      operations.set(`${method.toUpperCase()} ${path}`, operation);
  const components = { schemas: strictAll(document.components?.schemas ?? {}, document) };
  const validators = new Map<Json, Validator>();
  const validatorOf = (schema: Json): Validator => {
    const found = validators.get(schema);
    if (found !== undefined) return found;
    const made = Compile({ ...strict(schema, document), components });
    validators.set(schema, made);
    return made;
  };
  return {
    operationOf(method, url) {
      const name = `${method === 'HEAD' ? 'GET' : method} ${url.replaceAll(/:(\w+)(\([^)]*\))?/g, '{$1}')}`;
      return operations.has(name) ? name : undefined;
    },
    faultsOf(operation, sent) {
      const { responses = {}, security = [] } = operations.get(operation) ?? {};
      const declared = responses[sent.status];
      if (declared === undefined) return [`the status ${sent.status} is not declared: ${begin(sent.body)}`];
      const response = declared.$ref === undefined ? declared : (at(document, declared.$ref) as Response);
      return [
        ...faultsOfHeaders(sent, response, document),
        ...faultsOfLimits(sent, security),
        ...faultsOfBody(sent, response, validatorOf),
      ];
    },
  };
}

/** The faults of the headers that every response has, and of those that the document requires. */
function faultsOfHeaders({ status, headers }: Sent, { headers: declared = {} }: Response, document: OpenApi) {
  const required = Object.entries(declared).flatMap(([name, header]) => {
    const { required: isRequired } = header.$ref === undefined ? header : (at(document, header.$ref) as Json);
    return isRequired === true ? [name.toLowerCase()] : [];
  });
  // What the document writes for an error has them; a status such as the 503 of /readyz, which is a report, declares none.
  const ofErrors = ['Elnav-Error', ...(status === 429 || status === 503 ? ['Retry-After'] : [])]
    .filter((name) => status >= 400 && name in declared)
    .map((name) => name.toLowerCase());
  const always = ['x-request-id', ...ofErrors];
  const missing = [...new Set([...always, ...required])].filter((name) => headers[name] === undefined);
  const faults = missing.map((name) => `the header ${name} is missing`);
  const link = headers.link;
  if (link !== undefined && !/^<[^<>]+>; rel="[a-z-]+"/.test(String(link)))
    faults.push(`the header link is ${link}`);
  return faults;
}

/** A response that an API key was counted for has the fields of its limits. */
function faultsOfLimits({ status, headers }: Sent, security: readonly object[]): string[] {
  const isCounted = security.length > 0 && security.every((one) => 'apiKey' in one || 'bearer' in one);
  if (!isCounted || status >= 400) return [];
  return ['ratelimit', 'ratelimit-policy']
    .filter((name) => headers[name] === undefined)
    .map((name) => `the header ${name} is missing`);
}

function faultsOfBody(
  sent: Sent,
  { content = {} }: Response,
  validatorOf: (schema: Json) => Validator,
): string[] {
  const { headers, body, status, isWhole } = sent;
  const type = String(headers['content-type'] ?? '').split(';', 1)[0] ?? '';
  const types = Object.keys(content);
  if (types.length === 0) return body === '' ? [] : [`a body is not declared: ${begin(body)}`];
  const media = content[type];
  if (media === undefined)
    return [`the content type is "${type}", not ${types.join(' or ')}, with ${status}`];
  if (media.schema === undefined) return [];
  if (type === 'text/event-stream') return faultsOfEvents(body, validatorOf(media.schema));
  if (type !== 'application/json' || !isWhole) return [];
  return faultsOfJson(body, validatorOf(media.schema));
}

/** Server-sent events: the data of each that is whole. */
function faultsOfEvents(text: string, validator: Validator): string[] {
  const events = text.split('\n\n').slice(0, -1);
  return events.flatMap((event) => {
    const data = event.split('\n').filter((line) => line.startsWith('data: '));
    return data.length === 0
      ? []
      : faultsOfJson(data.map((line) => line.slice('data: '.length)).join('\n'), validator);
  });
}

function faultsOfJson(text: string, validator: Validator): string[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return [`the body is not JSON: ${begin(text)}`];
  }
  if (validator.Check(value)) return [];
  const errors = validator.Errors(value).filter(({ keyword }) => keyword !== 'boolean');
  return errors
    .slice(0, 5)
    .map(
      ({ instancePath, message, params }) =>
        `${instancePath || 'the body'} ${message} ${JSON.stringify(params)}: ${begin(text)}`,
    );
}

/** The keywords whose value is schemas by name, and those whose value is a schema or a list of them. */
const BY_NAME = new Set(['properties', 'patternProperties', '$defs']);
const NESTED = new Set(['items', 'prefixItems', 'additionalProperties', 'anyOf', 'oneOf', 'not']);

/** A schema in which an object has no other fields than the declared ones, unless it says that it may; `isPart`: of an `allOf`. */
function strict(schema: Json, document: OpenApi, isPart = false): Json {
  if (isPart && typeof schema.$ref === 'string') return strict(at(document, schema.$ref), document, true);
  const nested = (value: unknown, part = false): unknown => {
    if (Array.isArray(value)) return value.map((one) => nested(one, part));
    return isJson(value) ? strict(value, document, part) : value;
  };
  const made: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (BY_NAME.has(key) && isJson(value)) made[key] = strictAll(value, document);
    else made[key] = key === 'allOf' ? nested(value, true) : NESTED.has(key) ? nested(value) : value;
  }
  const isUnion = schema.anyOf !== undefined || schema.oneOf !== undefined;
  const isObject = schema.properties !== undefined || (schema.type === 'object' && !isUnion);
  if (isPart) return made;
  if (schema.allOf !== undefined) made.unevaluatedProperties ??= false;
  else if (isObject && schema.patternProperties === undefined) made.additionalProperties ??= false;
  return made;
}

function strictAll(schemas: Json, document: OpenApi): Json {
  const list = Object.entries(schemas).map(([name, schema]) => [
    name,
    isJson(schema) ? strict(schema, document) : schema,
  ]);
  return Object.fromEntries(list);
}

/** What a reference within the document leads to: `#/components/schemas/Device`. */
function at(document: OpenApi, reference: string): Json {
  let found: unknown = document;
  for (const name of reference.slice('#/'.length).split('/')) found = isJson(found) ? found[name] : undefined;
  if (!isJson(found)) throw new Error(`the document has no ${reference}`);
  return found;
}

const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const begin = (text: string): string => text.slice(0, 200);
