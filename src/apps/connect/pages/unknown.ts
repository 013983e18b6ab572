import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AppError } from '../../../core/errors.ts';
import { translated } from '../../../core/language.ts';
import { pageLanguage } from '../../../http/language.ts';
import { sendPage } from '../../../http/pages.ts';
import { UNKNOWN_PATH } from '../../../http/unknown-routes.ts';
import type { Assets } from '../../../pages/assets.ts';
import { html } from '../../../pages/html.ts';
import { renderPage } from '../../../pages/page.ts';

const WORDS = translated({
  en: {
    title: 'Page not found',
    text: 'If you came to connect a device, open the link from your app again, and make sure that the address is complete.',
    docs: 'API documentation',
  },
  sv: {
    title: 'Sidan finns inte',
    text: 'Om du skulle ansluta en enhet: öppna länken från din app igen. Hela länken måste stå i adressfältet.',
    docs: 'API-dokumentation',
  },
});

/** Tells somebody who opens an address that is none what to do; end users come here by a link that was cut short. */
export function unknownPage(assets: Assets) {
  return (_error: AppError, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const language = pageLanguage(request);
    const words = WORDS[language];
    const main = html`<h1>${words.title}</h1>
<p class="lead">${words.text}</p>
<p><a class="button" href="/docs">${words.docs}</a></p>`;
    const brand = { name: 'elnav', href: undefined };
    return sendPage(
      reply,
      renderPage(assets, { language, path: UNKNOWN_PATH, title: words.title, brand, main }),
    );
  };
}
