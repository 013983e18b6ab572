import type { Static, TObject, TSchema } from 'typebox';
import { faultInText } from '../../../core/json.ts';
import { faultInEmail } from '../../../domain/access/accounts/index.ts';
import { ValidationError, type ValidationItem } from '../../../http/errors.ts';

/** Where parameters stand; the first part of a fault's `loc`. */
export type Place = 'path' | 'query' | 'body';

/** The keywords of a parameter's schema that are judged here. */
interface ParameterSchema {
  readonly type?: 'string' | 'integer' | 'number' | 'boolean';
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: 'email';
}

/** A rule that no keyword says: what is wrong with the value, or null. */
export type Rules<S extends TObject> = { readonly [K in keyof Static<S>]?: (value: string) => string | null };

/** What a parser answers: an optional parameter that was not sent has its default. */
export type Parsed<S extends TObject> = Required<Static<S>>;

type Fault = Pick<ValidationItem, 'type' | 'msg' | 'ctx'>;
type Outcome = { readonly value: unknown } | Fault;

/**
 * Reads text parameters into what their schema says. Leniency, wording and types of the faults are those of pydantic 2,
 * which the specification's 422 shape comes from. Faults are told by `readAll`.
 */
export function readParameters<S extends TObject>(
  schema: S,
  { place, sent, rules = {} }: { readonly place: Place; readonly sent: unknown; readonly rules?: Rules<S> },
): { readonly values: Parsed<S>; readonly faults: readonly ValidationItem[] } {
  const values: Record<string, unknown> = {};
  const faults: ValidationItem[] = [];
  const given = typeof sent === 'object' && sent !== null ? sent : {};
  for (const [name, property] of Object.entries<TSchema>(schema.properties)) {
    const parameter = property as ParameterSchema;
    const input = lastOf(Object.hasOwn(given, name) ? Reflect.get(given, name) : undefined);
    if (input === undefined) {
      if (parameter.default !== undefined) values[name] = parameter.default;
      else faults.push({ type: 'missing', loc: [place, name], msg: 'Field required', input: null });
      continue;
    }
    const rule: ((value: string) => string | null) | undefined = Reflect.get(rules, name);
    const outcome = read(parameter, input, rule);
    if ('value' in outcome) values[name] = outcome.value;
    else {
      const { type, msg, ctx } = outcome;
      faults.push({ type, loc: [place, name], msg, input, ...(ctx === undefined ? {} : { ctx }) });
    }
  }
  // Every property was read by its own schema, or there is a fault and the values are not used.
  return { values: values as Parsed<S>, faults };
}

/** Reads one place's parameters, or throws all their faults together. */
export function parse<S extends TObject>(
  schema: S,
  options: { readonly place: Place; readonly sent: unknown; readonly rules?: Rules<S> },
): Parsed<S> {
  const { values, faults } = readParameters(schema, options);
  if (faults.length > 0) throw new ValidationError(faults);
  return values;
}

/** Reads path and query; the faults of both are thrown together. */
export function parsePathAndQuery<P extends TObject, Q extends TObject>(
  request: { readonly params: unknown; readonly query: unknown },
  schemas: { readonly path: P; readonly query: Q; readonly rules?: Rules<Q> },
): { readonly path: Parsed<P>; readonly query: Parsed<Q> } {
  const path = readParameters(schemas.path, { place: 'path', sent: request.params });
  const query = readParameters(schemas.query, {
    place: 'query',
    sent: request.query,
    rules: schemas.rules ?? {},
  });
  const faults = [...path.faults, ...query.faults];
  if (faults.length > 0) throw new ValidationError(faults);
  return { path: path.values, query: query.values };
}

/** Of a repeated parameter the last one counts. */
function lastOf(input: unknown): string | undefined {
  const last: unknown = Array.isArray(input) ? input.at(-1) : input;
  return last === undefined ? undefined : String(last);
}

function read(
  schema: ParameterSchema,
  input: string,
  rule: ((value: string) => string | null) | undefined,
): Outcome {
  if (schema.enum !== undefined) return readChoice(schema.enum, input);
  switch (schema.type) {
    case 'integer':
      return bounded(schema, readInteger(input));
    case 'number':
      return bounded(schema, readNumber(input));
    case 'boolean':
      return readBoolean(input);
    default:
      return readText(schema, input, rule);
  }
}

/** Digits with a sign, single underscores between them, and a fraction of zeros, as pydantic takes them. */
const INTEGER = /^[+-]?\d+(?:_\d+)*(?:\.0+)?$/;
const NUMBER = /^[+-]?(?:\d+(?:_\d+)*\.?(?:\d+(?:_\d+)*)?|\.\d+(?:_\d+)*)(?:[eE][+-]?\d+(?:_\d+)*)?$/;
const NOT_FINITE = /^[+-]?(?:inf|infinity|nan)$/i;
const LONGEST_NUMBER = 400;

function readInteger(input: string): Outcome {
  const text = input.trim();
  if (text.length > LONGEST_NUMBER || !INTEGER.test(text)) {
    return text.length > LONGEST_NUMBER && /^[+-]?\d+$/.test(text) ? TOO_LARGE : NOT_AN_INTEGER;
  }
  // "-0" is 0.
  const value = Number(text.replaceAll('_', '')) + 0;
  return Number.isSafeInteger(value) ? { value } : TOO_LARGE;
}

const NOT_AN_INTEGER: Fault = {
  type: 'int_parsing',
  msg: 'Input should be a valid integer, unable to parse string as an integer',
};
const TOO_LARGE: Fault = {
  type: 'int_parsing_size',
  msg: 'Unable to parse input string as an integer, exceeded maximum size',
};
const NOT_FINITE_FAULT: Fault = { type: 'finite_number', msg: 'Input should be a finite number' };

function readNumber(input: string): Outcome {
  const text = input.trim();
  if (NOT_FINITE.test(text)) return NOT_FINITE_FAULT;
  if (text.length > LONGEST_NUMBER || !NUMBER.test(text)) {
    return {
      type: 'float_parsing',
      msg: 'Input should be a valid number, unable to parse string as a number',
    };
  }
  const value = Number(text.replaceAll('_', ''));
  return Number.isFinite(value) ? { value } : NOT_FINITE_FAULT;
}

function bounded({ minimum, maximum }: ParameterSchema, outcome: Outcome): Outcome {
  if (!('value' in outcome) || typeof outcome.value !== 'number') return outcome;
  if (minimum !== undefined && outcome.value < minimum) {
    return {
      type: 'greater_than_equal',
      msg: `Input should be greater than or equal to ${minimum}`,
      ctx: { ge: minimum },
    };
  }
  if (maximum !== undefined && outcome.value > maximum) {
    return {
      type: 'less_than_equal',
      msg: `Input should be less than or equal to ${maximum}`,
      ctx: { le: maximum },
    };
  }
  return outcome;
}

const TRUE_WORDS = ['1', 'true', 't', 'yes', 'y', 'on'];
const FALSE_WORDS = ['0', 'false', 'f', 'no', 'n', 'off'];

function readBoolean(input: string): Outcome {
  const word = input.toLowerCase();
  if (TRUE_WORDS.includes(word)) return { value: true };
  if (FALSE_WORDS.includes(word)) return { value: false };
  return { type: 'bool_parsing', msg: 'Input should be a valid boolean, unable to interpret input' };
}

function readChoice(choices: readonly string[], input: string): Outcome {
  if (choices.includes(input)) return { value: input };
  // An empty parameter is one that was not sent; nobody who is told what to send means it.
  const quoted = choices.filter((choice) => choice !== '').map((choice) => `'${choice}'`);
  const expected =
    quoted.length < 2 ? quoted.join('') : `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`;
  return { type: 'literal_error', msg: `Input should be ${expected}`, ctx: { expected } };
}

function readText(
  schema: ParameterSchema,
  input: string,
  rule: ((value: string) => string | null) | undefined,
): Outcome {
  if (!input.isWellFormed()) {
    return {
      type: 'string_unicode',
      msg: 'Input should be a valid string, unable to parse raw data as a unicode string',
    };
  }
  const length = [...input].length;
  const { minLength, maxLength, pattern } = schema;
  if (minLength !== undefined && length < minLength) {
    return {
      type: 'string_too_short',
      msg: `String should have at least ${characters(minLength)}`,
      ctx: { min_length: minLength },
    };
  }
  if (maxLength !== undefined && length > maxLength) {
    return {
      type: 'string_too_long',
      msg: `String should have at most ${characters(maxLength)}`,
      ctx: { max_length: maxLength },
    };
  }
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(input)) {
    return {
      type: 'string_pattern_mismatch',
      msg: `String should match pattern '${pattern}'`,
      ctx: { pattern },
    };
  }
  const unstorable = faultInText(input, 'the text');
  if (unstorable !== null) return valueError(unstorable);
  if (schema.format === 'email') {
    const reason = faultInEmail(input);
    if (reason !== null) {
      return {
        type: 'value_error',
        msg: `value is not a valid email address: ${reason}`,
        ctx: { reason },
      };
    }
  }
  const broken = rule?.(input) ?? null;
  return broken === null ? { value: input } : valueError(broken);
}

function valueError(reason: string): Fault {
  return { type: 'value_error', msg: `Value error, ${reason}`, ctx: { error: reason } };
}

function characters(count: number): string {
  return `${count} ${count === 1 ? 'character' : 'characters'}`;
}
