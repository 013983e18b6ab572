import { translated } from '../../../core/language.ts';
import { html } from '../../../pages/html.ts';
import { type Failure, forSupport, wordsFor } from './failure-notice.ts';
import { linkPage, type Reader } from './frame.ts';

const WORDS = translated({
  en: {
    again: 'Try again',
    signedIn: (vendor: string) => `You are signed in to ${vendor}`,
    code: 'Copy this code to the app that asked for it:',
    copy: 'Copy',
    copied: 'Copied',
    codeNote:
      'It works once, within 15 minutes. It gives access to your account, so do not share it with anyone else.',
  },
  sv: {
    again: 'Försök igen',
    signedIn: (vendor: string) => `Du är inloggad hos ${vendor}`,
    code: 'Kopiera den här koden till appen som bad om den:',
    copy: 'Kopiera',
    copied: 'Kopierad',
    codeNote:
      'Den fungerar en gång, inom 15 minuter. Den ger tillgång till ditt konto, så ge den inte till någon annan.',
  },
});

/** What went wrong and what to do next; `againHref` is null where trying again leads nowhere. */
export function failurePage(reader: Reader, failure: Failure, againHref: string | null): string {
  const { what, next } = wordsFor(reader, failure);
  const title = what.replace(/\.$/, '');
  return linkPage(reader, {
    title,
    main: html`<h1>${title}</h1><p class="lead">${next}</p>
${againHref === null ? null : html`<p><a class="button button-primary" href="${againHref}">${WORDS[reader.language].again}</a></p>`}
${forSupport(reader, failure)}`,
  });
}

/** The code that stands for a sign-in, to be copied into the app. */
export function codePage(
  reader: Reader,
  { vendor, code }: { readonly vendor: string; readonly code: string },
): string {
  const words = WORDS[reader.language];
  const title = words.signedIn(vendor);
  return linkPage(reader, {
    title,
    main: html`<h1>${title}</h1><p>${words.code}</p>
<p class="code-line" data-copy="${words.copy}" data-copied="${words.copied}"><code>${code}</code></p>
<p class="soft">${words.codeNote}</p>`,
  });
}
