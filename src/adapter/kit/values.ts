import Type, { type Static, type TSchema } from 'typebox';
import type { Json, JsonObject } from '../../core/json.ts';

const Anything = Type.Optional(Type.Unknown());

/**
 * An object of a response: `fields` must be as they say, and the fields that are named besides are judged where they are used.
 * Whatever those hold, they cost the rest of the object nothing.
 */
export function lenient<Fields extends Readonly<Record<string, TSchema>>, Name extends string = never>(
  fields: Fields,
  ...besides: readonly Name[]
) {
  const anything = Object.fromEntries(besides.map((name) => [name, Anything]));
  return Type.Object({ ...fields, ...(anything as Readonly<Record<Name, typeof Anything>>) });
}

/** An id that becomes part of paths and of our own ids. */
export const PlainId = Type.String({ pattern: '^[\\w-]{1,64}$' });
export type PlainId = Static<typeof PlainId>;

const MOST_NAME = 200;
const MOST_WORD = 64;

/** A number within what is physically possible; null for everything else. */
export function figure(value: unknown, least: number, most: number): number | null {
  return typeof value === 'number' && value >= least && value <= most ? value : null;
}

/** A text as it can be stored and shown, cut to its length; null for everything else, an empty text too. */
export function word(value: unknown, most: number = MOST_WORD): string | null {
  return typeof value === 'string' && value !== '' ? value.slice(0, most).toWellFormed() : null;
}

/** The name of a device, for `Found`; nothing where the vendor gives none. */
export function named(value: unknown): { readonly name?: string } {
  const name = word(value, MOST_NAME);
  return name === null ? {} : { name };
}

/** The values that a table of all recognized ones lacks, as `field "value"`; a field without a value is not reported. */
export function unrecognized(
  fields: Readonly<Record<string, readonly [value: unknown, recognized: Recognized]>>,
): string[] {
  return Object.entries(fields).flatMap(([field, [value, recognized]]) => {
    if (value === undefined || value === null || has(recognized, value)) return [];
    return [`${field} ${JSON.stringify(value)?.slice(0, MOST_WORD).toWellFormed()}`];
  });
}

type Recognized =
  | readonly unknown[]
  | ReadonlySet<unknown>
  | ReadonlyMap<unknown, unknown>
  | Readonly<Record<string, unknown>>;

function has(recognized: Recognized, value: unknown): boolean {
  if (Array.isArray(recognized)) return recognized.includes(value);
  if (recognized instanceof Set || recognized instanceof Map) return recognized.has(value);
  return (typeof value === 'string' || typeof value === 'number') && Object.hasOwn(recognized, value);
}

/** The object that a value is; an empty one for everything else. */
export function objectIn(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

/** What a text is as JSON; undefined where it is none: pages, and bodies that were cut off. */
export function jsonIn(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
