import type { CredentialField } from '../../../adapter/credential-fields.ts';
import type { FieldWords } from '../../../adapter/login.ts';
import { faultsIn } from '../../../core/faults.ts';
import type { Json, JsonObject } from '../../../core/json.ts';
import { type Language, translated } from '../../../core/language.ts';
import type { Form } from '../../../http/forms.ts';

interface FaultTexts {
  readonly missing: string;
  readonly short: (least: number) => string;
  readonly long: (most: number) => string;
  readonly whole: string;
  readonly number: string;
  readonly least: (least: number) => string;
  readonly most: (most: number) => string;
  readonly other: string;
}

const WORDS = translated<FaultTexts>({
  en: {
    missing: 'Fill in this field.',
    short: (least) => `Enter at least ${least} characters.`,
    long: (most) => `Enter at most ${most} characters.`,
    whole: 'Enter a whole number.',
    number: 'Enter a number.',
    least: (least) => `Enter ${least} or more.`,
    most: (most) => `Enter ${most} or less.`,
    other: 'This does not look right. Check it again.',
  },
  sv: {
    missing: 'Fyll i det här fältet.',
    short: (least) => `Skriv minst ${least} tecken.`,
    long: (most) => `Skriv högst ${most} tecken.`,
    whole: 'Skriv ett heltal.',
    number: 'Skriv ett tal.',
    least: (least) => `Skriv ${least} eller mer.`,
    most: (most) => `Skriv ${most} eller mindre.`,
    other: 'Det här ser inte rätt ut. Kontrollera det en gång till.',
  },
});

/** What an end user filled in. */
export interface Filled {
  readonly credentials: JsonObject;
  /** What is wrong, by field, in words. */
  readonly faults: ReadonlyMap<string, string>;
  /** What the form shows again, by field: never a secret. */
  readonly values: ReadonlyMap<string, readonly string[]>;
}

/** Nothing yet. */
export const NOT_FILLED: Filled = { credentials: {}, faults: new Map(), values: new Map() };

/** Reads a form as credentials of a vendor. What is left empty is left out. */
export function readForm(
  fields: readonly CredentialField[],
  form: Form,
  { language, wordsOf }: { language: Language; wordsOf: (field: CredentialField) => FieldWords },
): Filled {
  const credentials: Record<string, Json> = {};
  const faults = new Map<string, string>();
  const values = new Map<string, readonly string[]>();
  for (const field of fields) {
    const { name, kind, isRequired, schema } = field;
    const given = form.all(name);
    if (kind.is !== 'secret') values.set(name, given);
    const value = valueIn(kind, given);
    if (value === undefined) {
      if (isRequired) faults.set(name, WORDS[language].missing);
      continue;
    }
    credentials[name] = value;
    const fault = faultIn(schema, value, { texts: WORDS[language], words: wordsOf(field) });
    if (fault !== null) faults.set(name, fault);
  }
  return { credentials, faults, values };
}

function valueIn(kind: CredentialField['kind'], given: readonly string[]): Json | undefined {
  const last = given.at(-1) ?? '';
  switch (kind.is) {
    case 'secret':
      return last === '' ? undefined : last;
    case 'several':
      return given.length === 0 ? undefined : [...new Set(given)];
    case 'yes':
      return given.length > 0;
    case 'whole':
    case 'number': {
      const text = last.trim().replace(',', '.');
      // What is no number stays a text, so that the schema says what is wrong with it.
      return text === '' ? undefined : Number.isFinite(Number(text)) ? Number(text) : text;
    }
    default:
      // Phones add a blank when they complete a word.
      return last.trim() === '' ? undefined : last.trim();
  }
}

function faultIn(
  schema: CredentialField['schema'],
  value: Json,
  { texts, words }: { texts: FaultTexts; words: FieldWords },
): string | null {
  const [fault] = faultsIn(schema, value);
  if (fault === undefined) return null;
  const limit = Number(fault.params.limit);
  switch (fault.keyword) {
    case 'minLength':
      return texts.short(limit);
    case 'maxLength':
      return texts.long(limit);
    case 'type':
      return fault.params.type === 'integer' ? texts.whole : texts.number;
    case 'minimum':
      return texts.least(limit);
    case 'maximum':
      return texts.most(limit);
    default:
      return words.fault ?? texts.other;
  }
}
