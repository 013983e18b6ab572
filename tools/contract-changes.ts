/** The keywords of a schema that are compared. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: boolean | Schema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly discriminator?: { readonly propertyName: string };
  readonly pattern?: string;
  readonly minimum?: number;
  readonly minLength?: number;
  readonly minItems?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
}
interface Body {
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}
interface Operation {
  readonly operationId?: string;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly schema?: Schema;
  }[];
  readonly requestBody?: Body;
  readonly responses?: Readonly<Record<string, Body>>;
}
type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

/** A document without references. */
export interface ComparedDocument {
  readonly paths: Paths;
  readonly webhooks?: Paths;
}

/** A change that breaks callers: the operation, and a sentence. */
interface Breaking {
  readonly operation: string;
  readonly change: string;
}

/** Whether a value is sent by callers or to them: an addition to one breaks the other. */
type Direction = 'sent' | 'received';
type Report = (place: string, change: string) => void;

const LEAST = ['minimum', 'minLength', 'minItems'] as const;
const MOST = ['maximum', 'maxLength', 'maxItems'] as const;

/** The changes between two documents that break a caller of the first. New operations, fields, values and optional parameters do not. */
export function breakingChanges(before: ComparedDocument, after: ComparedDocument): readonly Breaking[] {
  const found: Breaking[] = [];
  const compare = (from: Paths, to: Paths, isSentToCallers: boolean) => {
    for (const [path, methods] of Object.entries(from))
      for (const [method, operation] of Object.entries(methods)) {
        const name = isSentToCallers ? path : `${method.toUpperCase()} ${path}`;
        const report: Report = (place, change) =>
          found.push({ operation: name, change: place === '' ? change : `${place} ${change}` });
        const now = to[path]?.[method];
        if (now === undefined) report('', 'is removed');
        else compareOperations(operation, now, { report, isSentToCallers });
      }
  };
  compare(before.paths, after.paths, false);
  compare(before.webhooks ?? {}, after.webhooks ?? {}, true);
  return found;
}

function compareOperations(
  from: Operation,
  to: Operation,
  { report, isSentToCallers }: { readonly report: Report; readonly isSentToCallers: boolean },
): void {
  if (from.operationId !== to.operationId)
    report('operationId', `changed from ${from.operationId} to ${to.operationId}`);
  const choices = (to.security ?? []).map((one) => JSON.stringify(one));
  for (const choice of from.security ?? [])
    if (!choices.includes(JSON.stringify(choice)) && choices.length > 0)
      report('security', `does not permit ${JSON.stringify(choice)} any more`);
  if ((from.security ?? []).length === 0 && choices.length > 0) report('security', 'is required now');
  const parameters = from.parameters ?? [];
  for (const parameter of to.parameters ?? []) {
    const place = `${parameter.in}.${parameter.name}`;
    const old = parameters.find((one) => one.in === parameter.in && one.name === parameter.name);
    if (parameter.required === true && old?.required !== true && !isSentToCallers)
      report(place, 'is required now');
    if (old !== undefined)
      compareSchemas(old.schema ?? {}, parameter.schema ?? {}, { place, direction: 'sent', report });
  }
  for (const { name, in: place } of parameters)
    if (!(to.parameters ?? []).some((one) => one.in === place && one.name === name))
      report(`${place}.${name}`, 'is removed');
  if (from.requestBody === undefined && to.requestBody !== undefined) report('body', 'is required now');
  const direction = isSentToCallers ? 'received' : 'sent';
  compareBodies(from.requestBody ?? {}, to.requestBody ?? {}, { place: 'body', direction, report });
  for (const [status, response] of Object.entries(from.responses ?? {})) {
    if (!/^2/.test(status)) continue;
    const now = to.responses?.[status];
    if (now === undefined) report(status, 'is removed');
    else compareBodies(response, now, { place: status, direction: 'received', report });
  }
}

interface At {
  readonly place: string;
  readonly direction: Direction;
  readonly report: Report;
}

function compareBodies({ content: from = {} }: Body, { content: to = {} }: Body, at: At): void {
  for (const [type, { schema = {} }] of Object.entries(from)) {
    const now = to[type];
    if (now === undefined) at.report(at.place, `is no ${type} any more`);
    else compareSchemas(schema, now.schema ?? {}, at);
  }
}

function compareSchemas(from: Schema, to: Schema, at: At): void {
  const { place, direction, report } = at;
  const [wide, narrow] = direction === 'sent' ? [to, from] : [from, to];
  const permitted = typesOf(wide);
  const extra = typesOf(narrow).filter((type) => permitted.length > 0 && !permitted.includes(type));
  if (extra.length > 0 || (permitted.length > 0 && typesOf(narrow).length === 0)) {
    report(place, `changed from ${typesOf(from).join(' or ')} to ${typesOf(to).join(' or ') || 'anything'}`);
    return;
  }
  if (direction === 'sent') compareLimits(from, to, at);
  compareVariants(from, to, at);
  compareProperties(from, to, at);
  if (from.items !== undefined && to.items !== undefined)
    compareSchemas(from.items, to.items, { ...at, place: `${place}[]` });
  if (typeof from.additionalProperties === 'object' && typeof to.additionalProperties === 'object')
    compareSchemas(from.additionalProperties, to.additionalProperties, { ...at, place: `${place}.*` });
}

/** The JSON types of a value, those of its variants included. */
function typesOf({ type, anyOf, oneOf, enum: values, const: value }: Schema): readonly string[] {
  const variants = anyOf ?? oneOf;
  if (variants !== undefined) return [...new Set(variants.flatMap(typesOf))];
  if (type !== undefined) return [type].flat();
  if (value !== undefined) return [typeof value];
  return [...new Set((values ?? []).map((one) => typeof one))];
}

/** What callers may send: fewer values, or tighter limits, break them. */
function compareLimits(from: Schema, to: Schema, { place, report }: At): void {
  const values = valuesOf(to);
  const gone = (valuesOf(from) ?? []).filter((value) => values !== undefined && !values.includes(value));
  if (gone.length > 0) report(place, `may not be ${gone.join(', ')} any more`);
  if (
    valuesOf(from) === undefined &&
    values !== undefined &&
    from.anyOf === undefined &&
    from.type !== undefined
  )
    report(place, `may only be ${values.join(', ')} now`);
  for (const limit of LEAST)
    if ((to[limit] ?? -Infinity) > (from[limit] ?? -Infinity)) report(place, `has ${limit} ${to[limit]} now`);
  for (const limit of MOST)
    if ((to[limit] ?? Infinity) < (from[limit] ?? Infinity)) report(place, `has ${limit} ${to[limit]} now`);
  if (to.pattern !== undefined && to.pattern !== from.pattern)
    report(place, `has the pattern ${to.pattern} now`);
}

const valuesOf = ({ enum: values, const: value }: Schema): readonly unknown[] | undefined =>
  value === undefined ? values : [value];

/** Variants are paired by the value of their discriminator, others by their types; of several of one type, with the nearest. */
function compareVariants(from: Schema, to: Schema, at: At): void {
  const variants = from.oneOf ?? from.anyOf;
  const now = to.oneOf ?? to.anyOf;
  if (variants === undefined || now === undefined) return;
  const field = from.discriminator?.propertyName;
  const nameOf = (schema: Schema): string =>
    String((field === undefined ? undefined : schema.properties?.[field]?.const) ?? typesOf(schema).join());
  for (const variant of variants) {
    const name = nameOf(variant);
    const place = `${at.place}(${name})`;
    const [nearest] = now
      .filter((one) => nameOf(one) === name)
      .map((one) => {
        const found: (readonly [string, string])[] = [];
        compareSchemas(variant, one, { ...at, place, report: (...change) => found.push(change) });
        return found;
      })
      .sort((a, b) => a.length - b.length);
    for (const change of nearest ?? []) at.report(...change);
    if (nearest === undefined && field !== undefined) at.report(place, 'is removed');
  }
}

function compareProperties(from: Schema, to: Schema, at: At): void {
  const { place, direction, report } = at;
  const fields = from.properties ?? {};
  for (const [name, schema] of Object.entries(fields)) {
    const field = `${place}.${name}`;
    const now = to.properties?.[name];
    if (now === undefined) report(field, 'is removed');
    else compareSchemas(schema, now, { ...at, place: field });
    const isRequired = to.required?.includes(name) === true;
    if (
      direction === 'received' &&
      now !== undefined &&
      from.required?.includes(name) === true &&
      !isRequired
    )
      report(field, 'may be absent now');
  }
  if (direction === 'received') return;
  for (const name of to.required ?? [])
    if (from.required?.includes(name) !== true) report(`${place}.${name}`, 'is required now');
}
