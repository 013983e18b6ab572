import type { FastifyRequest } from 'fastify';
import { AppError } from '../core/errors.ts';

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
