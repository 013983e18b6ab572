import type { FastifyRequest } from 'fastify';
import { AppError } from '../../../core/errors.ts';
import type { Actor, Principal } from '../../../domain/accounts/index.ts';

/** The caller of a route that the gate lets nobody into without a key. */
export function principalOf(request: FastifyRequest): Principal {
  if (request.principal === null)
    throw new AppError('key.missing', 'send an API key as X-Api-Key or Authorization: Bearer');
  return request.principal;
}

/** The caller, for the audit trail. */
export const actorOf = ({ ip, id }: FastifyRequest): Actor => ({ name: 'user', ip, requestId: id });
