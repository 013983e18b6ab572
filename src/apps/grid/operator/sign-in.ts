import type { Language } from '../../../core/language.ts';
import type { Assets } from '../../../pages/assets.ts';
import { html } from '../../../pages/html.ts';
import { textField } from '../account/parts.ts';
import { gridPage } from '../pages/frame.ts';
import { OPERATOR_HOME, OPERATOR_SIGN_IN } from './sections.ts';
import { OPERATOR_WORDS, type OperatorWords } from './words.ts';

export interface OperatorSignIn {
  readonly language: Language;
  /** Where to go afterwards: a path of the operator's pages. */
  readonly next: string;
  readonly notice?: string | undefined;
  readonly fault?: string | undefined;
}

/** The form of the admin token, which is never written back into it. */
export function operatorSignInPage(
  assets: Assets,
  { language, next, notice, fault }: OperatorSignIn,
): string {
  const words: OperatorWords['signIn'] = OPERATOR_WORDS[language].signIn;
  const query = next === OPERATOR_HOME ? '' : `?next=${encodeURIComponent(next)}`;
  const main = html`<h1>${words.title}</h1>
<p class="lead">${words.lead}</p>
${notice === undefined ? null : html`<p class="notice notice-note" role="status">${notice}</p>`}
<form class="card" method="post" action="${OPERATOR_SIGN_IN}" novalidate>
<input type="hidden" name="next" value="${next}">
${textField({
  id: 'token',
  name: 'token',
  type: 'password',
  label: words.token,
  hint: words.tokenHint,
  fault,
  autocomplete: 'current-password',
})}
<button class="button button-primary button-wide" type="submit">${words.submit}</button>
</form>
<div class="stack-small"><p><a class="button button-wide" href="${`/auth/login?next=${encodeURIComponent(next)}`}">${words.account}</a></p><p class="hint">${words.accountText}</p></div>`;
  return gridPage(assets, {
    language,
    path: `${OPERATOR_SIGN_IN}${query}`,
    title: words.title,
    styles: ['sign-in'],
    main,
  });
}
