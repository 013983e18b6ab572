import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ValidationError } from '../../../http/errors.ts';
import { pageLanguage } from '../../../http/language.ts';
import { sendPage } from '../../../http/pages.ts';
import { wantsPage } from '../../../http/wants-page.ts';
import { accountPage } from '../account/page.ts';
import { type AccountDependencies, type AccountResponses, HOME } from '../account/route.ts';
import type { AccountView } from '../account/view.ts';
import { ACCOUNT_WORDS, type Done } from '../account/words.ts';
import { newFormToken } from '../input/form-token.ts';
import { signInFirst } from '../pages/faults.ts';
import { personOf } from '../sign-in/person.ts';
import { addBrandRoute } from './account-brand.ts';
import { addKeyRoutes } from './account-keys.ts';
import { addSecurityRoutes } from './account-security.ts';

/** Changes of the account from one address in a minute: more than anybody clicks. */
const CHANGES_A_MINUTE = 60;

/** The page of an account and its forms, for who is signed in; and the same as JSON. */
export function addAccountRoutes(scope: FastifyInstance, deps: AccountDependencies): void {
  const { accounts, people, limits, assets, clock, random } = deps;
  const changes = limits.perIp('account-changes', CHANGES_A_MINUTE, 60);

  async function record(account: number) {
    const [user, brand, usage] = await Promise.all([
      accounts.users.one(account),
      accounts.brands.of(account),
      accounts.usageByDay(account),
    ]);
    return { user, brand, usage };
  }

  async function send(
    request: FastifyRequest,
    reply: FastifyReply,
    shown: Pick<AccountView, 'done' | 'fault' | 'written'> & { readonly status?: number },
  ): Promise<FastifyReply> {
    const person = personOf(request);
    const { status, ...rest } = shown;
    const [known, hasPassword, needsCurrentPassword] = await Promise.all([
      record(person.account),
      people.hasPassword(person.account),
      people.needsCurrentPassword(person),
    ]);
    const view: AccountView = {
      ...known,
      ...rest,
      language: pageLanguage(request),
      hasPassword,
      needsCurrentPassword,
      connectUrl: deps.connectUrl(),
      gridUrl: deps.publicUrl(),
      formToken: newFormToken(clock, random),
    };
    return sendPage(reply, await accountPage(assets, view), status);
  }

  const responses: AccountResponses = {
    async refuse(request, reply, { form, field, text, sentence, written, error, status = 422 }) {
      if (!wantsPage(request))
        throw (
          error ??
          new ValidationError([
            { type: 'value_error', loc: field === '' ? ['body'] : ['body', field], msg: sentence },
          ])
        );
      const fault = { form, field, text: text(ACCOUNT_WORDS[pageLanguage(request)]) };
      return send(request, reply, { fault, status, ...(written === undefined ? {} : { written }) });
    },
    done(request, reply, { done, at, answer }) {
      if (!wantsPage(request)) return reply.header('cache-control', 'no-store').send(answer);
      return reply.redirect(`/account?done=${done}#${at}`, 303);
    },
  };

  scope.addHook('onRequest', async (request) => {
    if (request.method === 'POST') await changes.take(request.ip);
  });
  scope.get<{ Querystring: { readonly done?: unknown } }>(
    HOME,
    { config: { access: 'session', showError: signInFirst(assets, HOME) }, schema: { hide: true } },
    async (request, reply) => {
      if (wantsPage(request)) return send(request, reply, { done: doneOf(request.query.done) });
      const { user, brand, usage } = await record(personOf(request).account);
      return reply
        .header('cache-control', 'no-store')
        .header('vary', 'accept, cookie')
        .send({ ...user, brand, usage });
    },
  );
  addKeyRoutes(scope, deps, responses);
  addBrandRoute(scope, deps, responses);
  addSecurityRoutes(scope, deps, responses);
}

function doneOf(text: unknown): Done | undefined {
  const known = Object.keys(ACCOUNT_WORDS.en.done) as Done[];
  return known.find((name) => name === text);
}
