import { membersOf, type Schema } from './document.ts';

const DEEPEST = 8;

/** Examples of texts by format. */
const BY_FORMAT: Readonly<Record<string, string>> = {
  date: '2026-11-21',
  'date-time': '2026-11-21T13:00:00Z',
  email: 'anna@example.com',
  uri: 'https://example.com/',
};

/** Examples by field name, for names with one meaning everywhere. */
const BY_NAME: Readonly<Record<string, string>> = {
  actor: 'admin token',
  action: 'user.create',
  api_key: 'elnav_c8XvR2mQ_…',
  application_id: 'Ap3xL9dTq2',
  company: 'Solbilar AB',
  contact_name: 'Anna Berg',
  detail: 'what is wrong, where, and what would be right',
  email: 'anna@example.com',
  error: 'what is wrong, where, and what would be right',
  ip: '203.0.113.7',
  key_id: 'c8XvR2mQ',
  label: 'production',
  password: 'a few unrelated words',
  reason: 'too many wrong keys',
  request_id: 'req-0001',
  route: '/devices/{id}',
  scopes: 'link:write devices:read devices:command',
  service: 'connect',
  status_class: '2xx',
  tier: 'free',
  use_case: 'charging at home',
  website: 'https://example.com/',
};

/** Optional fields that few of their kind have: an example with them would be of none that exists. */
const RARE: ReadonlySet<string> = new Set(['measures']);

interface ExampleOptions {
  /** Leaves out optional fields; for request bodies. */
  readonly onlyRequired?: boolean;
  readonly name?: string;
  readonly depth?: number;
}

/** A value that is valid by a schema: its example, else one made from its keywords. */
export function exampleOf(schema: Schema, options: ExampleOptions = {}): unknown {
  const { onlyRequired = false, name = '', depth = 0 } = options;
  if (schema.examples !== undefined && schema.examples.length > 0) return schema.examples[0];
  if (schema.default !== undefined && schema.default !== '') return schema.default;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum.find((value) => value !== '') ?? schema.enum[0];
  const [member] = membersOf(schema);
  if (member === undefined || depth > DEEPEST) return null;
  if (member !== schema) return exampleOf(member, options);
  switch (schema.type) {
    case 'object': {
      const { properties = {}, required = [] } = schema;
      const names = Object.keys(properties).filter(
        (one) => required.includes(one) || (!onlyRequired && !RARE.has(one)),
      );
      return Object.fromEntries(
        names.map((one) => [
          one,
          exampleOf(properties[one] ?? {}, { onlyRequired, name: one, depth: depth + 1 }),
        ]),
      );
    }
    case 'array':
      return Array.from({ length: Math.max(1, schema.minItems ?? 1) }, () =>
        exampleOf(schema.items ?? {}, { onlyRequired, name, depth: depth + 1 }),
      );
    case 'integer':
    case 'number':
      return withinLimits(schema);
    case 'boolean':
      return true;
    case 'string':
      return BY_FORMAT[schema.format ?? ''] ?? (isDecimal(schema) ? '0.4213' : (BY_NAME[name] ?? 'text'));
    default:
      return schema.properties === undefined ? null : exampleOf({ ...schema, type: 'object' }, options);
  }
}

const withinLimits = ({ minimum = 0, maximum = Number.MAX_SAFE_INTEGER }: Schema): number =>
  Math.min(Math.max(minimum, 1), maximum);

const isDecimal = ({ pattern }: Schema): boolean => pattern?.startsWith('^-?\\d+') === true;
