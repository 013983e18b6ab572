import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Random, randomBase62 } from '../../core/ids.ts';

const LENGTH = 43;
const WELL_FORMED = /^[0-9A-Za-z]{43}$/;
/** As long as a sign-in may take. */
const SECONDS = 600;

/** The prefix makes browsers refuse it from other hosts, and without TLS. */
const nameFor = (isSecure: boolean) => (isSecure ? '__Host-elnav_oauth' : 'elnav_oauth');

/** What the cookie of the browser that began a sign-in holds; undefined without one. */
export function browserOf(request: FastifyRequest, isSecure: boolean): string | undefined {
  const value = parseCookie(request.headers.cookie ?? '')[nameFor(isSecure)];
  return value !== undefined && WELL_FORMED.test(value) ? value : undefined;
}

/** The same, with a new cookie for a browser that has none; sign-ins in two tabs share it. */
export function markBrowser(
  request: FastifyRequest,
  reply: FastifyReply,
  { isSecure, random }: { readonly isSecure: boolean; readonly random: Random },
): string {
  const browser = browserOf(request, isSecure) ?? randomBase62(random, LENGTH);
  reply.header(
    'set-cookie',
    stringifySetCookie({
      name: nameFor(isSecure),
      value: browser,
      path: '/',
      httpOnly: true,
      sameSite: 'lax',
      secure: isSecure,
      maxAge: SECONDS,
    }),
  );
  return browser;
}
