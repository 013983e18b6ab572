import type { FastifyRequest } from 'fastify';
import { AppError, type ErrorCodeName } from '../../../core/errors.ts';
import type { Accounts } from '../../../domain/access/accounts/index.ts';
import type { ConsoleCaller } from '../../../http/access.ts';
import { keyOf } from '../../../http/caller.ts';

const SCOPE = 'devices:read';
const REFUSALS: ReadonlySet<ErrorCodeName> = new Set(['key.invalid', 'account.suspended']);

export interface Admission {
  readonly accounts: Pick<Accounts, 'authenticate'>;
  /** Who uses the console, by a request; undefined for one without its cookie. */
  readonly consoleOf: (request: FastifyRequest) => Promise<ConsoleCaller | undefined> | undefined;
}

/** Asks again whether a caller is admitted: a key may be revoked, and a session end, while a stream is open. */
export function admissionOf(
  { accounts, consoleOf }: Admission,
  request: FastifyRequest,
): () => Promise<boolean> {
  const key = keyOf(request);
  return unlessInvalid(key === undefined ? ofSession(consoleOf, request) : ofKey(accounts, key));
}

/** A stream with a key is open for days: this does not keep its request in memory. */
function ofKey(accounts: Admission['accounts'], key: string): () => Promise<boolean> {
  return async () => (await accounts.authenticate(key)).scopes.has(SCOPE);
}

function ofSession(consoleOf: Admission['consoleOf'], request: FastifyRequest): () => Promise<boolean> {
  return async () => (await consoleOf(request)) !== undefined;
}

function unlessInvalid(isAdmitted: () => Promise<boolean>): () => Promise<boolean> {
  return async () => {
    try {
      return await isAdmitted();
    } catch (error) {
      // A database that does not respond says nothing about a key.
      return !(error instanceof AppError && REFUSALS.has(error.code));
    }
  };
}
