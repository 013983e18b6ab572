import type { FastifyInstance } from 'fastify';
import type { Words } from '../../../core/language.ts';
import type { Service } from '../../../http/errors.ts';
import { pageLanguage } from '../../../http/language.ts';
import { keepPage, sendPrepared } from '../../../http/pages.ts';
import { wantsPage } from '../../../http/wants-page.ts';
import type { Assets } from '../../../pages/assets.ts';
import { startPage } from '../pages/start.ts';

export interface StartPage {
  readonly assets: Assets;
  readonly publicUrl: () => string;
  /** The addresses of both services; undefined where one is not known. */
  readonly addressOf: (service: Service) => string | undefined;
}

/** `GET /`: a page that says what runs here; programs are led to the reference. */
export function addStartRoute(
  app: FastifyInstance,
  { assets, addressOf, publicUrl }: StartPage,
  version: string,
): void {
  const pages = { sv: keepPage(), en: keepPage() } satisfies Words<unknown>;
  app.get('/', { config: { access: 'public' }, schema: { hide: true } }, (request, reply) => {
    if (!wantsPage(request)) return reply.header('vary', 'accept').redirect('/docs', 302);
    const language = pageLanguage(request);
    const [connectUrl, gridUrl] = [publicUrl(), addressOf('grid')];
    const page = pages[language]({
      // The address of Grid is known a moment after ours is asked at.
      version: `${connectUrl} ${gridUrl}`,
      make: () => startPage({ assets, language, version, connectUrl, gridUrl }),
    });
    return sendPrepared(request, reply, page);
  });
}
