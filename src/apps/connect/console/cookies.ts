import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Random, randomBase62 } from '../../../core/ids.ts';
import { SESSION_SECONDS } from '../../../domain/access/people/index.ts';
import { cookieIn, setCookie } from '../../../http/cookies.ts';

const SESSION = 'elnav_console';
const BROWSER = 'elnav_console_browser';
/** As long as somebody may take to sign in. */
const BROWSER_SECONDS = 3_600;
const WELL_FORMED = /^[0-9A-Za-z]{43}$/;

/** The prefix makes browsers refuse it from other hosts, and without TLS. */
const named = (name: string, isSecure: boolean) => (isSecure ? `__Host-${name}` : name);

function cookieOf(request: FastifyRequest, name: string, isSecure: boolean): string | undefined {
  const value = cookieIn(request, named(name, isSecure));
  return value !== undefined && WELL_FORMED.test(value) ? value : undefined;
}

/** The id of the session of the console that a request carries. */
export const consoleSessionIn = (request: FastifyRequest, isSecure: boolean): string | undefined =>
  cookieOf(request, SESSION, isSecure);

/**
 * The id of the account whose console a page shows, which its requests name: another account may have signed in in its browser
 * meanwhile. Undefined for a request that does not come from the console.
 */
export function accountShownBy({ headers }: FastifyRequest): string | undefined {
  const account = headers['elnav-account'];
  return typeof account === 'string' ? account : undefined;
}

export function giveConsoleSession(reply: FastifyReply, token: string, isSecure: boolean): void {
  const name = named(SESSION, isSecure);
  setCookie(reply, { name, value: token, maxAge: SESSION_SECONDS, secure: isSecure });
}

export function takeConsoleSession(reply: FastifyReply, isSecure: boolean): void {
  setCookie(reply, { name: named(SESSION, isSecure), value: '', maxAge: 0, secure: isSecure });
}

/** What tells the browser that was sent to sign in from others; undefined where it was not sent. */
export const consoleBrowserIn = (request: FastifyRequest, isSecure: boolean): string | undefined =>
  cookieOf(request, BROWSER, isSecure);

/** The same, with a new cookie for a browser that has none; several tabs share it. */
export function markConsoleBrowser(
  request: FastifyRequest,
  reply: FastifyReply,
  { isSecure, random }: { readonly isSecure: boolean; readonly random: Random },
): string {
  const value = consoleBrowserIn(request, isSecure) ?? randomBase62(random, 43);
  setCookie(reply, {
    name: named(BROWSER, isSecure),
    value,
    maxAge: BROWSER_SECONDS,
    secure: isSecure,
  });
  return value;
}
