import type { FastifyInstance } from 'fastify';
import { AppError } from '../../../core/errors.ts';
import { faultInKeyLabel, MOST_ACTIVE_KEYS, SCOPES, type WantedKey } from '../../../domain/accounts/index.ts';
import { pageLanguage } from '../../../http/language.ts';
import { sendPage } from '../../../http/pages.ts';
import { wantsPage } from '../../../http/wants-page.ts';
import { keyMadePage, newKeyPage } from '../account/new-key.ts';
import { formatCount } from '../account/parts.ts';
import { type AccountDependencies, type AccountResponses, actorOf, addForm } from '../account/route.ts';
import { sentFields } from '../input/fields.ts';
import { isFreshFormToken } from '../input/form-token.ts';
import { personOf } from '../sign-in/person.ts';

/** Making and revoking one's own keys. */
export function addKeyRoutes(
  scope: FastifyInstance,
  deps: AccountDependencies,
  responses: AccountResponses,
): void {
  const { accounts, assets, clock } = deps;

  addForm(scope, { path: '/account/keys', at: 'keys', assets }, async (request, reply) => {
    const { account } = personOf(request);
    const form = sentFields(request.body);
    const label = form.text('label');
    // Programs may write scopes as they are listed: in one text.
    const named = form
      .all('scopes')
      .flatMap((text) => text.split(' '))
      .filter((word) => word !== '');
    const scopes = SCOPES.filter((scope) => named.includes(scope));
    const written = { key: { label, scopes } };
    const unknown = named.find((word) => !SCOPES.some((scope) => scope === word));

    const inLabel = faultInKeyLabel(label);
    if (inLabel !== null)
      return responses.refuse(request, reply, {
        form: 'key',
        field: 'label',
        text: (words) => words.labelFault,
        sentence: `the label ${inLabel}`,
        written,
      });
    if (scopes.length === 0 || unknown !== undefined)
      return responses.refuse(request, reply, {
        form: 'key',
        field: 'scopes',
        text: (words) => words.scopesFault,
        sentence: `choose at least one of ${SCOPES.join(', ')}, and nothing else`,
        written,
      });
    const token = form.text('form');
    // A browser sends a form again on a reload; a program knows what it sends.
    if (wantsPage(request) && !isFreshFormToken(token, clock))
      return responses.refuse(request, reply, {
        form: 'key',
        field: '',
        text: (words) => words.oldForm,
        sentence: 'the form is too old',
        written,
        status: 400,
      });

    const wanted: WantedKey = { label, scopes, ...(token === '' ? {} : { wish: token.slice(0, 100) }) };
    try {
      const key = await accounts.ownKeys.create(account, wanted, actorOf(request));
      if (!wantsPage(request)) return reply.header('cache-control', 'no-store').send(key);
      const language = pageLanguage(request);
      const [connectUrl, gridUrl] = [deps.connectUrl(), deps.publicUrl()];
      return sendPage(reply, newKeyPage(assets, { language, key, connectUrl, gridUrl }));
    } catch (error) {
      if (!(error instanceof AppError) || !wantsPage(request)) throw error;
      if (error.code === 'key.made_already')
        return sendPage(reply, keyMadePage(assets, pageLanguage(request)), 409);
      if (error.code !== 'key.too_many') throw error;
      const most = formatCount(MOST_ACTIVE_KEYS, pageLanguage(request));
      return responses.refuse(request, reply, {
        form: 'key',
        field: '',
        text: (words) => words.tooMany(most),
        sentence: error.message,
        written,
        status: 409,
      });
    }
  });

  addForm(scope, { path: '/account/keys/:key_id/revoke', at: 'keys', assets }, async (request, reply) => {
    const { key_id } = request.params as { readonly key_id: string };
    const key = await accounts.ownKeys.revoke(personOf(request).account, key_id, actorOf(request));
    return responses.done(request, reply, { done: 'key-revoked', at: 'keys', answer: key });
  });
}
