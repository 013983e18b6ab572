import type { CredentialField } from '../../../adapter/credential-fields.ts';
import type { FieldWords } from '../../../adapter/login.ts';
import { type Language, translated } from '../../../core/language.ts';
import { flag, type Html, html } from '../../../pages/html.ts';

const WORDS = translated({
  en: { choose: 'Choose', show: 'Show', hide: 'Hide' },
  sv: { choose: 'Välj', show: 'Visa', hide: 'Dölj' },
});

interface FieldShown {
  readonly language: Language;
  readonly words: FieldWords;
  /** What was filled in before; of a secret nothing is known. */
  readonly values: readonly string[];
  readonly fault: string | undefined;
  /** The page begins there: it is the first that has a fault. */
  readonly isFirstFault: boolean;
}

/** A field of a form with its label, its hint and what is wrong with it. */
export function fieldset(field: CredentialField, shown: FieldShown): Html {
  const { name, kind } = field;
  const { words, fault, isFirstFault } = shown;
  const invalid = fault === undefined ? 'false' : 'true';
  const about = html`${words.hint === undefined ? null : html`<p class="hint" id="${`${name}-hint`}">${words.hint}</p>`}${
    fault === undefined ? null : html`<p class="fault" id="${`${name}-fault`}">${fault}</p>`
  }`;
  if (kind.is === 'several')
    return html`<fieldset aria-describedby="${describedBy(name, shown)}"><legend>${words.label}</legend>${about}${kind.choices.map(
      (choice) =>
        html`<label class="check"><input type="checkbox" name="${name}" value="${choice}" aria-invalid="${invalid}" ${flag('checked', shown.values.includes(choice))} ${flag('autofocus', isFirstFault && choice === kind.choices[0])}><span>${words.choices?.[choice] ?? choice}</span></label>`,
    )}</fieldset>`;
  if (kind.is === 'yes')
    return html`<div class="field"><label class="check"><input type="checkbox" name="${name}" value="true" aria-describedby="${describedBy(name, shown)}" aria-invalid="${invalid}" ${flag('checked', shown.values.length > 0)} ${flag('autofocus', isFirstFault)}><span>${words.label}</span></label>${about}</div>`;
  return html`<div class="field"><label for="${`field-${name}`}">${words.label}</label>${about}${inputOf(field, shown)}</div>`;
}

function inputOf(
  { name, kind, isRequired }: CredentialField,
  { language, words, values, fault, isFirstFault }: FieldShown,
): Html {
  const by = describedBy(name, { words, fault });
  const invalid = fault === undefined ? 'false' : 'true';
  const value = values.at(-1) ?? '';
  if (kind.is === 'one')
    return html`<select id="${`field-${name}`}" name="${name}" aria-describedby="${by}" aria-invalid="${invalid}" ${flag('required', isRequired)} ${flag('autofocus', isFirstFault)}><option value="">${WORDS[language].choose}</option>${kind.choices.map(
      (choice) =>
        html`<option value="${choice}" ${flag('selected', choice === value)}>${words.choices?.[choice] ?? choice}</option>`,
    )}</select>`;
  if (kind.is === 'secret')
    return html`<div class="secret"><input type="password" id="${`field-${name}`}" name="${name}" aria-describedby="${by}" aria-invalid="${invalid}" autocomplete="off" autocapitalize="none" spellcheck="false" data-show="${WORDS[language].show}" data-hide="${WORDS[language].hide}" ${flag('required', isRequired)} ${flag('autofocus', isFirstFault)}></div>`;
  const mode = kind.is === 'whole' ? 'numeric' : kind.is === 'number' ? 'decimal' : 'text';
  return html`<input type="text" id="${`field-${name}`}" name="${name}" value="${value}" inputmode="${mode}" aria-describedby="${by}" aria-invalid="${invalid}" autocomplete="off" autocapitalize="none" autocorrect="off" spellcheck="false" ${flag('required', isRequired)} ${flag('autofocus', isFirstFault)}>`;
}

function describedBy(name: string, { words, fault }: Pick<FieldShown, 'words' | 'fault'>): string {
  return [words.hint === undefined ? '' : `${name}-hint`, fault === undefined ? '' : `${name}-fault`]
    .filter((id) => id !== '')
    .join(' ');
}
