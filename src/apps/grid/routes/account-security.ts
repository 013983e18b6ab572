import type { FastifyInstance } from 'fastify';
import { AppError } from '../../../core/errors.ts';
import { sentFields } from '../sent-fields.ts';
import { type AccountAnswers, type AccountDependencies, addForm, personOf } from './account-route.ts';

const FAULTY_FIELDS: ReadonlyMap<string, 'current' | 'new'> = new Map([
  ['password.wrong', 'current'],
  ['password.unfit', 'new'],
]);

/** Setting the password, and ending the sessions of other browsers. */
export function addSecurityRoutes(
  scope: FastifyInstance,
  { people, showError }: AccountDependencies,
  answers: AccountAnswers,
): void {
  addForm(scope, { path: '/account/password', at: 'security', showError }, async (request, reply) => {
    const form = sentFields(request.body);
    const current = form.has('current') ? { current: form.text('current') } : {};
    try {
      await people.changePassword(personOf(request), { ...current, next: form.text('new') });
    } catch (error) {
      const field = error instanceof AppError ? FAULTY_FIELDS.get(error.code) : undefined;
      if (!(error instanceof AppError) || field === undefined) throw error;
      return answers.refuse(request, reply, {
        form: 'password',
        field,
        text: (words) => (field === 'new' ? words.nextFault : words.currentFault),
        sentence: error.message,
        error,
      });
    }
    return answers.done(request, reply, {
      done: 'password-saved',
      at: 'security',
      answer: { status: 'changed' },
    });
  });

  addForm(scope, { path: '/account/sessions/end', at: 'security', showError }, async (request, reply) => {
    const ended = await people.endOtherSessions(personOf(request));
    return answers.done(request, reply, { done: 'sessions-ended', at: 'security', answer: { ended } });
  });
}
