import type { Language, Words } from '../../../core/language.ts';
import type { NewKey } from '../../../domain/accounts/index.ts';
import type { Assets } from '../../../pages/assets.ts';
import { type Html, html } from '../../../pages/html.ts';
import { gridPage } from '../pages/frame.ts';
import { exampleCalls } from './use.ts';
import type { AccountView } from './view.ts';

const WORDS = {
  en: {
    title: 'Your new key',
    once: 'You will not see this key again.',
    onceText:
      'Copy it now to where your program reads it, or to a password manager. We keep only what we need to recognise it.',
    key: 'Key',
    copy: 'Copy',
    copied: 'Copied',
    label: 'Label',
    scopes: 'Permissions',
    tryIt: 'Try it',
    back: 'I have saved it',
    againTitle: 'This key was made already',
    againText:
      'The form was sent a second time, by a reload or the back button. No second key was made, and the first one cannot be shown again.',
    againNext: 'If you have not saved it, revoke it and make a new one.',
    toAccount: 'To the account',
  },
  sv: {
    title: 'Din nya nyckel',
    once: 'Du får inte se nyckeln igen.',
    onceText:
      'Kopiera den nu dit där ditt program läser den, eller till en lösenordshanterare. Vi sparar bara det som behövs för att känna igen den.',
    key: 'Nyckel',
    copy: 'Kopiera',
    copied: 'Kopierad',
    label: 'Namn',
    scopes: 'Behörigheter',
    tryIt: 'Prova',
    back: 'Jag har sparat den',
    againTitle: 'Nyckeln har redan skapats',
    againText:
      'Formuläret skickades en gång till, genom att sidan laddades om eller via bakåtknappen. Ingen andra nyckel skapades, och den första går inte att visa igen.',
    againNext: 'Har du inte sparat den, så spärra den och skapa en ny.',
    toAccount: 'Till kontot',
  },
} satisfies Words<object>;

interface NewKeyView extends Pick<AccountView, 'language' | 'connectUrl' | 'gridUrl'> {
  readonly key: NewKey;
}

/** Shows a key, this once. */
export function newKeyPage(assets: Assets, { language, key, ...addresses }: NewKeyView): string {
  const words = WORDS[language];
  const main = html`<h1>${words.title}</h1>
${keyCard({ language, key, back: '/account#keys' })}
<section class="stack-small" aria-labelledby="try"><h2 id="try">${words.tryIt}</h2>
<pre tabindex="0" role="group" aria-labelledby="try"><code>${exampleCalls(key.api_key, addresses)}</code></pre></section>`;
  return gridPage(assets, {
    language,
    title: words.title,
    styles: ['account'],
    scripts: ['account'],
    here: 'account',
    main,
  });
}

/** A key that is shown this once, with a link to go on. */
export function keyCard({
  language,
  key,
  back,
}: Pick<NewKeyView, 'language' | 'key'> & { readonly back: string }): Html {
  const words = WORDS[language];
  return html`<div class="card">
<div class="field"><strong id="key-name">${words.key}</strong>
<code class="secret" id="key" tabindex="0" role="group" aria-labelledby="key-name">${key.api_key}</code></div>
<div class="row"><button class="button button-primary" type="button" data-copy="key" data-copied="${words.copied}" hidden>${words.copy}</button><span class="soft" role="status" data-copy-status></span></div>
<div class="notice notice-note"><p><strong>${words.once}</strong></p><p>${words.onceText}</p></div>
<dl class="facts"><dt>${words.label}</dt><dd>${key.label}</dd><dt>${words.scopes}</dt><dd>${key.scopes.split(' ').map((scope) => html`<code>${scope}</code> `)}</dd></dl>
<div class="row"><a class="button" href="${back}">${words.back}</a></div>
</div>`;
}

/** Says that a form was sent a second time and made nothing. */
export function keyMadePage(assets: Assets, language: Language): string {
  const words = WORDS[language];
  const main = html`<h1>${words.againTitle}</h1>
<p>${words.againText}</p>
<p>${words.againNext}</p>
<div class="row"><a class="button button-primary" href="/account#keys">${words.toAccount}</a></div>`;
  return gridPage(assets, { language, title: words.againTitle, here: 'account', main });
}
