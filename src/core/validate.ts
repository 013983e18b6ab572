import type { Static, TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { type RequestSchema, unboundedIn } from './bounded-schema.ts';
import { AppError, type ErrorCodeName } from './errors.ts';
import { type Fault, faultsIn } from './faults.ts';

interface ValidatorOptions {
  /** The name of the value in messages: body, credentials. */
  readonly name: string;
  readonly code?: ErrorCodeName;
}

/**
 * Compiles a schema to a function that returns the typed value, or throws one sentence that names the field and what would be valid.
 * A check visits each part of the value at most once, and the sentence is bounded by the schema. A schema without maximums for
 * its lists, texts and maps throws a `TypeError`.
 */
export function validator<S extends TSchema>(
  schema: S,
  options: ValidatorOptions,
): (value: unknown) => Static<S> {
  const [fault] = unboundedIn(schema, options.name);
  // An unbounded schema is not compiled into a check.
  if (fault !== undefined) throw new TypeError(`a schema of requests must be bounded: ${fault}`);
  const check = Compile(schema);
  return (value) => {
    if (check.Check(value)) return value as Static<S>;
    throw new AppError(options.code ?? 'request.invalid', sentenceOf(faultsIn(schema, value), options.name));
  };
}

/** A validator for each of several bodies, chosen by their `type`. */
export function validatorsByType<S extends Readonly<Record<string, TSchema>>>(
  schemas: S,
): { readonly [T in keyof S]: (body: unknown) => Static<S[T]> } {
  const checks = Object.entries(schemas).map(([type, schema]) => [type, validator(schema, { name: 'body' })]);
  return Object.fromEntries(checks);
}

/** The most helpful fault as a sentence. */
function sentenceOf(faults: readonly Fault[], name: string): string {
  const unknown = faults.find((fault) => fault.keyword === 'additionalProperties');
  const missing = faults.find((fault) => fault.keyword === 'required');
  const fault = missing ?? unknown ?? faults[0];
  if (fault === undefined) return `${name} is not valid`;
  const sentence = `${pathOf(fault, name)} ${complaint(fault)}`;
  // A misspelt field is both missing and unknown; naming both shows the mistake.
  const misspelt = missing !== undefined && unknown?.path === missing.path;
  return misspelt ? `${sentence} and ${complaint(unknown)}` : sentence;
}

function complaint({ keyword, params, value }: Fault): string {
  switch (keyword) {
    case 'required':
      return `is missing ${list(params.requiredProperties)}`;
    case 'additionalProperties':
      return `has an unknown field: ${list(params.additionalProperties)}`;
    case 'maxProperties':
      return `must have at most ${params.limit} fields`;
    case 'type':
      return `must be ${words(params.type)}, not ${describe(value)}`;
    case 'minimum':
      return `must be at least ${params.limit}, not ${describe(value)}`;
    case 'maximum':
      return `must be at most ${params.limit}, not ${describe(value)}`;
    case 'minLength':
      return `must have at least ${params.limit} characters`;
    case 'maxLength':
      return `must have at most ${params.limit} characters`;
    case 'minItems':
      return `must have at least ${params.limit} items`;
    case 'maxItems':
      return `must have at most ${params.limit} items`;
    case 'const':
      return `must be ${JSON.stringify(params.allowedValue)}, not ${describe(value)}`;
    case 'enum':
      return `must be one of ${list(params.allowedValues)}, not ${describe(value)}`;
    case 'format':
      return `must be a valid ${params.format}`;
    case 'anyOf':
      return `must be ${(params.choices as readonly RequestSchema[]).map(choiceOf).join(' or ')}, not ${describe(value)}`;
    case 'pattern':
      // What the field is says more than its pattern does.
      return `does not have the right form: ${params.description ?? `it must match ${params.pattern}`}`;
    default:
      return 'does not have the right form';
  }
}

function choiceOf(choice: RequestSchema): string {
  if (choice.const !== undefined) return JSON.stringify(choice.const);
  return choice.enum === undefined ? words(choice.type) : `one of ${list(choice.enum)}`;
}

const NAMES: Readonly<Record<string, string>> = {
  integer: 'a whole number',
  number: 'a number',
  string: 'text',
  boolean: 'true or false',
  object: 'a JSON object',
  array: 'a list',
  null: 'null',
};

function words(type: unknown): string {
  return NAMES[String(type)] ?? String(type);
}

function list(values: unknown): string {
  return Array.isArray(values)
    ? values
        .map((value) => String(value).slice(0, 60))
        .slice(0, 20)
        .join(', ')
    : String(values);
}

function pathOf({ path }: Fault, name: string): string {
  return [name, ...path.map((step) => step.slice(0, 60))].join('.');
}

/** The kind of the faulty value; text may be a secret and is not repeated. */
function describe(value: unknown): string {
  if (typeof value === 'string') return 'text';
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value);
  if (value === undefined) return 'nothing';
  return Array.isArray(value) ? 'a list' : 'an object';
}
