import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** A body that is ready to be sent, again and again. */
export interface Prepared {
  /** JSON text, or its bytes: those are sent faster. */
  readonly body: string | Buffer;
  /** Strong entity tag, with its quotes. */
  readonly etag: string;
}

/** How long an answer may be used without asking again. */
export interface Freshness {
  /** Rounded down to whole seconds; 0 and less: asked again each time. */
  readonly seconds: number;
  /**
   * Whether caches that serve several callers may keep it. Only where nothing of the answer belongs to its caller: one
   * that was counted carries the caller's RateLimit fields, and a shared copy would be handed to callers who are banned.
   */
  readonly isShared?: boolean;
}

const JSON_TYPE = 'application/json; charset=utf-8';

/** Makes a body sendable; the tag is a hash of it, so that equal bodies have equal tags on every instance. */
export function prepared(body: string): Prepared {
  return { body, etag: `"${hash('sha256', body, 'base64url').slice(0, 22)}"` };
}

/**
 * Answers 200 with the body, or 304 without it where the caller's `If-None-Match` names its tag (RFC 9110, 13.1.2).
 * Whether the call is counted was decided before: a 304 costs as much as a 200 and carries the same fields.
 */
export function sendCacheable(
  request: FastifyRequest,
  reply: FastifyReply,
  { body, etag, seconds, isShared = false }: Prepared & Freshness,
): FastifyReply {
  reply.header('etag', etag);
  reply.header('cache-control', cacheControl(seconds, isShared));
  const known = request.headers['if-none-match'];
  if (known !== undefined && names(known, etag)) return reply.code(304).send();
  return reply.header('content-type', JSON_TYPE).send(body);
}

function cacheControl(seconds: number, isShared: boolean): string {
  const whole = Math.floor(seconds);
  if (whole <= 0) return isShared ? 'no-cache' : 'private, no-cache';
  return `${isShared ? 'public' : 'private'}, max-age=${whole}, must-revalidate`;
}

/** Compares weakly, as the RFC wants it here: a proxy that compressed our answer has weakened the tag. */
function names(header: string, etag: string): boolean {
  if (header === etag) return true;
  if (header.trim() === '*') return true;
  for (const [, tag] of header.matchAll(/(?:W\/)?("[^"]*")/g)) if (tag === etag) return true;
  return false;
}
