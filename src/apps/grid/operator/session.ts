import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../../core/errors.ts';
import type { Accounts, Actor } from '../../../domain/access/accounts/index.ts';
import { OPERATOR_SESSION_SECONDS, type Operators } from '../../../domain/access/operators/index.ts';
import type { Operator, Person } from '../../../http/access.ts';
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
  setCookie(reply, {
    ...cookie,
    name: nameFor(isSecure),
    secure: isSecure,
    // control: other sites do not send the cookie of the operator [grid/operator/operator] => 'lax'
    sameSite: 'strict',
  });
}

interface OperatorOfOptions {
  readonly operators: Pick<Operators, 'find'>;
  readonly accounts: Pick<Accounts, 'users'>;
  readonly personOf: (request: FastifyRequest) => Promise<Person | undefined>;
  readonly isSecure: () => boolean;
}

/**
 * Returns a function that finds out who uses the operator's pages: who signed in with the admin token, or a person whose account has
 * the role at this moment. It throws `operator.role_missing` for another person, and returns undefined for nobody.
 */
export function operatorOf({ operators, accounts, personOf, isSecure }: OperatorOfOptions) {
  return async (request: FastifyRequest): Promise<Operator | undefined> => {
    const session = await operators.find(operatorSessionIn(request, isSecure()));
    if (session !== undefined) return { account: null, ...session };
    const person = await personOf(request);
    if (person === undefined) return undefined;
    const profile = await accounts.users.find(person.account);
    // control: only an account with the role uses the pages of the operator [grid/operator/operator] => profile === undefined
    if (profile?.role !== 'operator')
      throw new AppError(
        'operator.role_missing',
        'your account does not have the role of an operator: it was not given, or was taken away',
      );
    const { id, email } = profile;
    return { account: { id, email }, session: person.session, endsAt: null };
  };
}

/** Who uses the operator's pages, on a route of theirs. */
export function operatorIn({ operator }: FastifyRequest): Operator {
  if (operator === null) throw new Error('a route of the operator was reached without a session');
  return operator;
}

/** Whom the audit trail names for what is done on the operator's pages. */
export function actorOf(request: FastifyRequest): Actor {
  const { account } = operatorIn(request);
  return { name: account === null ? 'admin' : `user/${account.id}`, ip: request.ip, requestId: request.id };
}
