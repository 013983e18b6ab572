import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../../core/errors.ts';
import type { Accounts, Actor } from '../../../domain/access/accounts/index.ts';
import { faultInPassword, type People } from '../../../domain/access/people/index.ts';
import { ValidationError } from '../../../http/errors.ts';
import { pageLanguage } from '../../../http/language.ts';
import { sendPage } from '../../../http/pages.ts';
import type { Limits } from '../../../http/rate-limit.ts';
import { wantsPage } from '../../../http/wants-page.ts';
import type { Assets } from '../../../pages/assets.ts';
import { ACCOUNT_HOME, type AccountView, accountPage, type PasswordFault } from '../account/page.ts';
import { ACCOUNT_WORDS, type Done } from '../account/words.ts';
import { sentFields } from '../input/fields.ts';
import { signInFirst } from '../pages/faults.ts';
import { personOf } from '../sign-in/person.ts';
import { SIGN_IN_WORDS } from '../sign-in/words.ts';

interface AccountDependencies {
  readonly accounts: Pick<Accounts, 'users' | 'noteChange'>;
  readonly people: Pick<
    People,
    'hasPassword' | 'needsCurrentPassword' | 'changePassword' | 'endOtherSessions'
  >;
  readonly limits: Limits;
  readonly assets: Assets;
  /** The address of Connect; undefined where it is not known here. */
  readonly connectUrl: () => string | undefined;
}

/** Changes of the account from one address in a minute: more than anybody clicks. */
const CHANGES_A_MINUTE = 60;

/** The page of an account and its forms, for who is signed in; programs may send the forms too. */
export function addAccountRoutes(scope: FastifyInstance, deps: AccountDependencies): void {
  const { accounts, people, limits, assets, connectUrl } = deps;
  const changes = limits.perIp('account-changes', CHANGES_A_MINUTE, 60);
  // A stolen session is no means to find the password out.
  const tries = limits.perIp('account-passwords', 10, 900);
  const options = {
    config: { access: 'session', showError: signInFirst(assets, ACCOUNT_HOME) },
    schema: { hide: true },
  } as const;

  async function send(
    request: FastifyRequest,
    reply: FastifyReply,
    shown: Pick<AccountView, 'done' | 'fault'>,
  ): Promise<FastifyReply> {
    const person = personOf(request);
    const [user, hasPassword, needsCurrentPassword] = await Promise.all([
      accounts.users.one(person.account),
      people.hasPassword(person.account),
      people.needsCurrentPassword(person),
    ]);
    const page = accountPage(assets, {
      ...{ user, hasPassword, needsCurrentPassword, ...shown },
      language: pageLanguage(request),
      connectUrl: connectUrl(),
    });
    return sendPage(reply, page, shown.fault === undefined ? 200 : 422);
  }

  /** A change that is made: the page again, or for a program the response. */
  function done(request: FastifyRequest, reply: FastifyReply, made: Done, response: object) {
    if (!wantsPage(request)) return reply.header('cache-control', 'no-store').send(response);
    return reply.redirect(`${ACCOUNT_HOME}?done=${made}#security`, 303);
  }

  scope.addHook('onRequest', async (request) => {
    if (request.method === 'POST') await changes.take(request.ip);
  });
  scope.get<{ Querystring: { readonly done?: unknown } }>(ACCOUNT_HOME, options, (request, reply) =>
    send(request, reply, { done: doneOf(request.query.done) }),
  );

  scope.post('/account/password', options, async (request, reply) => {
    await tries.take(request.ip);
    const person = personOf(request);
    const language = pageLanguage(request);
    const refuse = (fault: PasswordFault, error: AppError) => {
      if (!wantsPage(request)) throw error;
      return send(request, reply, { fault });
    };
    const form = sentFields(request.body);
    const next = form.text('new');
    const current = form.has('current') ? { current: form.text('current') } : {};
    const profile = await accounts.users.find(person.account);
    const unfit = faultInPassword(next, [profile?.email ?? '', profile?.name ?? '']);
    if (unfit !== null)
      return refuse(
        { field: 'new', text: SIGN_IN_WORDS[language].errors[`password.${unfit.kind}`] },
        new ValidationError([{ type: 'value_error', loc: ['body', 'new'], msg: unfit.sentence }]),
      );
    try {
      await people.changePassword(person, { ...current, next });
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'password.wrong') throw error;
      return refuse({ field: 'current', text: ACCOUNT_WORDS[language].currentFault }, error);
    }
    const target = `user/${person.account}`;
    await accounts.noteChange(actorOf(request), { action: 'password.set', target, detail: {} });
    return done(request, reply, 'password-saved', { status: 'changed' });
  });

  scope.post('/account/sessions/end', options, async (request, reply) => {
    const person = personOf(request);
    const ended = await people.endOtherSessions(person);
    const target = `user/${person.account}`;
    await accounts.noteChange(actorOf(request), { action: 'sessions.ended', target, detail: { ended } });
    return done(request, reply, 'sessions-ended', { ended });
  });

  // Who opens the address of a form is led to the page.
  for (const path of ['/account/password', '/account/sessions/end'])
    scope.get(path, { config: { access: 'public' }, schema: { hide: true } }, (_request, reply) =>
      reply.redirect(`${ACCOUNT_HOME}#security`, 303),
    );
}

/** The audit trail names the person by the target of the change. */
const actorOf = ({ ip, id }: FastifyRequest): Actor => ({ name: 'user', ip, requestId: id });

function doneOf(text: unknown): Done | undefined {
  const known = Object.keys(ACCOUNT_WORDS.en.done) as Done[];
  return known.find((name) => name === text);
}
