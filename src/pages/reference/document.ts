/** The parts of an OpenAPI 3.1 document that its page shows. */
export interface ApiDocument {
  readonly info: { readonly title: string; readonly description?: string; readonly version: string };
  /** In the order of the page; other sections follow. */
  readonly tags?: readonly { readonly name: string; readonly description?: string }[];
  readonly components?: { readonly securitySchemes?: Readonly<Record<string, SecurityScheme>> };
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
  readonly webhooks?: ApiDocument['paths'];
}

interface SecurityScheme {
  readonly type: string;
  readonly in?: string;
  readonly name?: string;
  readonly scheme?: string;
  readonly description?: string;
}

interface ApiOperation {
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses?: Readonly<Record<string, Answer>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
  readonly example?: unknown;
}

export interface Answer {
  readonly description?: string;
  readonly content?: Content;
}

type Content = Readonly<Record<string, { readonly schema?: Schema; readonly example?: unknown }>>;

/** The JSON Schema keywords that our documents use. */
export interface Schema {
  readonly type?: string;
  readonly title?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
}

/** Who may call an operation. */
export type Access = 'nobody asked' | 'key optional' | 'key' | 'admin token' | 'session';

/** An operation, with everything about it in one place. */
export interface Operation {
  /** Anchor on the page; made of method and path, so that it is stable. */
  readonly id: string;
  /** In upper case. */
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly description: string | undefined;
  readonly access: Access;
  readonly scope: string | undefined;
  readonly parameters: readonly Parameter[];
  /** The media type that the page sends, all accepted ones, and the schema of the body. */
  readonly body:
    | { readonly type: string; readonly types: readonly string[]; readonly schema: Schema }
    | undefined;
  readonly answers: readonly (Answer & { readonly status: string })[];
}

export interface Section {
  readonly id: string;
  readonly name: string;
  readonly description: string | undefined;
  readonly operations: readonly Operation[];
}

/** How a response is read: as JSON, as an event stream, or as text. */
export function kindOf({ answers }: Operation): 'json' | 'stream' | 'text' {
  const types = answers
    .filter(({ status }) => Number(status) < 300)
    .flatMap(({ content = {} }) => Object.keys(content));
  if (types.includes('text/event-stream')) return 'stream';
  return types.includes('application/json') ? 'json' : 'text';
}

const PLACES = ['path', 'query', 'header'];

/** A document with each reference replaced by what it refers to. */
export function dereferenced<T>(document: T): T {
  const targetOf = (pointer: string): unknown =>
    pointer
      .split('/')
      .slice(1)
      .reduce<unknown>((at, step) => (at as Readonly<Record<string, unknown>> | undefined)?.[step], document);
  const read = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(read);
    if (typeof value !== 'object' || value === null) return value;
    const { $ref, ...own } = value as Readonly<Record<string, unknown>>;
    const parts = Object.fromEntries(Object.entries(own).map(([key, part]) => [key, read(part)]));
    return typeof $ref === 'string' ? { ...(read(targetOf($ref)) as object), ...parts } : parts;
  };
  return read(document) as T;
}

/** The operations of a document by tag, in the order of its list of tags. */
export function sectionsOf(given: ApiDocument): readonly Section[] {
  const document = dereferenced(given);
  const byTag = new Map<string, Operation[]>((document.tags ?? []).map(({ name }) => [name, []]));
  const taken = new Set<string>();
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const tag = operation.tags?.[0] ?? 'Other';
      const read = readOperation({ path, method, operation, taken });
      byTag.set(tag, [...(byTag.get(tag) ?? []), read]);
    }
  }
  return [...byTag]
    .filter(([, operations]) => operations.length > 0)
    .map(([name, operations]) => ({
      id: unique(`tag-${slug(name)}`, taken),
      name,
      description: document.tags?.find((tag) => tag.name === name)?.description,
      operations,
    }));
}

interface OperationSource {
  readonly path: string;
  readonly method: string;
  readonly operation: ApiOperation;
  readonly taken: Set<string>;
}

function readOperation({ path, method, operation, taken }: OperationSource): Operation {
  const { security = [], parameters = [], requestBody } = operation;
  const content = requestBody?.content ?? {};
  // If a form is accepted too, the page still sends JSON.
  const type = 'application/json' in content ? 'application/json' : Object.keys(content)[0];
  const schema = withExample(content[type ?? '']);
  return {
    id: unique(slug(`${method} ${path}`), taken),
    method: method.toUpperCase(),
    path,
    summary: operation.summary ?? path,
    description: operation.description,
    access: accessOf(security),
    scope: security.flatMap((choice) => Object.values(choice).flat())[0],
    parameters: parameters
      .map((parameter) => ({ ...parameter, schema: withOwnExample(parameter) }))
      .toSorted((a, b) => PLACES.indexOf(a.in) - PLACES.indexOf(b.in)),
    body:
      type === undefined || schema === undefined ? undefined : { type, types: Object.keys(content), schema },
    answers: Object.entries(operation.responses ?? {}).map(([status, answer]) => ({
      status,
      ...answer,
      ...(answer.content === undefined ? {} : { content: withExamples(answer.content) }),
    })),
  };
}

const withExamples = (content: Content): Content =>
  Object.fromEntries(
    Object.entries(content).map(([type, media]) => {
      const schema = withExample(media);
      return [type, schema === undefined ? media : { schema }];
    }),
  );

/** Moves a value's example from beside its schema into the schema. */
function withExample(
  of: { readonly schema?: Schema; readonly example?: unknown } | undefined,
): Schema | undefined {
  if (of?.schema === undefined || of.example === undefined) return of?.schema;
  return { ...of.schema, examples: [of.example] };
}

/** The schema of a parameter, with the example of the parameter alone: that of a shared schema is of other places. */
function withOwnExample({ schema = {}, example }: Parameter): Schema {
  const { examples: _, ...rest } = schema;
  return example === undefined ? rest : { ...rest, examples: [example] };
}

function accessOf(security: readonly Readonly<Record<string, unknown>>[]): Access {
  const names = security.flatMap((choice) => Object.keys(choice));
  if (names.length === 0) return 'nobody asked';
  if (names.includes('adminToken')) return 'admin token';
  if (names.includes('session')) return 'session';
  return security.some((choice) => Object.keys(choice).length === 0) ? 'key optional' : 'key';
}

const slug = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');

function unique(id: string, taken: Set<string>): string {
  let free = id;
  for (let count = 2; taken.has(free); count += 1) free = `${id}-${count}`;
  taken.add(free);
  return free;
}

/** The members of a schema that may be one of several, without null; a plain schema is its only member. */
export function membersOf(schema: Schema): readonly Schema[] {
  const members = schema.anyOf ?? schema.oneOf;
  if (members === undefined) return [schema];
  return members.filter(({ type }) => type !== 'null').flatMap(membersOf);
}
