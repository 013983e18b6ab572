import type { Adapter } from '../../../adapter/adapter.ts';
import { type CredentialField, wordsOf } from '../../../adapter/credential-fields.ts';
import { translated } from '../../../core/language.ts';
import { type Html, html } from '../../../pages/html.ts';
import { whoWantsWhat } from './consent-page.ts';
import { type Failure, forSupport, wordsFor } from './failure-notice.ts';
import { fieldset } from './field.ts';
import type { Filled } from './filled-form.ts';
import { appOf, backTo, type LinkStep, linkPage, type Reader, steps } from './frame.ts';
import { markOf } from './mark.ts';
import { isMadeUp, nameWithin } from './vendors.ts';

const WORDS = translated({
  en: {
    title: (vendor: string) => `Connect ${vendor}`,
    madeUp: 'This is for testing. The devices are made up, and nothing in your home is touched.',
    more: 'More settings',
    submit: 'Connect',
    busy: 'Connecting. This can take half a minute.',
    secret: (app: string) =>
      `Your password is stored encrypted and used for this only. It is never shown to ${app}.`,
    fieldFaults: 'Please check what you filled in',
    fieldFaultsNext: 'The fields below say what is wrong. Enter the password again, too.',
    notLinked: 'Not connected yet',
    failed: 'Your account was not connected. Please try again.',
    another: 'Choose another brand',
  },
  sv: {
    title: (vendor: string) => `Anslut ${vendor}`,
    madeUp: 'Det här är för test. Enheterna är påhittade och ingenting i ditt hem påverkas.',
    more: 'Fler inställningar',
    submit: 'Anslut',
    busy: 'Ansluter. Det kan ta en halv minut.',
    secret: (app: string) =>
      `Ditt lösenord sparas krypterat och används bara till det här. Det visas aldrig för ${app}.`,
    fieldFaults: 'Kontrollera det du har fyllt i',
    fieldFaultsNext: 'Vid varje fält står vad som är fel. Skriv också lösenordet en gång till.',
    notLinked: 'Inte ansluten än',
    failed: 'Ditt konto anslöts inte. Försök en gång till.',
    another: 'Välj ett annat märke',
  },
});

export interface FormPage {
  readonly adapter: Adapter;
  /** Of its credentials, what is asked for. */
  readonly fields: readonly CredentialField[];
  readonly isSimulated: (vendor: string) => boolean;
  readonly steps: readonly LinkStep[];
  readonly filled: Filled;
  /** Why the last try failed. */
  readonly failure?: Failure | undefined;
  /** The user comes from a try that failed for a reason that is not known here. */
  readonly hasFailed?: boolean;
  /** Where the form is sent. */
  readonly href: string;
  /** Where another vendor can be chosen; null where there is no choice. */
  readonly chooseHref: string | null;
  readonly cancelHref: string | null;
}

/** The form that asks for a vendor's credentials, made from their schema. */
export function formPage(reader: Reader, page: FormPage): string {
  const { adapter, fields, filled, failure, href, chooseHref, cancelHref } = page;
  const words = WORDS[reader.language];
  const required = fields.filter(({ isRequired }) => isRequired);
  const optional = fields.filter(({ isRequired }) => !isRequired);
  const firstFault = [...required, ...optional].find(({ name }) => filled.faults.has(name));
  const shownField = (field: CredentialField) =>
    fieldset(field, {
      language: reader.language,
      words: wordsOf(adapter, field, reader.language),
      values: filled.values.get(field.name) ?? [],
      fault: filled.faults.get(field.name),
      isFirstFault: field === firstFault,
    });
  const isOptionalTouched = optional.some(
    ({ name }) => filled.faults.has(name) || (filled.values.get(name) ?? []).some((value) => value !== ''),
  );
  const hasSecret = fields.some(({ kind }) => kind.is === 'secret');
  const isFaulty = filled.faults.size > 0;
  // Who asks for what has been read by who comes from a try that failed.
  const isNew = !isFaulty && failure === undefined && page.hasFailed !== true;
  const confirmation = adapter.confirmation?.[reader.language];
  const title = words.title(nameWithin(adapter, reader.language));
  const main = html`${steps(reader, page.steps, 'sign_in')}
<div class="vendor-head">${markOf(adapter)}<h1>${title}</h1></div>
${whatWentWrong(reader, page)}
<div class="columns">${isNew ? html`<div class="stack">${whoWantsWhat(reader, adapter)}</div>` : null}
<div class="stack">
${confirmation === undefined || failure?.error.code === 'link.not_confirmed' ? null : html`<div class="notice notice-note"><p>${confirmation}</p></div>`}
${isMadeUp(adapter, page.isSimulated) && isNew ? html`<div class="notice notice-note"><p>${words.madeUp}</p></div>` : null}
<form class="stack" method="post" action="${href}" autocomplete="off" novalidate data-busy="${words.busy}">
${required.map(shownField)}
${
  optional.length === 0
    ? null
    : html`${isOptionalTouched ? html`<details open>` : html`<details>`}<summary>${words.more}</summary><div class="stack more">${optional.map(shownField)}</div></details>`
}
<button class="button button-primary button-wide">${words.submit}</button>
<p class="soft small" role="status" data-busy-text></p>
</form>
${hasSecret ? html`<p class="soft small">${words.secret(appOf(reader))}</p>` : null}
<ul class="ways">
${chooseHref === null ? null : html`<li><a href="${chooseHref}">${words.another}</a></li>`}
${cancelHref === null ? null : html`<li><a href="${cancelHref}">${backTo(reader)}</a></li>`}
</ul></div></div>`;
  return linkPage(reader, {
    title: isFaulty || failure !== undefined ? `${words.notLinked}: ${title}` : title,
    main,
  });
}

/** Why the last try failed; null before the first. */
function whatWentWrong(reader: Reader, { filled, failure, hasFailed }: FormPage): Html | null {
  const words = WORDS[reader.language];
  if (filled.faults.size > 0)
    return html`<div class="notice notice-bad" role="alert"><p><strong>${words.fieldFaults}</strong></p><p>${words.fieldFaultsNext}</p></div>`;
  if (failure !== undefined) return failureNotice(reader, failure);
  return hasFailed === true
    ? html`<div class="notice notice-bad" role="alert"><p>${words.failed}</p></div>`
    : null;
}

function failureNotice(reader: Reader, failure: Failure) {
  const { what, next } = wordsFor(reader, failure);
  return html`<div class="notice notice-bad" role="alert" tabindex="-1" data-focus><p><strong>${what}</strong></p><p>${next}</p>${forSupport(reader, failure)}</div>`;
}
