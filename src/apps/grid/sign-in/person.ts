import type { FastifyRequest } from 'fastify';

/** Who is signed in, on a route for which somebody must be. */
export function personOf({ person }: FastifyRequest): NonNullable<FastifyRequest['person']> {
  if (person === null) throw new Error('a route that needs a session was reached without one');
  return person;
}
