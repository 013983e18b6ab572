import type { Language } from '../../../core/language.ts';
import type { Offer } from '../../../domain/access/people/index.ts';
import type { PageReader } from '../../../http/language.ts';
import type { Assets } from '../../../pages/assets.ts';
import { html } from '../../../pages/html.ts';
import { gridPage } from '../pages/frame.ts';
import { SIGN_IN_WORDS } from './words.ts';

interface LinkPage extends PageReader {
  readonly assets: Assets;
  readonly offer: Offer;
  readonly token: string;
  readonly next: string | undefined;
}

/** What a mailed link opens: a button, so that a program that only looks at the link does not use it up. */
export function signInLinkPage({ assets, language, path, offer, token, next }: LinkPage): string {
  const words = SIGN_IN_WORDS[language];
  const { email, makesAccount, isSameBrowser, losesPassword } = offer;
  const title = makesAccount ? words.signUp : words.linkTitle;
  const main = html`<h1>${title}</h1>
<p class="lead">${makesAccount ? words.linkMakes : words.linkLead} <strong class="address">${email}</strong></p>
${isSameBrowser ? null : html`<p class="notice notice-note">${words.otherBrowser}</p>`}
${losesPassword ? html`<p class="notice">${words.losesPassword}</p>` : null}
<form method="post" action="/auth/magic/verify/${token}">
${next === undefined ? null : html`<input type="hidden" name="next" value="${next}">`}
<button class="button button-primary button-wide" type="submit">${makesAccount ? words.linkMakesButton : words.linkButton}</button>
</form>`;
  return gridPage(assets, { language, path, title, styles: ['sign-in'], here: 'account', main });
}

/** For a link that is good for nothing, whatever it was. */
export function deadLinkPage(assets: Assets, language: Language): string {
  const words = SIGN_IN_WORDS[language];
  const main = html`<h1>${words.linkInvalidTitle}</h1>
<p>${words.linkInvalid}</p>
<p><a class="button button-primary" href="/auth/login">${words.newLink}</a></p>`;
  return gridPage(assets, {
    language,
    // The same for every link, so that nobody can tell one from another by the page.
    path: '/auth/magic/verify/expired',
    title: words.linkInvalidTitle,
    here: 'account',
    main,
  });
}
