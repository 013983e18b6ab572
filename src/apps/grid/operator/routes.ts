import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../../core/clock.ts';
import { AppError } from '../../../core/errors.ts';
import type { Random } from '../../../core/ids.ts';
import type { Accounts } from '../../../domain/access/accounts/index.ts';
import type { Operators } from '../../../domain/access/operators/index.ts';
import type { People } from '../../../domain/access/people/index.ts';
import type { LinkedVendors } from '../../../domain/links/vendor-states/index.ts';
import type { Prices } from '../../../domain/market/prices/index.ts';
import type { TokenGate } from '../../../http/access.ts';
import { formOf } from '../../../http/forms.ts';
import { ownPath } from '../../../http/own-path.ts';
import { sendPage } from '../../../http/pages.ts';
import type { Limits } from '../../../http/rate-limit.ts';
import { wantsPage } from '../../../http/wants-page.ts';
import type { Assets } from '../../../pages/assets.ts';
import { html } from '../../../pages/html.ts';
import type { Health } from '../health/look.ts';
import { textField } from '../pages/form-parts.ts';
import { gridPage } from '../pages/frame.ts';
import { addOperatorAccountChanges } from './account-changes.ts';
import { addOperatorAccounts } from './accounts.ts';
import { addOperatorAudit } from './audit.ts';
import { addOperatorBans } from './bans.ts';
import { operatorFault } from './frame.ts';
import { addOperatorHealth } from './health.ts';
import { addOperatorPartners } from './partners.ts';
import { addOperatorPrices } from './prices.ts';
import { addOperatorRequests, type RequestsPages } from './requests.ts';
import { createOperatorScope, type OperatorScope } from './scope.ts';
import { OPERATOR_HOME, OPERATOR_SIGN_IN, sectionPath } from './sections.ts';
import {
  actorOf,
  giveOperatorSession,
  operatorIn,
  operatorSessionIn,
  takeOperatorSession,
} from './session.ts';
import { addOperatorUsage } from './usage.ts';
import { OPERATOR_WORDS as words } from './words.ts';

export interface OperatorDependencies extends RequestsPages {
  readonly operators: Operators;
  readonly accounts: Accounts;
  readonly people: Pick<People, 'linkFor'>;
  readonly admitToken: TokenGate['admitToken'];
  readonly limits: Limits;
  readonly assets: Assets;
  readonly clock: Clock;
  readonly random: Random;
  readonly publicUrl: () => string;
  readonly lookAtHealth: () => Promise<Health>;
  readonly prices: Prices;
  readonly linkedVendors: LinkedVendors;
}

/** Changes on the operator's pages from one address in a minute: more than anybody clicks. */
const CHANGES_A_MINUTE = 60;

/** The operator's pages: signing in and out, turning changes on, and all sections. */
export function addOperatorRoutes(scope: FastifyInstance, deps: OperatorDependencies): void {
  const { operators, accounts, admitToken, limits, assets } = deps;
  const changes = limits.perIp('operator-changes', CHANGES_A_MINUTE, 60);
  const isSecure = () => deps.publicUrl().startsWith('https:');
  const showError = operatorFault(assets);
  const hidden = { config: { access: 'public' as const, showError }, schema: { hide: true } };
  const signedIn = { config: { access: 'operator-session' as const, showError }, schema: { hide: true } };

  scope.addHook('onRequest', async (request, reply) => {
    reply.header('x-robots-tag', 'noindex').header('cache-control', 'no-store');
    if (request.method === 'POST') await changes.take(request.ip);
  });

  scope.get<{ Querystring: { readonly next?: unknown; readonly info?: unknown } }>(
    OPERATOR_SIGN_IN,
    hidden,
    (request, reply) => {
      const { required, signedOut } = words.signIn;
      const { info } = request.query;
      const notice = info === 'required' ? required : info === 'signed-out' ? signedOut : undefined;
      const page = { next: operatorPath(request.query.next), notice };
      return sendPage(reply, operatorSignInPage(assets, page));
    },
  );

  scope.post(OPERATOR_SIGN_IN, hidden, async (request, reply) => {
    const form = formOf(request.body);
    const texts = words.signIn;
    const next = operatorPath(form.text('next'));
    const token = form.text('token').trim();
    const refuse = (fault: string, status: number) =>
      sendPage(reply, operatorSignInPage(assets, { next, fault }), status);
    if (token === '' && wantsPage(request)) return refuse(texts.empty, 422);
    try {
      await admitToken(request.ip, token);
    } catch (error) {
      const isWrong = error instanceof AppError && error.code === 'admin.token_invalid';
      if (!isWrong || !wantsPage(request)) throw error;
      return refuse(texts.wrong, 401);
    }
    const session = await operators.begin(operatorSessionIn(request, isSecure()));
    await accounts.noteChange(
      { name: 'admin', ip: request.ip, requestId: request.id },
      { action: 'operator.signed_in', target: 'operator/session', detail: {} },
    );
    giveOperatorSession(reply, session, isSecure());
    return reply.redirect(next, 303);
  });

  scope.post('/operator/sign-out', hidden, async (request, reply) => {
    await operators.end(operatorSessionIn(request, isSecure()));
    takeOperatorSession(reply, isSecure());
    return reply.redirect(`${OPERATOR_SIGN_IN}?info=signed-out`, 303);
  });

  scope.post('/operator/changes', signedIn, async (request, reply) => {
    const { session } = operatorIn(request);
    const form = formOf(request.body);
    const isOn = form.text('turn') === 'on';
    if (isOn) await operators.turnOnChanges(session);
    else await operators.turnOffChanges(session);
    await accounts.noteChange(actorOf(request), {
      action: isOn ? 'operator.changes_on' : 'operator.changes_off',
      target: 'operator/session',
      detail: {},
    });
    return reply.redirect(operatorPath(form.text('next')), 303);
  });

  for (const path of ['/operator/sign-out', '/operator/changes'])
    scope.get(path, hidden, (_request, reply) => reply.redirect(OPERATOR_HOME, 303));

  const pages = createOperatorScope(scope, deps);
  addOverview(pages);
  addOperatorAccounts(pages, deps);
  addOperatorAccountChanges(pages, deps);
  addOperatorPartners(pages, accounts);
  addOperatorBans(pages, { bans: accounts.bans, clock: deps.clock });
  addOperatorUsage(pages, accounts);
  addOperatorAudit(pages, accounts);
  addOperatorHealth(pages, { ...deps, sourceUrl: assets.site.sourceUrl });
  addOperatorPrices(pages, deps);
  addOperatorRequests(pages, deps);
}

/** A path of the operator's pages, with its query; the overview for anything else. */
function operatorPath(text: unknown): string {
  const path = ownPath(typeof text === 'string' ? text : undefined);
  if (path?.startsWith(`${OPERATOR_HOME}/`) !== true || path.startsWith(OPERATOR_SIGN_IN))
    return OPERATOR_HOME;
  return path;
}

interface OperatorSignIn {
  /** Where to go afterwards: a path of the operator's pages. */
  readonly next: string;
  readonly notice?: string | undefined;
  readonly fault?: string | undefined;
}

/** The form of the admin token, which is never written back into it. */
function operatorSignInPage(assets: Assets, { next, notice, fault }: OperatorSignIn): string {
  const texts = words.signIn;
  const main = html`<h1>${texts.title}</h1>
<p class="lead">${texts.lead}</p>
${notice === undefined ? null : html`<p class="notice notice-note" role="status">${notice}</p>`}
<form class="card" method="post" action="${OPERATOR_SIGN_IN}" novalidate>
<input type="hidden" name="next" value="${next}">
${textField({
  id: 'token',
  name: 'token',
  type: 'password',
  label: texts.token,
  hint: texts.tokenHint,
  fault,
  autocomplete: 'current-password',
})}
<button class="button button-primary button-wide" type="submit">${texts.submit}</button>
</form>
<div class="stack-small"><p><a class="button button-wide" href="${`/auth/login?next=${encodeURIComponent(next)}`}">${texts.account}</a></p><p class="hint">${texts.accountText}</p></div>`;
  return gridPage(assets, {
    language: 'en',
    title: texts.title,
    styles: ['sign-in'],
    main,
  });
}

/** The first page of the operator: what the sections hold. */
function addOverview(pages: OperatorScope): void {
  pages.addPage({
    path: OPERATOR_HOME,
    section: undefined,
    show({ sections }) {
      const body = html`<p class="lead">${words.overview}</p>
<dl class="operator-overview">${sections.map(
        (name) =>
          html`<div><dt><a href="${sectionPath(name)}">${words.sections[name]}</a></dt><dd class="soft">${words.sectionTexts[name]}</dd></div>`,
      )}</dl>`;
      return { title: words.home, body };
    },
  });
}
