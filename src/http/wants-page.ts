import type { FastifyRequest } from 'fastify';

/** Whether a browser sent the request, rather than a program. */
export const wantsPage = (request: FastifyRequest): boolean =>
  request.headers.accept?.includes('text/html') === true;
