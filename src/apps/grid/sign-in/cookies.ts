import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Random, randomBase62 } from '../../../core/ids.ts';
import { SESSION_SECONDS } from '../../../domain/access/people/index.ts';
import { cookieIn, setCookie } from '../../../http/cookies.ts';

/** Named in the document of the service. */
const SESSION = 'elnav_session';
/** As long as a link may wait. */
const ASKED_SECONDS = 15 * 60;
const WELL_FORMED = /^[0-9A-Za-z]{43}$/;

/** The prefix makes browsers refuse it from other hosts, and without TLS. */
const askedName = (isSecure: boolean) => (isSecure ? '__Host-elnav_signup' : 'elnav_signup');

/** The id of the session that a request carries; undefined where it carries none. */
export const sessionIn = (request: FastifyRequest): string | undefined => cookieOf(request, SESSION);

/** Gives the browser a session. */
export function giveSession(reply: FastifyReply, token: string, isSecure: boolean): void {
  setCookie(reply, { name: SESSION, value: token, maxAge: SESSION_SECONDS, secure: isSecure });
}

export function takeSession(reply: FastifyReply, isSecure: boolean): void {
  setCookie(reply, { name: SESSION, value: '', maxAge: 0, secure: isSecure });
}

/** What tells the browser that asked for a link from others; undefined where it did not ask. */
export const askedBy = (request: FastifyRequest, isSecure: boolean): string | undefined =>
  cookieOf(request, askedName(isSecure));

/** The same, with a new cookie for a browser that has none; several tabs share it. */
export function markAsking(
  request: FastifyRequest,
  reply: FastifyReply,
  { isSecure, random }: { readonly isSecure: boolean; readonly random: Random },
): string {
  const value = askedBy(request, isSecure) ?? randomBase62(random, 43);
  setCookie(reply, { name: askedName(isSecure), value, maxAge: ASKED_SECONDS, secure: isSecure });
  return value;
}

function cookieOf(request: FastifyRequest, name: string): string | undefined {
  const value = cookieIn(request, name);
  return value !== undefined && WELL_FORMED.test(value) ? value : undefined;
}
