import type { Language } from '../../../core/language.ts';
import type { Assets } from '../../../pages/assets.ts';
import { flag, type Html, html, type Part } from '../../../pages/html.ts';
import { describedBy, faultText, mark } from '../pages/form-parts.ts';
import { gridPage } from '../pages/frame.ts';
import { SIGN_IN_WORDS } from './words.ts';

/** The message of a page of signing in: from its address, or from the form that it responds to. */
export interface PageMessage {
  /** Codes of what is wrong. One that begins with the name of a field is shown beside it: `email.missing`. */
  readonly errors: readonly string[];
  readonly info: string;
  /** A path of our own, where to go afterwards. */
  readonly next: string | undefined;
  /** What was filled in before; never a password. */
  readonly written?: { readonly email: string; readonly name: string };
}

export interface Reader {
  readonly assets: Assets;
  readonly language: Language;
  /** Where letters are files: the folder for a reader at that machine, null for others. Undefined where they are mailed. */
  readonly outbox: string | null | undefined;
}

/** The pages with a form. */
export type FormPage = '/auth/login' | '/auth/signup';

type SignInWords = (typeof SIGN_IN_WORDS)[Language];

const STYLES = ['sign-in'];
const SCRIPTS = ['show-password'];

/** The address of a page with as much of its message as it has words for: nothing else of an address is shown again. */
function pathWith(page: FormPage, { errors, info, next }: PageMessage): string {
  const { errors: known, infos } = SIGN_IN_WORDS.en;
  const query = new URLSearchParams();
  const error = errors.find((code) => Object.hasOwn(known, code));
  if (error !== undefined) query.set('error', error);
  if (info === 'sent' || Object.hasOwn(infos, info)) query.set('info', info);
  if (next !== undefined) query.set('next', next);
  return query.size === 0 ? page : `${page}?${query}`;
}

/** What all of these pages are to the frame. */
const framed = (language: Language, path: string) =>
  ({ language, path, styles: STYLES, here: 'account' }) as const;

/** The sign-in page, or after a link was asked for, where to look for it. */
export function signInPage(reader: Reader, message: PageMessage): string {
  const { assets, language } = reader;
  const { next } = message;
  const words: SignInWords = SIGN_IN_WORDS[language];
  if (message.info === 'sent') return sentPage(reader, message);
  const main = html`<h1>${words.signIn}</h1>
${notices(words, message)}
<form class="card" method="post" action="/auth/login" novalidate>
${nextField(next)}
${emailField(words, message)}
${passwordField(words, message, { autocomplete: 'current-password' })}
<button class="button button-primary button-wide" type="submit">${words.signIn}</button>
<p class="or" aria-hidden="true"><span>${words.or}</span></p>
<div class="stack-small">
<button class="button button-wide" type="submit" formaction="/auth/magic">${words.sendLink}</button>
<p class="hint">${words.sendLinkHint}</p>
</div>
</form>
<p class="aside">${words.noAccount} <a href="/auth/signup">${words.signUp}</a></p>`;
  return gridPage(assets, {
    ...framed(language, pathWith('/auth/login', message)),
    title: titled(words, words.signIn, message),
    scripts: SCRIPTS,
    main,
  });
}

/** The sign-up page. */
export function signUpPage({ assets, language }: Reader, message: PageMessage, isOpen: boolean): string {
  const words: SignInWords = SIGN_IN_WORDS[language];
  const { next, written } = message;
  const form = html`<form class="card" method="post" action="/auth/signup" novalidate>
${nextField(next)}
${emailField(words, message)}
<div class="field">
<label for="name">${words.name} <span class="soft">(${words.optional})</span></label>
<input id="name" name="name" type="text" value="${written?.name ?? ''}" autocomplete="name" maxlength="200">
</div>
${passwordField(words, message, { autocomplete: 'new-password', hint: words.passwordHint })}
<button class="button button-primary button-wide" type="submit">${words.signUp}</button>
</form>`;
  const main = html`<h1>${words.signUp}</h1>
${isOpen ? html`<p class="lead">${words.signUpLead}</p>` : null}
${notices(words, message)}
${isOpen ? form : html`<p class="notice notice-note">${words.closed}</p>`}
<p class="aside">${words.hasAccount} <a href="/auth/login">${words.signIn}</a></p>`;
  return gridPage(assets, {
    ...framed(language, pathWith('/auth/signup', message)),
    title: titled(words, words.signUp, message),
    scripts: SCRIPTS,
    main,
  });
}

function sentPage({ assets, language, outbox }: Reader, message: PageMessage): string {
  const { next } = message;
  const words = SIGN_IN_WORDS[language];
  const back = next === undefined ? '/auth/login' : `/auth/login?next=${encodeURIComponent(next)}`;
  const main = html`<h1>${words.sentTitle}</h1>
<div class="stack" role="status">
<p>${words.sent}</p>
${outbox === undefined ? html`<p class="soft">${words.sentHint}</p>` : null}
${outbox === undefined ? null : html`<p class="notice notice-note address">${outbox === null ? words.outboxElsewhere : words.outboxHere(outbox)}</p>`}
</div>
<p><a class="button" href="${back}">${words.back}</a></p>`;
  return gridPage(assets, {
    ...framed(language, pathWith('/auth/login', message)),
    title: words.sentTitle,
    main,
  });
}

type Texts = Readonly<Record<string, string>>;

/** The words for a code, general ones for what is none: the author of an address says nothing in our name. */
const worded = (codes: Texts, code: string, general: string): string =>
  Object.hasOwn(codes, code) ? (codes[code] ?? '') : general;

/** Whether a code is about a field, and has words. */
const isOfField = (code: string): boolean =>
  /^(?:email|password)\./.test(code) && Object.hasOwn(SIGN_IN_WORDS.en.errors, code);

/** What is wrong with a field; undefined where nothing is. */
function faultOf(words: SignInWords, { errors }: PageMessage, field: string): string | undefined {
  const code = errors.find((one) => one.startsWith(`${field}.`) && isOfField(one));
  return code === undefined ? undefined : worded(words.errors, code, words.errors.invalid);
}

/** The title says first that a form was sent back: it is what a screen reader reads first. */
const titled = (words: SignInWords, title: string, { errors }: PageMessage): string =>
  errors.length === 0 ? title : `${words.faultTitle} · ${title}`;

function notices(words: SignInWords, { errors, info }: PageMessage): Part {
  const error = errors.find((code) => !isOfField(code));
  const good = info === '' ? '' : worded(words.infos, info, words.infos.required);
  const kind = good === words.infos.required ? 'notice-note' : 'notice-good';
  return [
    error === undefined
      ? null
      : html`<p class="notice notice-bad" role="alert">${worded(words.errors, error, words.errors.other)}</p>`,
    good === '' ? null : html`<p class="${`notice ${kind}`}" role="status">${good}</p>`,
  ];
}

function nextField(next: string | undefined): Part {
  return next === undefined ? null : html`<input type="hidden" name="next" value="${next}">`;
}

function emailField(words: SignInWords, message: PageMessage): Html {
  const fault = faultOf(words, message, 'email');
  return html`<div class="field">
<label for="email">${words.email}</label>
${faultText('email', fault)}
<input id="email" name="email" type="email" value="${message.written?.email ?? ''}" autocomplete="username" maxlength="254" autocapitalize="none" spellcheck="false" aria-describedby="${describedBy('email', { fault, hint: undefined })}" required ${mark({ fault })}>
</div>`;
}

function passwordField(
  words: SignInWords,
  message: PageMessage,
  { autocomplete, hint }: { readonly autocomplete: string; readonly hint?: string },
): Html {
  const fault = faultOf(words, message, 'password');
  const isFurther = faultOf(words, message, 'email') !== undefined;
  // Refused together with the address: the password is what is typed again.
  const isRefused = message.errors.includes('signin.refused');
  const begins = fault === undefined ? flag('autofocus', isRefused) : mark({ fault, isFurther });
  const optional = hint === undefined ? null : html` <span class="soft">(${words.optional})</span>`;
  // The script that shows what was typed finds its words here.
  return html`<div class="field">
<label for="password">${words.password}${optional}</label>
${faultText('password', fault)}
<div class="with-button">
<input id="password" name="password" type="password" autocomplete="${autocomplete}" maxlength="1024" data-show="${words.show}" data-hide="${words.hide}" data-show-label="${words.showPassword}" data-hide-label="${words.hidePassword}" aria-describedby="${describedBy('password', { fault, hint })}" ${flag('required', hint === undefined)} ${begins}>
</div>
${hint === undefined ? null : html`<p class="hint" id="password-hint">${hint}</p>`}
</div>`;
}
