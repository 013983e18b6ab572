import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify';
import { ValidationError } from '../../../http/errors.ts';
import { Form } from '../../../http/forms.ts';
import { pageLanguage } from '../../../http/language.ts';
import { operatorAddresses } from '../../../http/operator.ts';
import { ownPath } from '../../../http/own-path.ts';
import { sendPage, sendPageThatLeadsTo } from '../../../http/pages.ts';
import { faultPage } from '../pages/faults.ts';
import type { SignInDependencies } from './dependencies.ts';
import { type FormPage, type PageMessage, type Reader, signInPage, signUpPage } from './page.ts';
import { SIGN_IN_WORDS } from './words.ts';

type FormPages = Pick<SignInDependencies, 'assets' | 'connectUrl' | 'outbox' | 'isSignUpOpen'>;

/** Where the sign-in leads on to the console. */
export const TO_CONSOLE = '/auth/console';

/** Whether a request comes from this machine itself, where its files are. */
const isAtMachine = operatorAddresses([]);

/** Faults that the user mends in the form, which is shown again. */
const GO_BACK: readonly string[] = ['signin.refused', 'request.invalid', 'limit.exceeded', 'limit.busy'];

/** The pages with a form: as they are asked for, and as the answer to a form that has to be mended. */
export function formPages({ assets, connectUrl, outbox, isSignUpOpen }: FormPages) {
  const showFault = faultPage(assets);
  const readerOf = (request: FastifyRequest): Reader => ({
    assets,
    language: pageLanguage(request),
    outbox: outbox === undefined || isAtMachine(request) ? outbox : null,
  });
  const make = (reader: Reader, page: FormPage, message: PageMessage): string =>
    page === '/auth/login' ? signInPage(reader, message) : signUpPage(reader, message, isSignUpOpen);

  /** A page with a form that leads to `next` in the end. */
  function send(reply: FastifyReply, markup: string, next: string | undefined): FastifyReply {
    const console = next?.startsWith(TO_CONSOLE) === true ? connectUrl() : undefined;
    if (console === undefined) return sendPage(reply, markup);
    return sendPageThatLeadsTo(reply, markup, console);
  }

  return {
    readerOf,
    make,
    send,

    /** Shows a browser a fault of its form: in the form itself, with what was filled in, where the user can mend it. */
    sentBack:
      (page: FormPage): FastifyContextConfig['showError'] =>
      (error, request, reply) => {
        if (!GO_BACK.includes(error.code)) return showFault(error, request, reply);
        const form = request.body instanceof Form ? request.body : new Form(new URLSearchParams());
        const next = ownPath(form.text('next'));
        const message = {
          errors: error instanceof ValidationError ? codesOf(error, form) : [error.code],
          info: '',
          next,
          written: { email: form.text('email'), name: form.text('name') },
        };
        return send(reply, make(readerOf(request), page, message), next);
      },
  };
}

/** The faults of fields as the pages name them. What was left empty is missing, whatever rule it broke first. */
function codesOf({ items }: ValidationError, form: Form): string[] {
  return items.map(({ loc, type, ctx }) => {
    const field = String(loc[1]);
    const code = `${field}.${form.text(field) === '' ? 'missing' : (ctx?.kind ?? type)}`;
    return Object.hasOwn(SIGN_IN_WORDS.en.errors, code) ? code : 'invalid';
  });
}
