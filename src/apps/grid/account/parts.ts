import type { Language, Words } from '../../../core/language.ts';
import { flag, type Html, html } from '../../../pages/html.ts';
import { describedBy, type FieldFault, faultText, mark } from '../pages/form-parts.ts';
import type { FormFault, FormName } from './view.ts';

/* What the sections of the account page are made of. */

interface Section {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly body: Html;
}

/** A part of the page: on wide screens its heading stands to the left of what belongs to it. */
export function section({ id, title, text, body }: Section): Html {
  return html`<section class="part" aria-labelledby="${id}">
<div class="part-head stack-small"><h2 id="${id}">${title}</h2><p class="soft">${text}</p></div>
<div class="part-body stack">${body}</div>
</section>`;
}

interface TextField extends FieldFault {
  readonly id: string;
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly type?: 'text' | 'password' | 'url';
  readonly value?: string;
  readonly autocomplete?: string;
  readonly longest?: number;
  /** What is said behind the label of a field that may stay empty; such a field is not required. */
  readonly optional?: string;
}

/** A line to write into, with its label, its hint and what was wrong with it. It shows what was sent. */
export function textField(field: TextField): Html {
  const {
    id,
    name,
    label,
    hint,
    fault,
    type = 'text',
    value = '',
    autocomplete = 'off',
    longest = 1_024,
    optional,
  } = field;
  return html`<div class="field"><label for="${id}">${label}${optional === undefined ? null : html` <span class="soft">(${optional})</span>`}</label>
${hint === undefined ? null : html`<p class="hint" id="${`${id}-hint`}">${hint}</p>`}
${faultText(id, fault)}
<input id="${id}" name="${name}" type="${type}" value="${value}" autocomplete="${autocomplete}" maxlength="${longest}" aria-describedby="${describedBy(id, { fault, hint })}" ${flag('required', optional === undefined)} ${mark(field)}></div>`;
}

/** The fault of a field of a form, where it has one. */
export function faultOf(fault: FormFault | undefined, form: FormName, field: string): string | undefined {
  return fault?.form === form && fault.field === field ? fault.text : undefined;
}

/** A fault of a whole form, above it. */
export function formFault(fault: FormFault | undefined, form: FormName): Html | null {
  const text = faultOf(fault, form, '');
  return text === undefined
    ? null
    : html`<p class="notice notice-bad" role="alert" tabindex="-1" autofocus>${text}</p>`;
}

const LOCALES = { en: 'en-GB', sv: 'sv-SE' } satisfies Words<string>;

export function formatCount(count: number, language: Language): string {
  return count.toLocaleString(LOCALES[language]);
}

const formats = new Map<string, Intl.DateTimeFormat>();

function format(language: Language, name: 'exact' | 'moment' | 'date' | 'day'): Intl.DateTimeFormat {
  const known = formats.get(`${language} ${name}`);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat(
    LOCALES[language],
    name === 'exact' || name === 'moment'
      ? {
          dateStyle: 'medium',
          timeStyle: name === 'exact' ? 'medium' : 'short',
          timeZone: 'Europe/Stockholm',
        }
      : name === 'date'
        ? { dateStyle: 'medium', timeZone: 'Europe/Stockholm' }
        : { day: 'numeric', month: 'short', timeZone: 'UTC' },
  );
  formats.set(`${language} ${name}`, made);
  return made;
}

/** A moment (RFC 3339) in Swedish time, as people write it. */
export function time(moment: string, language: Language): Html {
  return html`<time datetime="${moment}">${timeText(moment, language)}</time>`;
}

/** The same with its seconds. */
export function exactTime(moment: string, language: Language): Html {
  return html`<time datetime="${moment}">${format(language, 'exact').format(Date.parse(moment))}</time>`;
}

export function timeText(moment: string, language: Language): string {
  return format(language, 'moment').format(Date.parse(moment));
}

export function date(moment: string, language: Language): Html {
  return html`<time datetime="${moment}">${format(language, 'date').format(Date.parse(moment))}</time>`;
}

/** A UTC day such as 2026-11-21, without its year. */
export function dayText(day: string, language: Language): string {
  return format(language, 'day').format(Date.parse(day));
}
