import type { Static, TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { AppError, type ErrorCodeName } from '../core/errors.ts';

interface Fault {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: Readonly<Record<string, unknown>>;
}

interface ValidatorOptions {
  /** How the checked value is called in a sentence: body, credentials. */
  readonly name: string;
  readonly code?: ErrorCodeName;
}

/** Compiles a schema to a check that answers the typed value, or throws one sentence naming the field and what would be right. */
export function validator<S extends TSchema>(
  schema: S,
  options: ValidatorOptions,
): (value: unknown) => Static<S> {
  const check = Compile(schema);
  return (value) => {
    if (check.Check(value)) return value as Static<S>;
    const faults = check.Errors(value) as readonly Fault[];
    throw new AppError(options.code ?? 'request.invalid', sentenceOf(faults, options.name, value));
  };
}

/** The most telling fault as a sentence. */
function sentenceOf(faults: readonly Fault[], name: string, value: unknown): string {
  const unknown = faults.find((fault) => fault.keyword === 'additionalProperties');
  const unions = new Set(
    faults.filter((fault) => fault.keyword === 'anyOf').map((fault) => fault.instancePath),
  );
  // Inside a union every member complains; the union itself says it better.
  const own = faults.filter(
    (fault) => fault.keyword !== 'boolean' && (fault.keyword === 'anyOf' || !unions.has(fault.instancePath)),
  );
  const missing = own.find((candidate) => candidate.keyword === 'required');
  const fault = missing ?? unknown ?? own[0] ?? faults[0];
  if (fault === undefined) return `${name} is not valid`;
  const path = pathOf(fault.instancePath, name);
  const sentence = `${path} ${complaint(fault, shown(valueAt(value, fault.instancePath)), faults)}`;
  // A misspelt field is both missing and unknown: saying both shows it.
  const misspelt = missing !== undefined && unknown?.instancePath === missing.instancePath;
  return misspelt ? `${sentence} and ${complaint(unknown, '', faults)}` : sentence;
}

function complaint(fault: Fault, got: string, faults: readonly Fault[]): string {
  const { params } = fault;
  switch (fault.keyword) {
    case 'required':
      return `lacks ${list(params.requiredProperties)}`;
    case 'additionalProperties':
      return `has an unknown field: ${list(params.additionalProperties)}`;
    case 'type':
      return `must be ${words(params.type)}, not ${got}`;
    case 'minimum':
    case 'exclusiveMinimum':
      return `must be at least ${params.limit}, not ${got}`;
    case 'maximum':
    case 'exclusiveMaximum':
      return `must be at most ${params.limit}, not ${got}`;
    case 'minLength':
      return `must have at least ${params.limit} characters`;
    case 'maxLength':
      return `must have at most ${params.limit} characters`;
    case 'minItems':
      return `must have at least ${params.limit} items`;
    case 'maxItems':
      return `must have at most ${params.limit} items`;
    case 'uniqueItems':
      return 'must not name anything twice';
    case 'const':
      return `must be ${JSON.stringify(params.allowedValue)}, not ${got}`;
    case 'enum':
      return `must be one of ${list(params.allowedValues)}, not ${got}`;
    case 'pattern':
      return 'does not have the right form';
    case 'format':
      return `must be a valid ${params.format}`;
    case 'anyOf': {
      const members = faults.filter(
        (member) => member.instancePath === fault.instancePath && member !== fault,
      );
      const constants = members
        .filter((member) => member.keyword === 'const')
        .map((member) => member.params.allowedValue);
      const types = members
        .filter((member) => member.keyword === 'type')
        .map((member) => words(member.params.type));
      const choices = [...constants.map((constant) => JSON.stringify(constant)), ...types];
      return choices.length === 0
        ? 'does not have the right form'
        : `must be ${choices.join(' or ')}, not ${got}`;
    }
    default:
      return 'is not valid';
  }
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

function pathOf(pointer: string, name: string): string {
  const steps = pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~').slice(0, 60));
  return [name, ...steps].join('.');
}

function valueAt(value: unknown, pointer: string): unknown {
  let at = value;
  for (const step of pointer.split('/').slice(1)) {
    if (typeof at !== 'object' || at === null) return undefined;
    at = (at as Record<string, unknown>)[step.replaceAll('~1', '/').replaceAll('~0', '~')];
  }
  return at;
}

/** What was given instead, by its kind: text may be a secret and is not repeated. */
function shown(value: unknown): string {
  if (typeof value === 'string') return 'text';
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value);
  if (value === undefined) return 'nothing';
  return Array.isArray(value) ? 'a list' : 'an object';
}
