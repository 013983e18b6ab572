import { STATUS_CODES } from 'node:http';
import type { FastifySchema, RouteOptions } from 'fastify';
import { exampleOf } from '../../pages/reference/example.ts';
import type { Access } from '../access.ts';
import type { Service } from '../errors.ts';
import { Components, isObject, type Json, mapped } from './components.ts';
import {
  ConnectError,
  ERROR_RESPONSES,
  GridError,
  HEADERS,
  type HeaderName,
  ValidationErrors,
} from './errors.ts';

/** How a list goes on: the parameter that takes a cursor, and where a response has the next one. */
export interface Pagination {
  readonly cursor: string;
  /** The field of the response with the items; absent where the response is a bare list. */
  readonly items?: string;
  /** The field with the next cursor; absent where only the header Link has it, which every such response has. */
  readonly next?: string;
}

declare module 'fastify' {
  interface FastifySchema {
    /** It is a page or belongs to one: not in the document. */
    hide?: boolean;
    /** A call: a verb and what it is done with. It never changes once it is published. */
    operationId?: string;
    summary?: string;
    description?: string;
    tags?: readonly string[];
    pagination?: Pagination;
    /** Headers of its own that a good response may have. */
    sends?: readonly HeaderName[];
  }
}

/** A route as the server has it. */
interface ContractRoute {
  readonly method: string;
  /** With `:name` for each parameter. */
  readonly url: string;
  readonly access: Access;
  /** A browser that asks for a page gets errors as one. */
  readonly showsErrors: boolean;
  readonly schema: FastifySchema;
}

export interface About {
  readonly service: Service;
  readonly title: string;
  readonly description: string;
  readonly version: string;
  /** Sections of the page, in order. */
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  /** Requests that are sent to callers, by name: their operations, with the schema of the body. */
  readonly webhooks?: Readonly<Record<string, Json>>;
}

/** The routes of a server that belong to its document, as they are added from now on. */
export function collectRoutes(app: {
  addHook(name: 'onRoute', hook: (route: RouteOptions) => void): unknown;
}): readonly ContractRoute[] {
  const routes: ContractRoute[] = [];
  app.addHook('onRoute', ({ method, url, schema, config }) => {
    if (schema === undefined || schema.hide === true || config?.access === undefined) return;
    const { access, showError } = config;
    const showsErrors = showError !== undefined;
    for (const one of [method].flat())
      if (one !== 'HEAD') routes.push({ method: one.toLowerCase(), url, access, showsErrors, schema });
  });
  return routes;
}

/** The OpenAPI 3.1 document of a service. Throws where two schemas share a name, or two operations an id. */
export function contractOf(routes: readonly ContractRoute[], about: About, address: string) {
  const { service, title, description, version, tags } = about;
  const components = new Components();
  const writer = { service, components, errors: new Set<number>(), headers: new Set<HeaderName>() };
  const paths: Record<string, Record<string, Json>> = {};
  const ids = new Set<string>();
  for (const route of routes) {
    const operation = operationOf(route, writer);
    const id = String(operation.operationId);
    if (ids.has(id)) throw new Error(`two operations have the id ${id}`);
    ids.add(id);
    const path = route.url.replaceAll(/:([^/]+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method]: operation };
  }
  const webhooks = mapped(about.webhooks ?? {}, (operation) => webhookOf(operation, writer));
  const responses = Object.fromEntries(
    [...writer.errors]
      .sort((a, b) => a - b)
      .map((status) => [ERROR_RESPONSES[status]?.name ?? String(status), errorOf(status, writer)]),
  );
  const headers = Object.fromEntries(
    [...writer.headers].sort().map((name) => {
      const { schema, ...header } = HEADERS[name];
      return [name, { ...header, schema: components.schemaOf(schema) }];
    }),
  );
  return {
    openapi: '3.1.0',
    info: { title, description, version, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [
      {
        url: `{${service}}`,
        description: 'This service',
        variables: { [service]: { default: address, description: 'Its public address' } },
      },
    ],
    tags,
    paths,
    ...(about.webhooks === undefined ? {} : { webhooks }),
    components: { schemas: components.schemas, responses, headers, securitySchemes: schemesOf(service) },
  };
}

export type ContractDocument = ReturnType<typeof contractOf>;

interface Writer {
  readonly service: Service;
  readonly components: Components;
  /** Statuses of the error responses that are referred to. */
  readonly errors: Set<number>;
  readonly headers: Set<HeaderName>;
}

function operationOf(route: ContractRoute, writer: Writer): Json {
  const { method, url, schema } = route;
  const { operationId, summary, description, tags, pagination } = schema;
  if (operationId === undefined) throw new Error(`${method.toUpperCase()} ${url} has no operationId`);
  const parameters = [
    ...parametersOf('path', schema.params, writer),
    ...parametersOf('query', schema.querystring, writer),
    ...parametersOf('header', schema.headers, writer),
  ];
  return {
    operationId,
    summary,
    ...(description === undefined ? {} : { description }),
    tags,
    security: securityOf(route.access),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(isObject(schema.body) ? { requestBody: bodyOf(schema.body, writer) } : {}),
    responses: responsesOf(route, writer),
    ...(pagination === undefined ? {} : { 'x-pagination': pagination }),
  };
}

function webhookOf(given: unknown, writer: Writer): Json {
  const { body, parameters, responses, ...operation } = isObject(given) ? given : {};
  return {
    post: {
      ...operation,
      security: [],
      parameters: parametersOf('header', parameters, writer),
      ...(isObject(body) ? { requestBody: bodyOf(body, writer) } : {}),
      responses,
    },
  };
}

function parametersOf(place: 'path' | 'query' | 'header', of: unknown, { components }: Writer): Json[] {
  if (!isObject(of) || !isObject(of.properties)) return [];
  const required = Array.isArray(of.required) ? of.required : [];
  return Object.entries(of.properties).map(([name, given]) => {
    const { description, examples, ...schema } = isObject(given) ? given : {};
    const [example] = Array.isArray(examples) ? examples : [];
    return {
      name,
      in: place,
      required: place === 'path' || required.includes(name),
      ...(description === undefined ? {} : { description }),
      schema: components.schemaOf(schema),
      ...(example === undefined ? {} : { example }),
    };
  });
}

function bodyOf(body: Json, writer: Writer): Json {
  const { content } = body;
  return {
    required: true,
    content: isObject(content)
      ? mapped(content, (media) => mediaOf(media, writer, { onlyRequired: true }))
      : { 'application/json': mediaOf({ schema: body }, writer, { onlyRequired: true }) },
  };
}

function mediaOf(
  media: unknown,
  { components }: Writer,
  options: { readonly onlyRequired?: boolean } = {},
): Json {
  const schema = isObject(media) && isObject(media.schema) ? media.schema : {};
  const shown = isObject(schema.documented) && schema.examples === undefined ? schema.documented : schema;
  const example = isText(schema) ? undefined : exampleOf(shown, options);
  return { schema: components.schemaOf(schema), ...(example === undefined ? {} : { example }) };
}

/** A body that is not JSON: a page, a stream, a table. */
const isText = ({ type, examples }: Json): boolean => type === 'string' && examples === undefined;

function responsesOf(route: ContractRoute, writer: Writer): Json {
  const { access, schema } = route;
  const declared = isObject(schema.response) ? schema.response : {};
  const statuses = new Set([...Object.keys(declared).map(Number), ...errorsOf(route, writer.service)]);
  const isCached = statuses.has(304);
  const isOnce = isObject(schema.headers) && JSON.stringify(schema.headers).includes('idempotency-key');
  const good: HeaderName[] = [
    ...(isLimited(access) ? (['RateLimit', 'RateLimit-Policy'] as const) : []),
    ...(isOnce ? (['Idempotent-Replayed'] as const) : []),
    ...(schema.pagination === undefined ? [] : (['Link'] as const)),
    ...(schema.sends ?? []),
  ];
  const sorted = [...statuses].sort((a, b) => a - b);
  return Object.fromEntries(
    sorted.map((status) => {
      const given = isObject(declared[status]) ? declared[status] : undefined;
      if (status >= 400) {
        const refused = route.showsErrors
          ? withPage(ownOf(status, given, writer))
          : refusedOf(status, given, writer);
        return [status, refused];
      }
      const headers = [
        ...(status === 302 || status === 303 ? (['Location'] as const) : []),
        ...(isCached && (status === 200 || status === 304) ? (['ETag'] as const) : []),
        ...(status < 300 ? good : []),
      ];
      return [status, answerOf(given ?? {}, headers, writer)];
    }),
  );
}

/** The response of a status that is no error. */
function answerOf(given: Json, headers: readonly HeaderName[], writer: Writer): Json {
  const { content, description } = given;
  const isEmpty = given.type === 'null';
  const media = isObject(content)
    ? mapped(content, (one) => mediaOf(one, writer))
    : { 'application/json': mediaOf({ schema: given }, writer) };
  return {
    description: typeof description === 'string' ? description : inWords(given),
    headers: headersOf(['X-Request-Id', ...headers], writer),
    ...(isEmpty ? {} : { content: media }),
  };
}

/** The response of an error: the one of its status, unless the route says more of it. */
function refusedOf(status: number, given: Json | undefined, writer: Writer): Json {
  const usual = ERROR_RESPONSES[status];
  if (usual === undefined) throw new Error(`the status ${status} is none that errors have`);
  const text = given?.description;
  const isUsual =
    given === undefined ||
    (given.title === 'Error' && (text === undefined || text === usual[writer.service]));
  if (isUsual || given.title === 'ValidationError') {
    writer.errors.add(status);
    return { $ref: `#/components/responses/${usual.name}` };
  }
  return ownOf(status, given, writer);
}

/** The response of an error, written out. */
function ownOf(status: number, given: Json | undefined, writer: Writer): Json {
  const text = given?.description;
  return { ...errorOf(status, writer, given), ...(typeof text === 'string' ? { description: text } : {}) };
}

function errorOf(status: number, writer: Writer, given?: Json): Json {
  const { service, components } = writer;
  const usual = service === 'connect' ? ConnectError : status === 422 ? ValidationErrors : GridError;
  const schema: Json = { ...(given ?? usual) };
  // A status of an error with another body, as of /readyz, is a report and no error.
  const isError = ['Error', 'ValidationError'].includes(String(schema.title));
  const headers: HeaderName[] = ['X-Request-Id', ...(isError ? (['Elnav-Error'] as const) : [])];
  if (isError && [403, 409, 429, 502, 503].includes(status)) headers.push('Retry-After');
  if (status === 429) headers.push('RateLimit', 'RateLimit-Policy');
  const { description: _, ...own } = schema;
  return {
    description: ERROR_RESPONSES[status]?.[service] ?? '',
    headers: headersOf(headers, writer),
    content: { 'application/json': { schema: components.schemaOf(own), example: exampleOf(own) } },
  };
}

/** An error that a browser gets as a page. */
function withPage({ content, ...rest }: Json): Json {
  const page = { schema: { type: 'string', description: 'For a browser that asks for a page' } };
  return { ...rest, content: { ...(isObject(content) ? content : {}), 'text/html': page } };
}

function headersOf(names: readonly HeaderName[], { headers }: Writer): Json {
  for (const name of names) headers.add(name);
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** The description of a response without one of its own, from the name of its schema. */
function inWords(schema: Json): string {
  const { title, items } = schema;
  const words = (name: string) => name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
  if (typeof title === 'string') return `The ${words(title)}`;
  if (isObject(items) && typeof items.title === 'string')
    return `A list; each item is the ${words(items.title)}`;
  return STATUS_CODES[200] ?? '';
}

/** Calls that count towards the limits of an account. */
const isLimited = (access: Access): boolean =>
  !['public', 'optional', 'admin', 'session', 'operator', 'operator-session', 'console'].includes(access);

/** The errors that a route may have because of who may call it, and of what it takes. */
function errorsOf({ method, access, url, schema }: ContractRoute, service: Service): number[] {
  const { params, querystring, body } = schema;
  const takes = params !== undefined || querystring !== undefined || body !== undefined;
  const isOpen = access === 'public' || access === 'operator';
  return [
    400,
    500,
    503,
    ...(isOpen ? [] : [401, 403]),
    ...(isOpen || access === 'session' ? [] : [429]),
    ...(method === 'get' ? [] : [408, 413, 415]),
    ...(url.includes(':') ? [404] : []),
    ...(service === 'grid' && takes ? [422] : []),
  ];
}

const SESSION_COOKIES = {
  connect: {
    name: 'elnav_console',
    description:
      'Set by opening /console, for its pages alone; with TLS its name is __Host-elnav_console. It is accepted wherever a key is.',
  },
  grid: { name: 'elnav_session', description: 'Set by signing in, for the pages of an account.' },
} as const satisfies Record<Service, object>;

function schemesOf(service: Service) {
  const key =
    'An API key. It belongs to an account and has scopes. Its calls count towards the limits of the account.';
  return {
    apiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key', description: key },
    bearer: {
      type: 'http',
      scheme: 'bearer',
      description: 'The same API key, in the other header that is accepted.',
    },
    adminToken: {
      type: 'apiKey',
      in: 'header',
      name: 'X-Admin-Token',
      description: 'For administration and metrics only; set by the operator of the service.',
    },
    session: { type: 'apiKey', in: 'cookie', ...SESSION_COOKIES[service] },
  };
}

/** OpenAPI's security requirements of a route; version 3.1 allows the scopes of a key in them. Empty: nothing is needed. */
function securityOf(access: Access): Record<string, string[]>[] {
  switch (access) {
    case 'public':
      return [];
    case 'admin':
      return [{ adminToken: [] }];
    case 'session':
    case 'operator-session':
    case 'console':
      return [{ session: [] }];
    case 'operator':
      return [{ adminToken: [] }, {}];
    case 'anonymous':
    case 'optional':
      return [{ apiKey: [] }, { bearer: [] }, {}];
    case 'key':
      return [{ apiKey: [] }, { bearer: [] }];
    default:
      return [{ apiKey: [access] }, { bearer: [access] }];
  }
}
