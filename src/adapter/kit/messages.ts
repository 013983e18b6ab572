import type { Static, TSchema } from 'typebox';
import { faultInJsonOf, type Json } from '../../core/json.ts';
import { fits } from './calls.ts';

/**
 * What a message of a stream says, where it is JSON of the schema's shape; undefined for anything else: one message that was not
 * understood does not end the stream.
 */
export function messageIn<S extends TSchema>(text: string, schema: S): Static<S> | undefined {
  let value: Json;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return faultInJsonOf(text, value) === null && fits(schema, value) ? value : undefined;
}
