import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { Words } from '../../../core/language.ts';
import { pageLanguage } from '../../../http/language.ts';
import { keepPage, sendPrepared } from '../../../http/pages.ts';
import { wantsPage } from '../../../http/wants-page.ts';
import type { Assets } from '../../../pages/assets.ts';
import { createStatusLook, type StatusParts } from '../status/look.ts';
import { statusPage } from '../status/page.ts';
import { Status } from '../status/shapes.ts';

/** `GET /status`: how the services are, for everybody, as a page or as JSON. */
export function addStatusRoute(
  app: FastifyInstance,
  { assets, ...parts }: StatusParts & { readonly assets: Assets },
): void {
  const look = createStatusLook(parts);
  const pages = { sv: keepPage(), en: keepPage() } satisfies Words<unknown>;
  app.get(
    '/status',
    {
      config: { access: 'public' },
      schema: {
        operationId: 'getStatus',
        summary: 'See how the services are',
        description:
          'For everybody: the services, prices and production by area, and the clouds of vendors as the last calls from here say. A page for browsers. Always 200; orchestrators ask `/readyz`.',
        tags: ['Operation'],
        response: {
          200: {
            description: 'How the services are; for a browser, a page',
            content: {
              'application/json': { schema: Status },
              'text/html': { schema: Type.String({ description: 'A page for browsers' }) },
            },
          },
        },
      },
    },
    async (request, reply) => {
      const status = await look();
      if (!wantsPage(request))
        return reply.headers({ 'cache-control': 'no-cache', vary: 'accept' }).send(status);
      const language = pageLanguage(request);
      const make = () => statusPage(assets, status, language);
      return sendPrepared(request, reply, pages[language]({ version: status.checked_at, make }));
    },
  );
}
