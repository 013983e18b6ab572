import type { Language } from '../../../core/language.ts';
import type { Form } from '../../../http/forms.ts';
import { html } from '../../../pages/html.ts';
import { changesSwitch, type Shown } from './frame.ts';
import type { Planned } from './scope.ts';
import { OPERATOR_WORDS } from './words.ts';

interface Confirmation {
  readonly language: Language;
  readonly changesUntil: number | null;
  /** What was sent; it is sent again with the confirmation. */
  readonly form: Form;
  /** Lets the confirmation be sent once. */
  readonly token: string;
  /** The address of the change. */
  readonly action: string;
  readonly fault: string | undefined;
}

/** Fields of the confirmation itself. */
const OWN_FIELDS: readonly string[] = ['form', 'confirmed'];

/** Says what a change will do to whom, and asks for it to be confirmed. */
export function confirmation(
  planned: Planned,
  { language, changesUntil, form, token, action, fault }: Confirmation,
): Shown {
  const words = OPERATOR_WORDS[language].confirm;
  const { title, sentence, button, isDangerous = false, back } = planned;
  const sent = form.entries().filter(([name]) => !OWN_FIELDS.includes(name));
  const body = html`${fault === undefined ? null : html`<p class="notice notice-bad" role="alert">${fault}</p>`}
<p class="operator-sentence">${sentence}</p>
${
  changesUntil === null
    ? html`<div class="notice notice-note"><p>${words.readingOnly}</p>${changesSwitch({ language, path: action, changesUntil })}</div>
<div class="row"><a class="button" href="${back}">${words.back}</a></div>`
    : html`<form class="row" method="post" action="${action}">
${sent.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<input type="hidden" name="form" value="${token}"><input type="hidden" name="confirmed" value="yes">
<button class="${isDangerous ? 'button button-danger' : 'button button-primary'}">${button}</button>
<a class="button" href="${back}">${words.back}</a></form>`
}`;
  return { title, body };
}
