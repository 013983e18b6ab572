import type { FastifyInstance } from 'fastify';

export interface WellKnownFile {
  readonly path: string;
  readonly contentType: string;
  readonly content: string;
}

export interface WellKnownFiles {
  /** Files that vendors fetch, with what the operator set. */
  readonly wellKnown: readonly WellKnownFile[];
}

/** Files that vendors fetch from us at paths of their own; a path is there only where its file is set. */
export function addWellKnownRoutes(app: FastifyInstance, { wellKnown }: WellKnownFiles): void {
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
