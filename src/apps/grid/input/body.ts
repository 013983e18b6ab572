import type { TObject } from 'typebox';
import { ValidationError, type ValidationItem } from '../../../http/errors.ts';
import { Form } from '../../../http/forms.ts';
import { type Parsed, type Rules, readParameters } from './parameters.ts';

/** Reads a form, or the same as JSON, whose fields are all text; throws all faults together. No fault repeats a secret. */
export function parseBody<S extends TObject>(
  schema: S,
  body: unknown,
  { rules, secrets }: { readonly rules?: Rules<S>; readonly secrets: readonly string[] },
): Parsed<S> {
  const sent = fieldsOf(body);
  const wrong = new Set(
    Object.keys(schema.properties).filter((name) => {
      const value: unknown = sent[name];
      return value !== undefined && typeof value !== 'string';
    }),
  );
  const texts = Object.fromEntries(Object.entries(sent).filter(([name]) => !wrong.has(name)));
  const { values, faults } = readParameters(schema, {
    place: 'body',
    sent: texts,
    ...(rules === undefined ? {} : { rules }),
  });
  const items: ValidationItem[] = [...wrong].map((name) => ({
    type: 'string_type',
    loc: ['body', name],
    msg: 'Input should be a valid string',
    input: sent[name],
  }));
  // What is missing because it was left out above has been told of.
  items.push(...faults.filter(({ loc }) => !wrong.has(String(loc[1]))));
  if (items.length === 0) return values;
  throw new ValidationError(
    items.map((item) => (secrets.includes(String(item.loc[1])) ? unsaid(item) : item)),
  );
}

function fieldsOf(body: unknown): Readonly<Record<string, unknown>> {
  if (body instanceof Form) return body.fields();
  return typeof body === 'object' && body !== null && !Array.isArray(body) ? { ...body } : {};
}

function unsaid({ input: _, ...item }: ValidationItem): ValidationItem {
  return item;
}
