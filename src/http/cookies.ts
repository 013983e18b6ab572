import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** The choice that somebody made on the front page of Grid: a price area and what its prices contain, such as `SE2?vat=on`. */
export const AREA_COOKIE = 'elnav_area';

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
  /** `strict`: links of other sites do not send it either. */
  readonly sameSite?: 'lax' | 'strict';
}

/** Sets a cookie for the whole service that no script can read and that forms of other sites do not send. */
export function setCookie(reply: FastifyReply, cookie: Cookie): void {
  reply.header('set-cookie', stringifySetCookie({ sameSite: 'lax', ...cookie, path: '/', httpOnly: true }));
}
