import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../../core/clock.ts';
import type { AppError } from '../../../core/errors.ts';
import type { Random } from '../../../core/ids.ts';
import type { Accounts, Actor } from '../../../domain/accounts/index.ts';
import type { People } from '../../../domain/people/index.ts';
import type { Limits } from '../../../http/rate-limit.ts';
import type { Assets } from '../../../pages/assets.ts';
import { signInFirst } from '../pages/faults.ts';
import type { FormFault, Written } from './view.ts';
import type { AccountWords, Done } from './words.ts';

export interface AccountDependencies {
  readonly accounts: Pick<Accounts, 'users' | 'ownKeys' | 'brands' | 'usageByDay' | 'noteChange'>;
  readonly people: Pick<
    People,
    'hasPassword' | 'needsCurrentPassword' | 'changePassword' | 'endOtherSessions'
  >;
  readonly limits: Limits;
  readonly assets: Assets;
  readonly clock: Clock;
  readonly random: Random;
  /** Where this service is reached, and Connect, where that is known here. */
  readonly publicUrl: () => string;
  readonly connectUrl: () => string | undefined;
}

/** How a form of the account page is answered. */
export interface AccountResponses {
  /** A form that cannot be taken: its page again with the fault, or for a program 422. */
  refuse(request: FastifyRequest, reply: FastifyReply, refused: Refused): Promise<FastifyReply>;
  /** A change that is made: the page again, or for a program the record. */
  done(request: FastifyRequest, reply: FastifyReply, made: Made): FastifyReply | object;
}

export interface Refused extends Pick<FormFault, 'form' | 'field'> {
  /** For people. */
  text(words: AccountWords): string;
  /** For programs. */
  readonly sentence: string;
  readonly written?: Written;
  /** Instead of 422. */
  readonly error?: AppError;
  readonly status?: number;
}

export interface Made {
  readonly done: Done;
  /** Part of the page to go on at. */
  readonly at: string;
  readonly answer: object;
}

/** Where who must sign in first is led back to. */
export const HOME = '/account';

/** What all forms of the page have in common; who follows their address by hand is led to the page. */
export function addForm(
  scope: FastifyInstance,
  { path, at, assets }: { readonly path: string; readonly at: string; readonly assets: Assets },
  handle: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply | object>,
): void {
  scope.post(
    path,
    {
      config: { access: 'session', showError: signInFirst(assets, HOME) },
      schema: { hide: true },
    },
    handle,
  );
  scope.get(path, { config: { access: 'public' }, schema: { hide: true } }, (_request, reply) =>
    reply.redirect(`/account#${at}`, 303),
  );
}

/** Whom the audit trail names for what somebody does to his own account. */
export function actorOf(request: FastifyRequest): Actor {
  return { name: 'user', ip: request.ip, requestId: request.id };
}
