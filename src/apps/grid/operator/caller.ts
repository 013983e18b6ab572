import type { FastifyRequest } from 'fastify';
import { AppError } from '../../../core/errors.ts';
import type { Accounts, Actor } from '../../../domain/accounts/index.ts';
import type { Operators } from '../../../domain/operators/index.ts';
import type { Operator, Person } from '../../../http/access.ts';
import { operatorSessionIn } from './cookie.ts';

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
