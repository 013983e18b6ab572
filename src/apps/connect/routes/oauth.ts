import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { Adapter } from '../../../adapter/adapter.ts';
import { DEVICE_TYPES, type DeviceType } from '../../../adapter/device.ts';
import { rfc3339 } from '../../../core/clock.ts';
import { AppError } from '../../../core/errors.ts';
import type { Random } from '../../../core/ids.ts';
import type { Accounts } from '../../../domain/access/accounts/index.ts';
import type {
  Finished,
  LinkCodes,
  LinkSessions,
  Links,
  OwnSession,
  VendorOAuth,
} from '../../../domain/links/links/index.ts';
import { noteError } from '../../../http/errors.ts';
import { sendPage } from '../../../http/pages.ts';
import type { Limits } from '../../../http/rate-limit.ts';
import { wantsPage } from '../../../http/wants-page.ts';
import type { Assets } from '../../../pages/assets.ts';
import { nameIn, vendorInPath } from '../input/parameters.ts';
import { backToApp, donePath, formPath, sessionPath } from '../linking/addresses.ts';
import { browserOf, markBrowser, rememberSession } from '../linking/browser.ts';
import { codePage, failurePage } from '../linking/message-pages.ts';
import { readerOf, showsError } from '../linking/reader.ts';
import { callName } from '../linking/vendors.ts';
import { NOBODY, whoAsks } from '../linking/who-asks.ts';
import { errorResponses } from '../schemas.ts';

const issuedCode = (vendor: Type.TString) =>
  Type.Object({
    vendor,
    link_code: Type.String({
      examples: ['mT4c0XzY6bQkLr8sWn1vJd'],
      description: 'For POST /link, as {"credentials": {"link_code": …}}; valid once',
    }),
    expires_at: Type.String({ format: 'date-time' }),
  });

/** Each is stored, and looked up when it comes back. Many users may share an address, as behind a proxy that is not declared. */
const BEGUN_A_MINUTE = 600;

export interface OAuthRoutes {
  readonly accounts: Accounts;
  readonly adapters: ReadonlyMap<string, Adapter>;
  readonly assets: Assets;
  readonly vendorOAuth: Pick<VendorOAuth, 'begin' | 'finish'>;
  readonly linkCodes: Pick<LinkCodes, 'issue'>;
  readonly linkSessions: Pick<LinkSessions, 'use' | 'usedBy' | 'fail'>;
  readonly links: Pick<Links, 'requireRoom' | 'linkSignedIn'>;
  readonly limits: Limits;
  readonly publicUrl: () => string;
  readonly random: Random;
}

function typesIn(text: string): readonly DeviceType[] {
  return text.split(',').map((word) => {
    const type = DEVICE_TYPES.find((one) => one === word);
    if (type !== undefined) return type;
    throw new AppError(
      'request.invalid',
      `device_types must be of ${DEVICE_TYPES.join(', ')}, with commas between them`,
    );
  });
}

/** Signing in at an OAuth vendor: from here to the vendor's page and back. */
export function addOAuthRoutes(app: FastifyInstance, dependencies: OAuthRoutes): void {
  const example = [...dependencies.adapters.values()].find(({ oauth }) => oauth !== undefined)?.slug;
  const slug = Type.String({
    description: 'Vendor slug, from GET /vendors',
    ...(example === undefined ? {} : { examples: [example] }),
  });
  addAuthorizeRoute(app, dependencies, slug);
  addCallbackRoute(app, dependencies, slug);
}

function addAuthorizeRoute(app: FastifyInstance, dependencies: OAuthRoutes, slug: Type.TString): void {
  const { vendorOAuth, limits, publicUrl, random } = dependencies;
  const isSecure = () => publicUrl().startsWith('https:');
  const showError = showsError(dependencies);
  const OneVendor = Type.Object({ vendor: slug });
  const begun = limits.perIp('oauth.authorize', BEGUN_A_MINUTE, 60);
  app.get(
    '/oauth/:vendor/authorize',
    {
      exposeHeadRoute: false,
      config: { access: 'public', showError },
      schema: {
        operationId: 'startVendorSignIn',
        summary: "Redirect the browser to the vendor's sign-in page",
        description:
          'With a link session, the account is linked when the user returns. If the user has not agreed on the page of the session yet, that page comes first.',
        tags: ['Linking'],
        params: OneVendor,
        querystring: Type.Object({
          session: Type.Optional(Type.String({ description: 'From POST /link/sessions' })),
          device_types: Type.Optional(
            Type.String({
              description:
                'Types of devices with commas between them, such as `vehicle,battery`: the user is asked only for the permissions that these need, where the vendor tells them apart. With a link session, that says it',
            }),
          ),
        }),
        response: {
          302: Type.Null({ description: 'To the vendor' }),
          303: Type.Null({
            description: 'To the page of the link session, if the user has not agreed yet',
          }),
          ...errorResponses([400, 429, 502, 503]),
        },
      },
    },
    async (request, reply) => {
      await begun.take(request.ip, reply);
      const { session, device_types } = request.query as { session?: unknown; device_types?: unknown };
      const browser = markBrowser(request, reply, { isSecure: isSecure(), random });
      const vendor = vendorInPath(OneVendor, request);
      const location = await vendorOAuth.begin({
        vendor,
        session: session === undefined ? undefined : nameIn(session),
        browser,
        deviceTypes: device_types === undefined ? undefined : typesIn(nameIn(device_types)),
      });
      reply.header('cache-control', 'no-store');
      if (location === undefined)
        return reply.redirect(`${publicUrl()}${formPath(nameIn(session), vendor)}`, 303);
      if (typeof session === 'string') rememberSession(reply, session, isSecure());
      return reply.redirect(location, 302);
    },
  );
}

function addCallbackRoute(app: FastifyInstance, dependencies: OAuthRoutes, slug: Type.TString): void {
  const { vendorOAuth, links, limits, publicUrl } = dependencies;
  const isSecure = () => publicUrl().startsWith('https:');
  const showError = showsError(dependencies);
  const OneVendor = Type.Object({ vendor: slug });
  const ended = limits.perIp('oauth.callback', BEGUN_A_MINUTE, 60);
  const { intoSession, handOutCode } = signInEndings(dependencies);
  app.get(
    '/oauth/:vendor/callback',
    {
      // Whoever only looks must not spend the state.
      exposeHeadRoute: false,
      config: { access: 'public', showError },
      schema: {
        operationId: 'finishVendorSignIn',
        summary: 'The vendor redirects the browser back to this',
        description:
          'Returns a link code. With a link session, links the account and redirects to the redirect_uri of the session with `status=linked&session=&link=` or `status=failed&session=&reason=`.',
        tags: ['Linking'],
        params: OneVendor,
        querystring: Type.Object({
          code: Type.Optional(Type.String()),
          state: Type.Optional(Type.String()),
          error: Type.Optional(Type.String()),
        }),
        response: {
          200: {
            description: 'The user has signed in at the vendor; a page that shows the code for a browser',
            content: {
              'application/json': { schema: issuedCode(slug) },
              'text/html': { schema: Type.String() },
            },
          },
          ...errorResponses([400, 409, 429, 502, 503]),
          303: Type.Null({ description: "To the session's redirect_uri" }),
        },
      },
    },
    async (request, reply) => {
      await ended.take(request.ip, reply);
      const vendor = vendorInPath(OneVendor, request);
      const query = new URL(request.url, 'http://localhost').searchParams;
      const browser = browserOf(request, isSecure());
      const { requireRoom } = links;
      const isPage = wantsPage(request);
      const finished = await vendorOAuth.finish({ vendor, query, browser, isPage, requireRoom });
      reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
      if (finished.session !== undefined)
        return intoSession(request, reply, { vendor, browser, finished, session: finished.session });
      if (finished.outcome === 'failed') throw finished.error;
      return handOutCode(request, reply, { vendor, finished });
    },
  );
}

interface Ending {
  readonly vendor: string;
  readonly browser: string | undefined;
  readonly finished: Finished;
  readonly session: OwnSession;
}

/** What comes of a sign-in that the vendor has ended: a link in the session that it was for, else a link code. */
function signInEndings({ accounts, adapters, assets, linkCodes, linkSessions, links }: OAuthRoutes) {
  async function handOutCode(
    request: FastifyRequest,
    reply: FastifyReply,
    { vendor, finished }: { vendor: string; finished: Finished & { outcome: 'signed_in' } },
  ): Promise<FastifyReply> {
    const { code, expiresAt } = await linkCodes.issue(vendor, finished.tokens);
    if (!wantsPage(request)) return reply.send({ vendor, link_code: code, expires_at: rfc3339(expiresAt) });
    const reader = readerOf(request, assets, NOBODY);
    const adapter = adapters.get(vendor);
    const name = adapter === undefined ? vendor : callName(adapter, reader.language);
    return sendPage(reply, codePage(reader, { vendor: name, code }));
  }

  /** Links at once; a session that fails can be tried again until it ends. */
  async function intoSession(
    request: FastifyRequest,
    reply: FastifyReply,
    ending: Ending,
  ): Promise<FastifyReply> {
    const { vendor, browser, finished, session } = ending;
    if (finished.outcome === 'failed') {
      const { error, reason } = finished;
      return failed(request, reply, { ending, error, reason });
    }
    try {
      const { row, name } = session;
      const { account, userRef, priceArea } = row;
      const { tokens } = finished;
      const { link } = await linkSessions.use(row, {
        browser,
        vendor,
        work: () =>
          links.linkSignedIn({ account, vendor, userRef, priceArea: priceArea ?? undefined, tokens }),
      });
      const address = row.showsDevices
        ? null
        : backToApp(row.redirectUri, { status: 'linked', session: name, link });
      return reply.redirect(address ?? donePath(name), 303);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return failed(request, reply, { ending, error, reason: error.code });
    }
  }

  async function failed(
    request: FastifyRequest,
    reply: FastifyReply,
    { ending, error, reason }: { ending: Ending; error: AppError; reason: string },
  ): Promise<FastifyReply> {
    const { row, name } = ending.session;
    // Another tab of this browser came first: what it has linked is not called failed.
    if ((await linkSessions.usedBy(ending.browser, name)) !== undefined)
      return reply.redirect(donePath(name), 303);
    const isOver = error.code === 'session.invalid';
    if (!isOver) await linkSessions.fail(row, reason);
    const address = backToApp(row.redirectUri, { status: 'failed', session: name, reason });
    if (address !== null) return reply.redirect(address, 303);
    noteError('connect', error, request, reply);
    const reader = readerOf(request, assets, await whoAsks(accounts, row.account));
    const adapter = adapters.get(ending.vendor);
    const vendor = adapter === undefined ? undefined : callName(adapter, reader.language);
    const markup = failurePage(
      reader,
      { error, requestId: request.id, vendor, isByForm: false },
      isOver ? null : sessionPath(name),
    );
    return sendPage(reply, markup);
  }

  return { intoSession, handOutCode };
}
