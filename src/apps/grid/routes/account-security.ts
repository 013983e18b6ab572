import type { FastifyInstance } from 'fastify';
import { AppError } from '../../../core/errors.ts';
import { faultInPassword } from '../../../domain/people/index.ts';
import { pageLanguage } from '../../../http/language.ts';
import { type AccountDependencies, type AccountResponses, actorOf, addForm } from '../account/route.ts';
import { sentFields } from '../input/fields.ts';
import { personOf } from '../sign-in/person.ts';
import { SIGN_IN_WORDS } from '../sign-in/words.ts';

/** Setting the password, and ending the sessions of other browsers. */
export function addSecurityRoutes(
  scope: FastifyInstance,
  { accounts, people, limits, assets }: AccountDependencies,
  responses: AccountResponses,
): void {
  // A stolen session is no means to find the password out.
  const tries = limits.perIp('account-passwords', 10, 900);

  addForm(scope, { path: '/account/password', at: 'security', assets }, async (request, reply) => {
    await tries.take(request.ip);
    const person = personOf(request);
    const form = sentFields(request.body);
    const next = form.text('new');
    const current = form.has('current') ? { current: form.text('current') } : {};
    const profile = await accounts.users.find(person.account);
    const fault = faultInPassword(next, [profile?.email ?? '', profile?.name ?? '']);
    if (fault !== null)
      return responses.refuse(request, reply, {
        form: 'password',
        field: 'new',
        text: () => SIGN_IN_WORDS[pageLanguage(request)].errors[`password.${fault.kind}`],
        sentence: fault.sentence,
      });
    try {
      await people.changePassword(person, { ...current, next });
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'password.wrong') throw error;
      return responses.refuse(request, reply, {
        form: 'password',
        field: 'current',
        text: (words) => words.currentFault,
        sentence: error.message,
        error,
      });
    }
    await accounts.noteChange(actorOf(request), {
      action: 'password.set',
      target: `user/${person.account}`,
      detail: {},
    });
    return responses.done(request, reply, {
      done: 'password-saved',
      at: 'security',
      answer: { status: 'changed' },
    });
  });

  addForm(scope, { path: '/account/sessions/end', at: 'security', assets }, async (request, reply) => {
    const person = personOf(request);
    const ended = await people.endOtherSessions(person);
    await accounts.noteChange(actorOf(request), {
      action: 'sessions.ended',
      target: `user/${person.account}`,
      detail: { ended },
    });
    return responses.done(request, reply, { done: 'sessions-ended', at: 'security', answer: { ended } });
  });
}
