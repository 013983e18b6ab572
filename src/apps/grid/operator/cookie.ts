import type { FastifyReply, FastifyRequest } from 'fastify';
import { OPERATOR_SESSION_SECONDS } from '../../../domain/operators/index.ts';
import { cookieIn, setCookie } from '../../../http/cookies.ts';

/** The prefix makes browsers refuse it from other hosts, and without TLS. */
const nameFor = (isSecure: boolean) => (isSecure ? '__Host-elnav_operator' : 'elnav_operator');

/** The id of the operator's session that a request carries; undefined where it carries none. */
export const operatorSessionIn = (request: FastifyRequest, isSecure: boolean): string | undefined =>
  cookieIn(request, nameFor(isSecure));

/** Gives the browser a session of the operator, which links and forms of other sites do not send. */
export const giveOperatorSession = (reply: FastifyReply, token: string, isSecure: boolean): void =>
  set(reply, { value: token, maxAge: OPERATOR_SESSION_SECONDS }, isSecure);

export const takeOperatorSession = (reply: FastifyReply, isSecure: boolean): void =>
  set(reply, { value: '', maxAge: 0 }, isSecure);

function set(
  reply: FastifyReply,
  cookie: { readonly value: string; readonly maxAge: number },
  isSecure: boolean,
): void {
  setCookie(reply, { ...cookie, name: nameFor(isSecure), secure: isSecure, sameSite: 'strict' });
}
