import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { rfc3339 } from '../../../core/clock.ts';
import { AppError } from '../../../core/errors.ts';
import { faultInText } from '../../../core/json.ts';
import type { Finished } from '../../../domain/links/index.ts';
import { wantsPage } from '../../../http/wants-page.ts';
import { browserOf, markBrowser } from '../browser.ts';
import type { ConnectDependencies } from '../dependencies.ts';
import { sendPage } from '../pages.ts';
import { answers, failures } from '../schemas.ts';

const IssuedCode = Type.Object(
  {
    vendor: Type.String(),
    link_code: Type.String({
      description: 'For POST /link, as {"credentials": {"link_code": …}}; good once',
    }),
    expires_at: Type.String({ format: 'date-time' }),
  },
  { description: 'The user has signed in' },
);

const VendorPath = Type.Object({ vendor: Type.String() });
/** Each is stored. Many users may share an address, as behind a proxy that is not declared. */
const BEGUN_A_MINUTE = 600;

/** Words for an app's own address: what the vendor called it, else our code. */
const REASON = /^[a-z][a-z0-9_.-]{0,60}$/i;

/** Signing in at an OAuth vendor: from here to the vendor's page and back. */
export function oauthRoutes(app: FastifyInstance, dependencies: ConnectDependencies): void {
  const { signIn, linkCodes, linkSessions, links, limits, publicUrl, random } = dependencies;
  const isSecure = () => publicUrl().startsWith('https:');

  const begun = limits.perIp('oauth.authorize', BEGUN_A_MINUTE, 60);

  app.get<{ Params: { vendor: string } }>(
    '/oauth/:vendor/authorize',
    {
      exposeHeadRoute: false,
      config: { access: 'public' },
      schema: {
        summary: "Send the browser to the vendor's sign-in page",
        description: 'With a link session the account is linked when the user comes back.',
        tags: ['Linking'],
        params: VendorPath,
        querystring: Type.Object({
          session: Type.Optional(Type.String({ description: 'From POST /link/sessions' })),
        }),
        response: {
          302: Type.Null({ description: 'To the vendor' }),
          ...failures([400, 429, 502, 503]),
        },
      },
    },
    async (request, reply) => {
      await begun.take(request.ip, reply);
      const { session } = request.query as { session?: unknown };
      const browser = markBrowser(request, reply, { isSecure: isSecure(), random });
      const location = await signIn.begin({
        vendor: textIn(request.params.vendor),
        session: session === undefined ? undefined : textIn(session),
        browser,
      });
      return reply.header('cache-control', 'no-store').redirect(location, 302);
    },
  );

  app.get<{ Params: { vendor: string } }>(
    '/oauth/:vendor/callback',
    {
      // Whoever only looks must not spend the state.
      exposeHeadRoute: false,
      config: { access: 'public' },
      schema: {
        summary: 'Where the vendor sends the browser back',
        description:
          'Hands out a link code; with a link session it links at once, and leads to the redirect_uri of the session with `status=linked`, or with `status=failed` and a `reason`.',
        tags: ['Linking'],
        params: VendorPath,
        querystring: Type.Object({
          code: Type.Optional(Type.String()),
          state: Type.Optional(Type.String()),
          error: Type.Optional(Type.String()),
        }),
        response: {
          ...answers(IssuedCode, [400, 502, 503]),
          303: Type.Null({ description: "To the session's redirect_uri" }),
        },
      },
    },
    async (request, reply) => {
      const vendor = textIn(request.params.vendor);
      const query = new URL(request.url, 'http://localhost').searchParams;
      const browser = browserOf(request, isSecure());
      const finished = await signIn.finish({ vendor, query, browser });
      reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
      if (finished.session !== undefined)
        return intoSession(reply, { vendor, query, browser, finished, session: finished.session });
      if (finished.outcome === 'failed') throw finished.error;
      return handOutCode(request, reply, { vendor, finished });
    },
  );

  async function handOutCode(
    request: FastifyRequest,
    reply: FastifyReply,
    { vendor, finished }: { vendor: string; finished: Finished & { outcome: 'signed_in' } },
  ): Promise<FastifyReply> {
    const { code, expiresAt } = await linkCodes.issue(vendor, finished.tokens);
    if (!wantsPage(request)) return reply.send({ vendor, link_code: code, expires_at: rfc3339(expiresAt) });
    return sendPage(reply, 200, {
      title: 'Signed in',
      paragraphs: [
        'Copy this code into the app that asked for it. It is good once, for 15 minutes, and stands for your account: give it to nobody else.',
      ],
      code,
    });
  }

  interface Ending {
    readonly vendor: string;
    readonly query: URLSearchParams;
    readonly browser: string | undefined;
    readonly finished: Finished;
    readonly session: NonNullable<Finished['session']>;
  }

  /** Links at once; a session that fails can be tried again until it ends. */
  async function intoSession(reply: FastifyReply, ending: Ending): Promise<FastifyReply> {
    const { vendor, query, browser, finished, session } = ending;
    if (finished.outcome === 'failed') {
      const said = query.get('error') ?? '';
      return leadBack(reply, session.redirectUri, {
        error: finished.error,
        reason: REASON.test(said) ? said : finished.error.code,
      });
    }
    try {
      const { account, userRef } = session;
      const { tokens } = finished;
      await linkSessions.use(session, {
        browser,
        vendor,
        work: () => links.linkSignedIn({ account, vendor, userRef, tokens }),
      });
      return leadBack(reply, session.redirectUri, undefined);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return leadBack(reply, session.redirectUri, { error, reason: error.code });
    }
  }
}

function leadBack(
  reply: FastifyReply,
  redirectUri: string | null,
  failure: { readonly error: AppError; readonly reason: string } | undefined,
): FastifyReply {
  if (redirectUri !== null) {
    const url = new URL(redirectUri);
    url.searchParams.set('status', failure === undefined ? 'linked' : 'failed');
    if (failure !== undefined) url.searchParams.set('reason', failure.reason);
    return reply.redirect(url.href, 303);
  }
  return failure === undefined
    ? sendPage(reply, 200, {
        title: 'Linked',
        paragraphs: ['Your account is linked. You can close this page.'],
      })
    : sendPage(reply, 400, {
        title: 'Not linked',
        paragraphs: [`Your account was not linked: ${failure.error.message}.`],
      });
}

/** What no store can hold is what does not exist. */
function textIn(value: unknown): string {
  return typeof value === 'string' && faultInText(value, 'value') === null ? value : '\u{fffd}';
}
