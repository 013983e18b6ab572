import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../../core/clock.ts';
import { AppError } from '../../../core/errors.ts';
import type { Random } from '../../../core/ids.ts';
import type { Accounts, Actor } from '../../../domain/accounts/index.ts';
import type { Person } from '../../../http/access.ts';
import type { Limits } from '../../../http/rate-limit.ts';
import type { Assets } from '../../../pages/assets.ts';
import type { FormFault, Written } from '../pages/account-view.ts';
import type { AccountWords, Done } from '../pages/account-words.ts';

/** What is needed of those who know who signs in. */
export interface SignedInPeople {
  hasPassword(account: number): Promise<boolean>;
  /** Whether who changes the password must say the present one. */
  needsCurrentPassword(person: Person): Promise<boolean>;
  /** Throws `password.wrong` and `password.unfit`. Ends all other sessions. */
  changePassword(person: Person, change: { readonly current?: string; readonly next: string }): Promise<void>;
  endOtherSessions(person: Person): Promise<number>;
}

export interface AccountDependencies {
  readonly accounts: Pick<Accounts, 'users' | 'ownKeys' | 'brands' | 'usageByDay'>;
  readonly people: SignedInPeople;
  readonly limits: Limits;
  readonly assets: Assets;
  readonly clock: Clock;
  readonly random: Random;
  /** The configured address of this service; undefined where it is known by its host alone. */
  readonly publicUrl: string | undefined;
  /** Where the services are reached; undefined for one that is not known here. */
  urlOf(service: 'connect' | 'grid'): string | undefined;
  /** Leads a browser to the sign-in page and back to the account. */
  readonly showError: FastifyContextConfig['showError'];
}

/** How a form of the account page is answered. */
export interface AccountAnswers {
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

const BODY_LIMIT = 16 * 1024;

/** What all forms of the page have in common; who follows their address by hand is led to the page. */
export function addForm(
  scope: FastifyInstance,
  { path, at, showError }: { path: string; at: string } & Pick<AccountDependencies, 'showError'>,
  handle: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply | object>,
): void {
  scope.post(
    path,
    {
      bodyLimit: BODY_LIMIT,
      config: { access: 'session', ...(showError === undefined ? {} : { showError }) },
      schema: { hide: true },
    },
    handle,
  );
  scope.get(path, { config: { access: 'public' }, schema: { hide: true } }, (_request, reply) =>
    reply.redirect(`/account#${at}`, 303),
  );
}

/** Who is signed in; the gate let nobody else in. */
export function personOf(request: FastifyRequest): Person {
  if (request.person === null)
    throw new AppError('signin.required', 'nobody is signed in; sign in at /auth/login');
  return request.person;
}

/** Whom the audit trail names for what somebody does to his own account. */
export function actorOf(request: FastifyRequest): Actor {
  return { name: 'user', ip: request.ip, requestId: request.id };
}
