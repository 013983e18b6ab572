import { type Language, translated } from '../core/language.ts';
import type { SiteSettings } from '../core/settings/site.ts';
import { type Html, html } from './html.ts';

const WORDS = translated({
  en: {
    navigation: 'About this service',
    status: 'Status',
    licence: 'Licence: Apache 2.0',
    source: 'Source code',
    contact: 'Contact',
    privacy: 'Privacy',
    terms: 'Terms',
  },
  sv: {
    navigation: 'Om tjänsten',
    status: 'Driftstatus',
    licence: 'Licens: Apache 2.0',
    source: 'Källkod',
    contact: 'Kontakt',
    privacy: 'Integritet',
    terms: 'Villkor',
  },
});

const LICENCE = 'https://www.apache.org/licenses/LICENSE-2.0';

/** Links in the footer; `rights` is for pages of a customer's app: only those that concern its users. */
export type Foot = 'all' | 'rights';

interface FootOf {
  readonly language: Language;
  readonly foot: Foot;
  /** Where the status of the services is shown. */
  readonly statusUrl: string;
}

/** Footer links, including the operator's own from settings; null without any. */
export function footLinks(site: SiteSettings, { language, foot, statusUrl }: FootOf): Html | null {
  const words = WORDS[language];
  const rights = [
    { href: site.privacyUrl, text: words.privacy },
    { href: site.termsUrl, text: words.terms },
    { href: site.contact, text: words.contact },
  ];
  const service = [
    { href: statusUrl, text: words.status },
    { href: site.sourceUrl, text: words.source },
    { href: LICENCE, text: words.licence },
  ];
  const links = (foot === 'all' ? [...rights, ...service] : rights).filter(({ href }) => href !== undefined);
  if (links.length === 0) return null;
  return html`<nav aria-label="${words.navigation}"><ul class="foot-links">${links.map(({ href, text }) => html`<li><a href="${href}">${text}</a></li>`)}</ul></nav>`;
}

/** Note on the reference, which has no language switch. */
export const ENGLISH_ONLY = html`<p>The API reference is in English only. <span lang="sv">API-referensen finns bara på engelska.</span></p>`;
