import Type, { type TSchema } from 'typebox';
import type { CredentialWords, FieldWords } from '../login.ts';

/** One field of the credentials: what is valid, and how the link page asks for it, so that neither is forgotten. */
export interface Field {
  readonly schema: TSchema;
  readonly en: FieldWords;
  readonly sv: FieldWords;
}

export type Fields = Readonly<Record<string, Field>>;

type Words = Pick<Field, 'en' | 'sv'>;

const MOST_CHARACTERS = 256;

/** A text that is shown while it is typed. */
export function text(
  words: Words,
  {
    isOptional = false,
    ...options
  }: { readonly pattern?: string; readonly description?: string; readonly isOptional?: boolean } = {},
): Field {
  const schema = Type.String({ minLength: 1, maxLength: MOST_CHARACTERS, ...options });
  return { schema: isOptional ? Type.Optional(schema) : schema, ...words };
}

/** A text that is typed unseen and never returned. */
export function secret(
  words: Words,
  { isOptional = false, ...options }: { readonly description?: string; readonly isOptional?: boolean } = {},
): Field {
  const schema = Type.String({ minLength: 1, maxLength: MOST_CHARACTERS, writeOnly: true, ...options });
  return { schema: isOptional ? Type.Optional(schema) : schema, ...words };
}

/** The schema and the words of an adapter, from its fields. */
export function credentialsOf(fields: Fields): {
  readonly credentials: TSchema;
  readonly words: CredentialWords;
} {
  const of = <T>(pick: (field: Field) => T) =>
    Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, pick(field)]));
  return {
    credentials: Type.Object(
      of(({ schema }) => schema),
      { additionalProperties: false },
    ),
    words: { en: of(({ en }) => en), sv: of(({ sv }) => sv) },
  };
}
