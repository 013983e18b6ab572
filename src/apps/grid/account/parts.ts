import type { Language, Words } from '../../../core/language.ts';
import { flag, type Html, html } from '../../../pages/html.ts';
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

interface TextField {
  readonly id: string;
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly fault?: string | undefined;
  readonly type?: 'text' | 'password';
  readonly value?: string;
  readonly autocomplete?: string;
  readonly longest?: number;
}

/** A line to write into, with its label, its hint and what was wrong with it. Whoever sent it back stands in it. */
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
  } = field;
  const told = [fault === undefined ? '' : `${id}-fault`, hint === undefined ? '' : `${id}-hint`]
    .join(' ')
    .trim();
  return html`<div class="field"><label for="${id}">${label}</label>
${hint === undefined ? null : html`<p class="hint" id="${`${id}-hint`}">${hint}</p>`}
${faultText(id, fault)}
<input id="${id}" name="${name}" type="${type}" value="${value}" autocomplete="${autocomplete}" maxlength="${longest}" aria-describedby="${told}" ${flag('required', true)} ${fault !== undefined && invalid}></div>`;
}

/** Marks a field that was sent back, and begins there. */
export const invalid = html`aria-invalid="true" autofocus`;

export function faultText(id: string, fault: string | undefined): Html | null {
  return fault === undefined ? null : html`<p class="fault" id="${`${id}-fault`}">${fault}</p>`;
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

function format(language: Language, name: 'moment' | 'date' | 'day'): Intl.DateTimeFormat {
  const known = formats.get(`${language} ${name}`);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat(
    LOCALES[language],
    name === 'moment'
      ? { dateStyle: 'medium', timeStyle: 'short', timeZone: 'Europe/Stockholm' }
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
