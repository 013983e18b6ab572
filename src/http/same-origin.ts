import type { FastifyRequest } from 'fastify';
import { AppError } from '../core/errors.ts';

/**
 * Refuses what a page of another site sends in a signed-in browser: browsers name the origin of every form and every
 * call that changes something. Programs send no Origin; they have no cookie that they were not given.
 *
 * `publicUrl` is the configured address, or undefined: then the page must come from the host that was asked.
 */
export function refuseForeign(request: FastifyRequest, publicUrl: string | undefined): void {
  const { origin, host } = request.headers;
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') throw foreign();
  if (origin === undefined) return;
  if (publicUrl !== undefined && origin === new URL(publicUrl).origin) return;
  // Nobody who is let through here for his Host gets the cookie of another host.
  if (publicUrl === undefined && URL.canParse(origin) && new URL(origin).host === host) return;
  // Some browsers name no origin for privacy; this field a page cannot set.
  if (origin === 'null' && site === 'same-origin') return;
  throw foreign();
}

/** Whether a page of another site sent a request: what it carries was not chosen by whoever is at the address. */
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
