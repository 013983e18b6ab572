import type { FastifyInstance } from 'fastify';
import type { ConnectDependencies } from '../dependencies.ts';

/** Files that vendors fetch from us at paths of their own; a path is there only where its file is set. */
export function wellKnownRoutes(app: FastifyInstance, { wellKnown }: ConnectDependencies): void {
  for (const { path, contentType, content } of wellKnown) {
    app.get(
      path,
      {
        config: { access: 'public' },
        schema: { summary: 'Read a file that a vendor requires', tags: ['Linking'] },
      },
      (_request, reply) =>
        reply.headers({ 'content-type': contentType, 'cache-control': 'public, max-age=300' }).send(content),
    );
  }
}
