import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** A response body with its entity tag, ready to be sent many times. */
export interface Prepared {
  /** JSON text, or its bytes, which are sent faster. */
  readonly body: string | Buffer;
  /** Strong entity tag, with its quotes. */
  readonly etag: string;
}

/** How long a response may be reused without revalidation. */
export interface Freshness {
  /** Rounded down to whole seconds; 0 or less: revalidated each time. */
  readonly seconds: number;
  /**
   * Whether shared caches may store it. Only where nothing in the response belongs to its caller: a counted response has the
   * caller's RateLimit fields, and a shared copy would also be served to banned callers.
   */
  readonly isShared?: boolean;
}

const JSON_TYPE = 'application/json; charset=utf-8';

/** Prepares a body. The tag is its hash, so that equal bodies have equal tags on every instance. */
export function prepared(body: string): Prepared {
  return { body, etag: `"${hash('sha256', body, 'base64url').slice(0, 22)}"` };
}

/**
 * Responds 200 with the body, or 304 without it when the caller's `If-None-Match` names its tag (RFC 9110, 13.1.2).
 * Whether the call counts was decided before: a 304 costs as much as a 200 and has the same fields.
 */
export function sendCacheable(
  request: FastifyRequest,
  reply: FastifyReply,
  { body, etag, seconds, isShared = false }: Prepared & Freshness,
): FastifyReply {
  reply.header('etag', etag);
  reply.header('cache-control', cacheControl(seconds, isShared));
  const ifNoneMatch = request.headers['if-none-match'];
  if (ifNoneMatch !== undefined && names(ifNoneMatch, etag)) return reply.code(304).send();
  return reply.header('content-type', JSON_TYPE).send(body);
}

function cacheControl(seconds: number, isShared: boolean): string {
  const whole = Math.floor(seconds);
  if (whole <= 0) return isShared ? 'no-cache' : 'private, no-cache';
  return `${isShared ? 'public' : 'private'}, max-age=${whole}, must-revalidate`;
}

/** Weak comparison, as the RFC requires here: a proxy that compressed our response has weakened the tag. */
function names(header: string, etag: string): boolean {
  if (header === etag) return true;
  if (header.trim() === '*') return true;
  for (const [, tag] of header.matchAll(/(?:W\/)?("[^"]*")/g)) if (tag === etag) return true;
  return false;
}
