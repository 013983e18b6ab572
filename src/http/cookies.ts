import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** A cookie as it was sent. */
export function cookieIn({ headers }: FastifyRequest, name: string): string | undefined {
  return headers.cookie === undefined ? undefined : parseCookie(headers.cookie)[name];
}

interface Cookie {
  readonly name: string;
  readonly value: string;
  /** In seconds; 0 takes it away. */
  readonly maxAge: number;
  readonly secure: boolean;
}

/** Sets a cookie of the whole service that no script reads and no page of another site sends along with a form. */
export function setCookie(reply: FastifyReply, cookie: Cookie): void {
  reply.header('set-cookie', stringifySetCookie({ ...cookie, path: '/', httpOnly: true, sameSite: 'lax' }));
}
