import type { FastifyInstance } from 'fastify';
import { AppError } from '../../../core/errors.ts';
import { faultInPassword, isTooLong, LONGEST_PASSWORD_BYTES } from '../../../domain/access/people/index.ts';
import { ValidationError } from '../../../http/errors.ts';
import { wantsPage } from '../../../http/wants-page.ts';
import { parseBody } from '../input/body.ts';
import { faultPage } from '../pages/faults.ts';
import { markAsking, sessionIn, takeSession } from '../sign-in/cookies.ts';
import type { SignInDependencies } from '../sign-in/dependencies.ts';
import { formPages } from '../sign-in/form-pages.ts';
import { knownBrowsers } from '../sign-in/known-browser.ts';
import { signInLimits } from '../sign-in/limits.ts';
import { personOf } from '../sign-in/person.ts';
import { tellSent, welcome } from '../sign-in/responses.ts';
import { signInRoute } from '../sign-in/route.ts';
import {
  MagicBody,
  Profile,
  SentResponse,
  SignedInResponse,
  SignedOutResponse,
  SignInBody,
  SignUpBody,
} from '../sign-in/schemas.ts';

const SECRETS = { secrets: ['password'] };
/** No account has an empty password: it is not counted as a wrong one. */
const NOT_EMPTY = { password: (text: string) => (text === '' ? 'the password is empty' : null) };
const FOREIGN = 'The request was sent by a page of another site';
const LIMITED = 'Too many attempts from the IP address, or for the email address';
const LARGE = 'The body is larger than 16 KiB';
const LED = 'A browser (Accept: text/html) is redirected with 303 instead.';

/** Signing in with a password, signing up, asking for a link, signing out. */
export function addSignInRoutes(app: FastifyInstance, dependencies: SignInDependencies): void {
  const { people, accounts, assets, random, publicUrl, isSignUpOpen, send } = dependencies;
  const { sentBack } = formPages(dependencies);
  const limits = signInLimits(dependencies.limits, dependencies.vaultKeys);
  const isSecure = () => publicUrl().startsWith('https:');
  const known = knownBrowsers({ ...dependencies, isSecure });

  app.post(
    '/auth/login',
    signInRoute({
      operationId: 'signIn',
      summary: 'Sign in with a password',
      description: `The response is the same for a wrong password and for an unknown address. ${LED}`,
      redirects: true,
      body: SignInBody,
      answer: SignedInResponse,
      errors: { 401: 'The email address or the password is wrong', 403: FOREIGN, 413: LARGE, 429: LIMITED },
      showError: sentBack('/auth/login'),
    }),
    async (request, reply) => {
      const { email, password, next } = parseBody(SignInBody, request.body, { ...SECRETS, rules: NOT_EMPTY });
      if (isTooLong(password)) {
        throw passwordFault('long', `the password is longer than ${LONGEST_PASSWORD_BYTES} bytes`);
      }
      const isKnownBrowser = known.isKnown(request, email);
      await limits.password(request, email, isKnownBrowser);
      const before = sessionIn(request);
      const signedIn = await people.signIn({ email, password, before, isKnownBrowser });
      return welcome(request, reply, { signedIn, next, isSecure: isSecure(), known });
    },
  );

  app.post(
    '/auth/signup',
    signInRoute({
      operationId: 'signUp',
      summary: 'Create an account',
      description: `Sends an email with a link that creates the account. If the address already has an account, the email says so; the response is the same. ${LED}`,
      redirects: true,
      body: SignUpBody,
      answer: SentResponse,
      errors: { 403: `Sign-up is closed, or ${lower(FOREIGN)}`, 413: LARGE, 429: LIMITED },
      showError: sentBack('/auth/signup'),
    }),
    async (request, reply) => {
      if (!isSignUpOpen)
        throw new AppError('signup.closed', 'sign-up is closed; ask the operator for an account');
      const { email, password, name, next } = parseBody(SignUpBody, request.body, SECRETS);
      const ownName = name.normalize('NFC').trim();
      const fault = password === '' ? null : faultInPassword(password, [email, ownName]);
      if (fault !== null) throw passwordFault(fault.kind, fault.sentence);
      await limits.letter(request, email);
      if (password !== '') await limits.newPassword(request);
      const browser = markAsking(request, reply, { isSecure: isSecure(), random });
      const letter = await people.signUp({ email, password, name: ownName }, browser);
      return tellSent(request, reply, { letter, next, publicUrl, send });
    },
  );

  app.post(
    '/auth/magic',
    signInRoute({
      operationId: 'requestSignInLink',
      summary: 'Request a sign-in link by email',
      description: `The link works once, within 15 minutes. ${LED}`,
      redirects: true,
      body: MagicBody,
      answer: SentResponse,
      errors: { 403: FOREIGN, 413: LARGE, 429: LIMITED },
      showError: sentBack('/auth/login'),
    }),
    async (request, reply) => {
      const { email, next } = parseBody(MagicBody, request.body, { secrets: [] });
      await limits.letter(request, email);
      const browser = markAsking(request, reply, { isSecure: isSecure(), random });
      const letter = await people.askForLink(email, browser);
      return tellSent(request, reply, { letter, next, publicUrl, send });
    },
  );

  app.post(
    '/auth/logout',
    signInRoute({
      operationId: 'signOut',
      summary: 'Sign out',
      description: `Ends the session on the server. ${LED}`,
      redirects: true,
      answer: SignedOutResponse,
      errors: { 403: FOREIGN },
      showError: faultPage(assets),
    }),
    async (request, reply) => {
      await people.signOut(sessionIn(request));
      takeSession(reply, isSecure());
      // So that the button "back" shows nothing of the account.
      reply.headers({ 'clear-site-data': '"cache"', 'cache-control': 'no-store' });
      if (wantsPage(request)) return reply.redirect('/auth/login?info=signed_out', 303);
      return reply.send({ status: 'signed_out' });
    },
  );

  app.get(
    '/auth/me',
    signInRoute({
      operationId: 'getProfile',
      summary: 'Read the account that is signed in',
      access: 'session',
      answer: Profile,
      errors: { 401: 'Not signed in', 403: 'The IP address is banned temporarily' },
    }),
    async (request, reply) => {
      const profile = await accounts.users.find(personOf(request).account);
      if (profile === undefined) throw new AppError('signin.required', 'the account no longer exists');
      return reply.header('cache-control', 'no-store').send(profile);
    },
  );
}

const lower = (text: string) => `${text.charAt(0).toLowerCase()}${text.slice(1)}`;

function passwordFault(kind: string, sentence: string): ValidationError {
  return new ValidationError([
    {
      type: 'value_error',
      loc: ['body', 'password'],
      msg: `Value error, ${sentence}`,
      ctx: { error: sentence, kind },
    },
  ]);
}
