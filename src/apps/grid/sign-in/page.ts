import type { Language } from '../../../core/language.ts';
import type { Assets } from '../../../pages/assets.ts';
import { type Html, html, type Part } from '../../../pages/html.ts';
import { gridPage } from '../pages/frame.ts';
import { SIGN_IN_WORDS } from './words.ts';

/** What the address of a page of signing in says. */
export interface PageMessage {
  readonly error: string;
  readonly info: string;
  /** A path of our own, where to go afterwards. */
  readonly next: string | undefined;
}

interface Reader {
  readonly assets: Assets;
  readonly language: Language;
  /** Whether letters are files, which only the operator of the machine sees. */
  readonly hasOutbox: boolean;
}

type SignInWords = (typeof SIGN_IN_WORDS)[Language];

const STYLES = ['sign-in'];
const SCRIPTS = ['show-password'];

/** The address of a page with as much of what it was told as it has words for: nothing else of an address is shown again. */
function pathWith(page: '/auth/login' | '/auth/signup', { error, info, next }: PageMessage): string {
  const { errors, infos } = SIGN_IN_WORDS.en;
  const query = new URLSearchParams();
  if (Object.hasOwn(errors, error)) query.set('error', error);
  if (info === 'sent' || Object.hasOwn(infos, info)) query.set('info', info);
  if (next !== undefined) query.set('next', next);
  return query.size === 0 ? page : `${page}?${query}`;
}

/** What all of these pages are to the frame. */
const framed = (language: Language, path: string) =>
  ({ language, path, styles: STYLES, here: 'account' }) as const;

/** The sign-in page, or after a link was asked for, where to look for it. */
export function signInPage(reader: Reader, told: PageMessage): string {
  const { assets, language } = reader;
  const { error, info, next } = told;
  const words: SignInWords = SIGN_IN_WORDS[language];
  if (info === 'sent') return sentPage(reader, told);
  const main = html`<h1>${words.signIn}</h1>
${notices(words, { error, info })}
<form class="card" method="post" action="/auth/login">
${nextField(next)}
${emailField(words)}
${passwordField(words, { autocomplete: 'current-password' })}
<button class="button button-primary button-wide" type="submit">${words.signIn}</button>
<p class="or" aria-hidden="true"><span>${words.or}</span></p>
<div class="stack-small">
<button class="button button-wide" type="submit" formaction="/auth/magic" formnovalidate>${words.sendLink}</button>
<p class="hint">${words.sendLinkHint}</p>
</div>
</form>
<p class="aside">${words.noAccount} <a href="/auth/signup">${words.signUp}</a></p>`;
  return gridPage(assets, {
    ...framed(language, pathWith('/auth/login', told)),
    title: words.signIn,
    scripts: SCRIPTS,
    main,
  });
}

/** The sign-up page. */
export function signUpPage(
  { assets, language }: Reader,
  { error, isOpen }: { readonly error: string; readonly isOpen: boolean },
): string {
  const words: SignInWords = SIGN_IN_WORDS[language];
  const form = html`<form class="card" method="post" action="/auth/signup">
${emailField(words)}
<div class="field">
<label for="name">${words.name} <span class="soft">(${words.optional})</span></label>
<input id="name" name="name" type="text" autocomplete="name" maxlength="200">
</div>
${passwordField(words, { autocomplete: 'new-password', hint: words.passwordHint })}
<button class="button button-primary button-wide" type="submit">${words.signUp}</button>
</form>`;
  const main = html`<h1>${words.signUp}</h1>
${isOpen ? html`<p class="lead">${words.signUpLead}</p>` : null}
${notices(words, { error, info: '' })}
${isOpen ? form : html`<p class="notice notice-note">${words.closed}</p>`}
<p class="aside">${words.hasAccount} <a href="/auth/login">${words.signIn}</a></p>`;
  return gridPage(assets, {
    ...framed(language, pathWith('/auth/signup', { error, info: '', next: undefined })),
    title: words.signUp,
    scripts: SCRIPTS,
    main,
  });
}

function sentPage({ assets, language, hasOutbox }: Reader, told: PageMessage): string {
  const { next } = told;
  const words = SIGN_IN_WORDS[language];
  const back = next === undefined ? '/auth/login' : `/auth/login?next=${encodeURIComponent(next)}`;
  const main = html`<h1>${words.sentTitle}</h1>
<div class="stack" role="status">
<p>${words.sent}</p>
<p class="soft">${words.sentHint}</p>
${hasOutbox ? html`<p class="notice notice-note">${words.outbox}</p>` : null}
</div>
<p><a class="button" href="${back}">${words.back}</a></p>`;
  return gridPage(assets, {
    ...framed(language, pathWith('/auth/login', told)),
    title: words.sentTitle,
    main,
  });
}

/** The words for a code, general ones for what is none: the author of an address says nothing in our name. */
function worded(codes: Readonly<Record<string, string>>, code: string, general: string): string {
  if (code === '') return '';
  return Object.hasOwn(codes, code) ? (codes[code] ?? '') : general;
}

function notices(words: SignInWords, { error, info }: Pick<PageMessage, 'error' | 'info'>): Part {
  const bad = worded(words.errors, error, words.errors.other);
  const good = worded(words.infos, info, words.infos.required);
  const kind = good === words.infos.required ? 'notice-note' : 'notice-good';
  return [
    bad === '' ? null : html`<p class="notice notice-bad" role="alert">${bad}</p>`,
    good === '' ? null : html`<p class="${`notice ${kind}`}" role="status">${good}</p>`,
  ];
}

function nextField(next: string | undefined): Part {
  return next === undefined ? null : html`<input type="hidden" name="next" value="${next}">`;
}

function emailField(words: SignInWords): Html {
  return html`<div class="field">
<label for="email">${words.email}</label>
<input id="email" name="email" type="email" autocomplete="username" maxlength="254" autocapitalize="none" spellcheck="false" required>
</div>`;
}

function passwordField(
  words: SignInWords,
  { autocomplete, hint }: { readonly autocomplete: string; readonly hint?: string },
): Html {
  // The script that shows what was typed finds its words here.
  if (hint === undefined) {
    return html`<div class="field">
<label for="password">${words.password}</label>
<div class="with-button">
<input id="password" name="password" type="password" autocomplete="${autocomplete}" maxlength="1024" data-show="${words.show}" data-hide="${words.hide}" data-show-label="${words.showPassword}" data-hide-label="${words.hidePassword}" required>
</div>
</div>`;
  }
  return html`<div class="field">
<label for="password">${words.password} <span class="soft">(${words.optional})</span></label>
<div class="with-button">
<input id="password" name="password" type="password" autocomplete="${autocomplete}" minlength="15" maxlength="1024" data-show="${words.show}" data-hide="${words.hide}" data-show-label="${words.showPassword}" data-hide-label="${words.hidePassword}" aria-describedby="password-hint">
</div>
<p class="hint" id="password-hint">${hint}</p>
</div>`;
}
