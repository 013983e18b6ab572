import type { FastifyRequest } from 'fastify';
import { AppError } from '../core/errors.ts';

/** The API key of a request; undefined when it has none. Throws `key.invalid` for two different keys and for a malformed header. */
export function keyOf(request: FastifyRequest): string | undefined {
  const { authorization } = request.headers;
  const header = request.headers['x-api-key'];
  const named = header === undefined || header === '' ? undefined : String(header);
  if (authorization === undefined || authorization === '') return named;
  const bearer = /^bearer +(\S+) *$/i.exec(authorization)?.[1];
  if (bearer === undefined) {
    if (named !== undefined) return named;
    throw new AppError('key.invalid', 'the header Authorization must be: Bearer <key>');
  }
  if (named !== undefined && named !== bearer) {
    throw new AppError(
      'key.invalid',
      'the headers Authorization and X-Api-Key contain two different keys; send only one of them',
    );
  }
  return bearer;
}
