import type { FastifyInstance } from 'fastify';
import type { Words } from '../../../core/language.ts';
import { pageLanguage } from '../../../http/language.ts';
import { keepPage, sendPrepared } from '../../../http/pages.ts';
import { wantsPage } from '../../../http/wants-page.ts';
import type { ConnectDependencies } from '../dependencies.ts';
import { startPage } from '../pages/start.ts';

/** `GET /`: a page that says what runs here; programs are led to the reference. */
export function startRoute(
  app: FastifyInstance,
  { assets, addressOf, publicUrl }: ConnectDependencies,
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
