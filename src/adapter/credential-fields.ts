import Type, { type TSchema } from 'typebox';
import { LANGUAGES, type Language } from '../core/language.ts';
import type { Adapter } from './adapter.ts';
import type { CredentialWords, FieldWords } from './login.ts';

/** What a field of the credentials holds, as far as asking for it goes. */
type FieldKind =
  | { readonly is: 'text' }
  | { readonly is: 'secret' }
  | { readonly is: 'whole' | 'number' }
  | { readonly is: 'yes' }
  | { readonly is: 'one' | 'several'; readonly choices: readonly string[] };

/** A field of the credentials, as a form can ask for it. */
export interface CredentialField {
  readonly name: string;
  readonly kind: FieldKind;
  readonly isRequired: boolean;
  readonly schema: TSchema;
}

/** The parts of JSON Schema that forms are made from. */
interface JsonSchemaParts {
  readonly type?: unknown;
  readonly enum?: unknown;
  readonly items?: TSchema;
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly required?: readonly string[];
  readonly writeOnly?: unknown;
  readonly 'x-api-only'?: unknown;
  readonly description?: unknown;
}

const isApiOnly = (schema: TSchema | undefined): boolean =>
  (schema as JsonSchemaParts | undefined)?.['x-api-only'] === true;

/** Whether linking needs nothing that only `POST /link` takes, so that the link page can offer the vendor. */
export function isForEndUsers({ credentials }: Pick<Adapter, 'credentials'>): boolean {
  const { properties = {}, required = [] } = credentials as JsonSchemaParts;
  return !required.some((name) => isApiOnly(properties[name]));
}

/**
 * The fields of a vendor's credentials that a form asks for. `writeOnly` says that a text is a secret, and `x-api-only` that only `POST /link`
 * takes the field, such as a map of nodes, which no end user could type. Throws a `TypeError` for a schema that no form can be made from;
 * `conforms` finds it.
 */
export function credentialFields(credentials: TSchema): CredentialField[] {
  const { type, properties = {}, required = [] } = credentials as JsonSchemaParts;
  if (type !== 'object') throw new TypeError('the credentials are not an object');
  return Object.entries(properties).flatMap(([name, schema]) => {
    const isRequired = required.includes(name);
    if (isApiOnly(schema)) return [];
    return [{ name, kind: kindOf(name, schema), isRequired, schema }];
  });
}

function kindOf(name: string, schema: TSchema): FieldKind {
  const told = schema as JsonSchemaParts;
  if (told.type === 'array' && told.items !== undefined)
    return { is: 'several', choices: choicesOf(name, told.items) };
  if (told.enum !== undefined) return { is: 'one', choices: choicesOf(name, schema) };
  switch (told.type) {
    case 'string':
      return { is: told.writeOnly === true ? 'secret' : 'text' };
    case 'integer':
      return { is: 'whole' };
    case 'number':
      return { is: 'number' };
    case 'boolean':
      return { is: 'yes' };
    default:
      throw new TypeError(
        `no form can ask for ${name}: use a text, number, boolean, enumeration or a list of one`,
      );
  }
}

function choicesOf(name: string, schema: TSchema): readonly string[] {
  const { enum: choices } = schema as JsonSchemaParts;
  if (Array.isArray(choices) && choices.every((one) => typeof one === 'string')) return choices;
  throw new TypeError(`no form can ask for ${name}: its values must be an enumeration of texts`);
}

/** The words for a field; where the vendor has none, those of its schema. */
export function wordsOf(
  adapter: Pick<Adapter, 'words'>,
  field: CredentialField,
  language: Language,
): FieldWords {
  const given = adapter.words?.[language][field.name];
  if (given !== undefined) return given;
  const { description } = field.schema as JsonSchemaParts;
  const spaced = field.name.replaceAll('_', ' ');
  const label = `${spaced.charAt(0).toUpperCase()}${spaced.slice(1)}`;
  return typeof description === 'string' ? { label, hint: description } : { label };
}

/** What keeps an end user from being asked for the credentials in their own words, or null. */
export function faultInWords({ credentials, words }: Pick<Adapter, 'credentials' | 'words'>): string | null {
  let fields: readonly CredentialField[];
  try {
    fields = credentialFields(credentials);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  for (const field of fields) {
    if (field.kind.is === 'text' && /password|secret|token|(?:^|_)(?:pin|key)$/.test(field.name))
      return `${field.name} is a secret: set writeOnly: true in its schema, so that it is typed unseen`;
    const lacking = LANGUAGES.map((language) => lackingIn(field, language, words)).find(
      (fault) => fault !== null,
    );
    if (lacking !== undefined) return lacking;
  }
  return null;
}

function lackingIn(
  { name, kind }: CredentialField,
  language: Language,
  words: CredentialWords | undefined,
): string | null {
  const given = words?.[language][name];
  if (given === undefined || given.label === '')
    return `write words.${language}.${name}: how a home owner is asked for it`;
  const choices = 'choices' in kind ? kind.choices : [];
  const unsaid = choices.find((choice) => given.choices?.[choice] === undefined);
  return unsaid === undefined ? null : `write words.${language}.${name}.choices.${unsaid}: what it means`;
}

/** The field of credentials that names a gateway. It is the platform's: adapters do not see it. */
export const GATEWAY_FIELD = 'gateway';

const SCHEMA = Type.String({
  minLength: 1,
  maxLength: 40,
  description:
    'Id of a gateway in the network of the devices, from GET /gateways. Without it they are reached directly',
});

const WORDS: CredentialWords = {
  en: {
    gateway: {
      label: 'Gateway',
      hint: 'Only if you were given the id of a gateway; leave it empty otherwise.',
    },
  },
  sv: { gateway: { label: 'Gateway', hint: 'Bara om du har fått id:t för en gateway; lämna annars tomt.' } },
};

/** The adapter with the field, where its devices are in a network of the user. */
export function withGatewayField<A extends Pick<Adapter, 'credentials' | 'isLocal' | 'words'>>(
  adapter: A,
): A {
  const { credentials, isLocal, words } = adapter;
  if (isLocal !== true) return adapter;
  // The credentials of every vendor are an object.
  const { properties = {} } = credentials as { readonly properties?: Readonly<Record<string, TSchema>> };
  return {
    ...adapter,
    credentials: { ...credentials, properties: { ...properties, [GATEWAY_FIELD]: SCHEMA } },
    ...(words === undefined
      ? {}
      : { words: { en: { ...words.en, ...WORDS.en }, sv: { ...words.sv, ...WORDS.sv } } }),
  };
}
