import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { AppError } from '../../../core/errors.ts';
import type { Words } from '../../../core/language.ts';
import { refuseForeign } from '../../../http/caller.ts';
import { Form } from '../../../http/forms.ts';
import { pageLanguage, pageReader } from '../../../http/language.ts';
import { ownPath } from '../../../http/own-path.ts';
import { keepPage, sendPage, sendPrepared } from '../../../http/pages.ts';
import { wantsPage } from '../../../http/wants-page.ts';
import { parse } from '../input/parameters.ts';
import { textIn } from '../input/text-in.ts';
import { faultPage } from '../pages/faults.ts';
import { askedBy, sessionIn } from '../sign-in/cookies.ts';
import type { SignInDependencies } from '../sign-in/dependencies.ts';
import { formPages } from '../sign-in/form-pages.ts';
import { knownBrowsers } from '../sign-in/known-browser.ts';
import { linkLimit } from '../sign-in/limits.ts';
import { deadLinkPage, signInLinkPage } from '../sign-in/link-page.ts';
import type { PageMessage } from '../sign-in/page.ts';
import { welcome } from '../sign-in/responses.ts';
import { signInRoute } from '../sign-in/route.ts';
import { SignedInResponse, TokenPath } from '../sign-in/schemas.ts';

const Text = (description: string) => Type.Optional(Type.String({ default: '', description }));
const SignInQuery = Type.Object({
  error: Text('Error code to show as a message; an unknown one is shown as a general message'),
  info: Text('Code of a notice to show'),
  next: Text('Path of this service to go to afterwards'),
});
const SignUpQuery = Type.Object({ error: SignInQuery.properties.error });

/** The pages of signing in and signing up, and where mailed links lead. */
export function addSignInPages(app: FastifyInstance, dependencies: SignInDependencies): void {
  const { people, assets, publicUrl, configuredUrl } = dependencies;
  const forms = formPages(dependencies);
  const limits = linkLimit(dependencies.limits);
  const isSecure = () => publicUrl().startsWith('https:');
  const known = knownBrowsers({ ...dependencies, isSecure });
  const plain = { sv: keepPage(), en: keepPage() } satisfies Words<unknown>;

  app.get(
    '/auth/login',
    signInRoute({
      operationId: 'showSignInPage',
      summary: 'Show the sign-in page',
      query: SignInQuery,
      isPage: true,
    }),
    (request, reply) => {
      const message = messageIn(request);
      const { errors, info, next } = message;
      const reader = forms.readerOf(request);
      const make = () => forms.make(reader, '/auth/login', message);
      // Nobody has said anything to it: it is the same for everybody.
      if (next === undefined && errors.length === 0 && info === '')
        return sendPrepared(request, reply, plain[reader.language]({ version: '', make }));
      return forms.send(reply, make(), next);
    },
  );

  app.get(
    '/auth/signup',
    signInRoute({
      operationId: 'showSignUpPage',
      summary: 'Show the sign-up page',
      query: SignUpQuery,
      isPage: true,
    }),
    (request, reply) =>
      sendPage(
        reply,
        forms.make(forms.readerOf(request), '/auth/signup', {
          ...messageIn(request),
          info: '',
          next: undefined,
        }),
      ),
  );

  const showFault = faultPage(assets);
  const showError = (error: AppError, request: FastifyRequest, reply: FastifyReply): FastifyReply =>
    error.code === 'signin.link_invalid'
      ? sendPage(reply, deadLinkPage(assets, pageLanguage(request)), reply.statusCode)
      : showFault(error, request, reply);
  const errors = {
    400: 'The link is not known, was used, or is older than 15 minutes',
    403: 'A page of another site sent it',
    429: 'Too many links from the address',
  };

  const signIn = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { token } = parse(TokenPath, { place: 'path', sent: request.params });
    const signedIn = await people.useLink({
      token,
      browser: askedBy(request, isSecure()),
      before: sessionIn(request),
      actor: { name: 'user', ip: request.ip, requestId: request.id },
    });
    const next = request.body instanceof Form ? request.body.text('next') : undefined;
    return welcome(request, reply, { signedIn, next, isSecure: isSecure(), known });
  };

  app.get(
    '/auth/magic/verify/:token',
    {
      ...signInRoute({
        operationId: 'openSignInLink',
        summary: 'Open an emailed sign-in link',
        description:
          'With Accept: text/html, or if a browser requested the email: returns a page with a button, so that mail scanners do not use up the link. With Accept: application/json, or if a program requested the email: signs in.',
        path: TokenPath,
        answer: SignedInResponse,
        isPage: true,
        errors,
        showError,
      }),
      // Whoever only looks must not use it up.
      exposeHeadRoute: false,
    },
    async (request, reply) => {
      await limits.take(request.ip);
      if (isForProgram(request)) {
        refuseForeign(request, configuredUrl);
        return signIn(request, reply);
      }
      const { token } = parse(TokenPath, { place: 'path', sent: request.params });
      const offer = await people.lookAt(token, askedBy(request, isSecure()));
      if (offer === undefined) throw new AppError('signin.link_invalid', 'this sign-in link no longer works');
      const next = ownPath(textIn(request.query, 'next'));
      return forms.send(reply, signInLinkPage({ assets, ...pageReader(request), offer, token, next }), next);
    },
  );

  app.post(
    '/auth/magic/verify/:token',
    signInRoute({
      operationId: 'useSignInLink',
      summary: 'Sign in with an emailed link, which is then used up',
      redirects: true,
      path: TokenPath,
      answer: SignedInResponse,
      errors,
      showError,
    }),
    async (request, reply) => {
      await limits.take(request.ip);
      return signIn(request, reply);
    },
  );
}

/** Whether GET uses a link up: a program asks that asked for the letter, or that says that it reads JSON. */
function isForProgram(request: FastifyRequest): boolean {
  if (wantsPage(request)) return false;
  return (
    textIn(request.query, 'for') !== 'person' || request.headers.accept?.includes('application/json') === true
  );
}

/** What the address of a page with a form says. */
function messageIn(request: FastifyRequest): PageMessage {
  const error = textIn(request.query, 'error');
  return {
    errors: error === '' ? [] : [error],
    info: textIn(request.query, 'info'),
    next: ownPath(textIn(request.query, 'next')),
  };
}
