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

/**
 * Refuses requests that a page of another site sends in a signed-in browser: browsers name the origin of every form and every call
 * that changes something. Programs send no Origin, and no cookie unless they were given one.
 *
 * `publicUrl` is the configured address, or undefined: then the page's origin must match the Host header.
 */
export function refuseForeign(request: FastifyRequest, publicUrl: string | undefined): void {
  const { origin, host } = request.headers;
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') throw foreign();
  if (origin === undefined) return;
  if (publicUrl !== undefined && origin === new URL(publicUrl).origin) return;
  // A request accepted here for its Host cannot carry a cookie of another host.
  if (publicUrl === undefined && URL.canParse(origin) && new URL(origin).host === host) return;
  // Some browsers send no origin for privacy; a page cannot set this header.
  if (origin === 'null' && site === 'same-origin') return;
  throw foreign();
}

/** Whether a page of another site sent a request, in which case the person at the address did not choose its contents. */
export function isFromForeignPage({ headers }: FastifyRequest): boolean {
  const { origin, host } = headers;
  if (headers['sec-fetch-site'] === 'cross-site') return true;
  return origin !== undefined && !(URL.canParse(origin) && new URL(origin).host === host);
}

function foreign(): AppError {
  return new AppError(
    'origin.foreign',
    'the request was sent by a page of another site; send it from a page of this service',
  );
}
