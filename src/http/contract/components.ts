import { isDeepStrictEqual } from 'node:util';

/** A schema, or another object of a document. */
export type Json = Readonly<Record<string, unknown>>;

/** Keywords that say something of a place where a schema is used: they stand beside a reference to it. */
const ANNOTATIONS = ['description', 'examples', 'default'] as const;
/** The pattern of `Type.Record(Type.String(), …)`. */
const ANY_NAME = '^.*$';
const SCHEMAS = '#/components/schemas/';

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Values of an object, each made from the one before. */
export const mapped = <T>(object: Json, make: (value: unknown, key: string) => T): Record<string, T> =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, make(value, key)]));

/**
 * The schemas of a document. One with a `title` is declared once, under this name, and referred to wherever it is used; two that
 * differ in more than annotations cannot have one name. `documented` in a schema is what callers read in its place, where
 * the schema itself is made for the serializer, or is judged in two steps.
 */
export class Components {
  readonly #named = new Map<string, Json>();

  /** All named schemas, by name. */
  get schemas(): Record<string, Json> {
    return Object.fromEntries([...this.#named].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** A schema as the document has it. Throws where its name is that of another. */
  schemaOf(given: object): Json {
    const { documented, ...own }: Json = { ...given };
    if (isObject(documented)) {
      const { title } = own;
      return this.schemaOf({
        ...(title === undefined ? {} : { title }),
        ...annotationsOf(own),
        ...documented,
      });
    }
    const { title, ...schema } = tidied({
      ...mapped(own, (value, keyword) => this.#part(keyword, value)),
      ...this.#choice(own),
    });
    if (typeof title !== 'string') return schema;
    const known = this.#named.get(title);
    if (known === undefined) this.#named.set(title, schema);
    else if (!isDeepStrictEqual(rulesOf(known), rulesOf(schema)))
      throw new Error(`two schemas that differ have the title ${title}`);
    const beside = Object.entries(annotationsOf(schema)).filter(
      ([keyword, value]) => known !== undefined && !isDeepStrictEqual(known[keyword], value),
    );
    return { $ref: `${SCHEMAS}${title}`, ...Object.fromEntries(beside) };
  }

  #part(keyword: string, value: unknown): unknown {
    switch (keyword) {
      case 'properties':
      case 'patternProperties':
        return isObject(value) ? mapped(value, (one) => this.#schema(one)) : value;
      case 'items':
      case 'additionalProperties':
        return this.#schema(value);
      case 'anyOf':
      case 'oneOf':
      case 'allOf':
        return Array.isArray(value) ? value.map((one) => this.#schema(one)) : value;
      default:
        return value;
    }
  }

  /** Of a union whose members have names: which of them the value of one field chooses. */
  #choice({ anyOf, discriminator }: Json): Json {
    if (!isObject(discriminator) || !Array.isArray(anyOf)) return {};
    const { propertyName } = discriminator;
    const mapping = (anyOf as readonly Json[]).map((member) => {
      const { const: value } = at(at(member, 'properties'), String(propertyName));
      return [value, `${SCHEMAS}${member.title}`];
    });
    return {
      type: 'object',
      required: [propertyName],
      anyOf: undefined,
      oneOf: anyOf.map((one) => this.#schema(one)),
      discriminator: { propertyName, mapping: Object.fromEntries(mapping) },
    };
  }

  #schema(value: unknown): unknown {
    return isObject(value) ? this.schemaOf(value) : value;
  }
}

const at = (object: Json, key: string): Json => (isObject(object[key]) ? object[key] : {});

const annotationsOf = (schema: Json): Json =>
  Object.fromEntries(ANNOTATIONS.flatMap((key) => (key in schema ? [[key, schema[key]]] : [])));

const rulesOf = (schema: Json): Json =>
  Object.fromEntries(Object.entries(schema).filter(([key]) => !ANNOTATIONS.some((one) => one === key)));

/** Says the type of an enum of texts, and leaves out bounds that are those of JSON's numbers and not of the field. */
function tidied(given: Record<string, unknown>): Record<string, unknown> {
  const schema = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const { enum: values, minimum, maximum } = schema;
  if (Array.isArray(values) && !('type' in schema) && values.every((one) => typeof one === 'string'))
    return { type: 'string', ...schema };
  const { patternProperties, ...rest } = schema;
  const [only, ...others] = isObject(patternProperties) ? Object.entries(patternProperties) : [];
  // Any name: generators understand this form alone.
  if (only !== undefined && others.length === 0 && only[0] === ANY_NAME)
    return tidied({ ...rest, additionalProperties: only[1] });
  if (typeof minimum === 'number' && minimum <= Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (typeof maximum === 'number' && maximum >= Number.MAX_SAFE_INTEGER) delete schema.maximum;
  return schema;
}
