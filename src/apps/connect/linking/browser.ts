import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Random, randomBase62 } from '../../../core/ids.ts';
import { cookieIn, setCookie } from '../../../http/cookies.ts';

const LENGTH = 43;
/** What a browser is told apart by, and link sessions too. */
const WELL_FORMED = /^[0-9A-Za-z]{43}$/;
/** As long as a link session lives, so that what was found can be looked at again. */
const SECONDS = 86_400;

/** The prefix makes browsers refuse it from other hosts, and without TLS. */
const nameFor = (what: 'browser' | 'session', isSecure: boolean) =>
  `${isSecure ? '__Host-' : ''}elnav_link_${what}`;

function cookieOf(request: FastifyRequest, name: string): string | undefined {
  const value = cookieIn(request, name);
  return value !== undefined && WELL_FORMED.test(value) ? value : undefined;
}

/** What the cookie of a browser that links holds; undefined without one. */
export function browserOf(request: FastifyRequest, isSecure: boolean): string | undefined {
  return cookieOf(request, nameFor('browser', isSecure));
}

/** The same, with a new cookie for a browser that has none; sign-ins in two tabs share it. */
export function markBrowser(
  request: FastifyRequest,
  reply: FastifyReply,
  { isSecure, random }: { readonly isSecure: boolean; readonly random: Random },
): string {
  const browser = browserOf(request, isSecure) ?? randomBase62(random, LENGTH);
  setCookie(reply, { name: nameFor('browser', isSecure), value: browser, maxAge: SECONDS, secure: isSecure });
  return browser;
}

/** The link session that this browser went on to a vendor from; the vendor does not send it back. */
export function sessionOf(request: FastifyRequest, isSecure: boolean): string | undefined {
  return cookieOf(request, nameFor('session', isSecure));
}

/** Remembers the session for the way back from the vendor; of two tabs the later one is remembered. */
export function rememberSession(reply: FastifyReply, session: string, isSecure: boolean): void {
  if (!WELL_FORMED.test(session)) return;
  setCookie(reply, { name: nameFor('session', isSecure), value: session, maxAge: SECONDS, secure: isSecure });
}
