import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** The value of a request's cookie. */
export function cookieIn({ headers }: FastifyRequest, name: string): string | undefined {
  return headers.cookie === undefined ? undefined : parseCookie(headers.cookie)[name];
}

interface Cookie {
  readonly name: string;
  readonly value: string;
  /** In seconds; 0 deletes it. */
  readonly maxAge: number;
  readonly secure: boolean;
}

/** Sets a cookie for the whole service that no script can read and that forms of other sites do not send. */
export function setCookie(reply: FastifyReply, cookie: Cookie): void {
  reply.header('set-cookie', stringifySetCookie({ ...cookie, path: '/', httpOnly: true, sameSite: 'lax' }));
}
