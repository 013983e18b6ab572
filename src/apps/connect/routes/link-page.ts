import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { Principal } from '../../../domain/access/accounts/index.ts';
import type { Devices } from '../../../domain/devices/devices/index.ts';
import type { VendorOAuth } from '../../../domain/links/links/index.ts';
import { sendPage, sendPageThatLeadsOn } from '../../../http/pages.ts';
import { LINK_ID, nameIn, readPath, SESSION_ID, SessionId, VendorOfSession } from '../input/parameters.ts';
import {
  backToApp,
  CANCEL_ROUTE,
  cancelPath,
  DONE_ROUTE,
  donePath,
  FORM_ROUTE,
  sessionPath,
} from '../linking/addresses.ts';
import { markBrowser } from '../linking/browser.ts';
import { choosePage } from '../linking/choose-page.ts';
import { consentPage } from '../linking/consent-page.ts';
import { donePage, waitingPage } from '../linking/done-page.ts';
import { NOT_FILLED } from '../linking/filled-form.ts';
import { formPage } from '../linking/form-page.ts';
import { stepsOf } from '../linking/frame.ts';
import { NextSteps, nextStepsField, nextStepsOf } from '../linking/next-steps.ts';
import { wayOf } from '../linking/other-ways.ts';
import {
  createSessionPages,
  type SessionPages,
  type SessionPagesOptions,
  type SessionQuery,
} from '../linking/session-pages.ts';
import { shown } from '../linking/shown.ts';
import type { GuessLimit } from '../linking/wrong-credentials.ts';
import { LinkedDevices } from './link.ts';
import { addLinkFormRoute, type LinkFormRoutes } from './link-form.ts';

const LONGEST_QUERY = 100;
const SessionView = Type.Object(
  {
    session: Type.String({ examples: [SESSION_ID] }),
    status: Type.Enum(['open', 'linked', 'failed', 'expired'], {
      examples: ['linked'],
      description: '`failed`: the user returned to your app without linking; the session can be opened again',
    }),
    link: Type.Union([Type.String(), Type.Null()], {
      description: 'Id of the link, as in GET /links',
      examples: [LINK_ID],
    }),
    devices: LinkedDevices,
    next_steps: NextSteps,
    reason: Type.Union([Type.String(), Type.Null()], {
      examples: [null],
      description: "Why the last attempt failed: `cancelled`, the vendor's reason, or an error code",
    }),
    expires_at: Type.String({ format: 'date-time' }),
  },
  { title: 'LinkSession' },
);

/** Between two looks at whether the vendor has answered. */
const LOOK_AGAIN_SECONDS = 3;

export interface LinkPageRoutes extends SessionPagesOptions, LinkFormRoutes {
  readonly devices: Pick<Devices, 'knownOfLink'>;
  readonly vendorOAuth: Pick<VendorOAuth, 'check'>;
}

/** Who has used the session goes to what was found, from wherever the back button leads. */
async function openOrDone(
  pages: SessionPages,
  request: FastifyRequest,
  reply: FastifyReply,
  session: string,
) {
  try {
    return await pages.open(request, session);
  } catch (error) {
    const path = await pages.pathOfUsed(request, session);
    if (path === undefined) throw error;
    reply.redirect(path, 303);
    return undefined;
  }
}

/** How a session is, for the account that began it. */
async function viewOf(
  { adapters, devices, linkSessions, publicUrl }: LinkPageRoutes,
  request: FastifyRequest,
  { account }: Principal,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { session } = readPath(SessionId, request);
  const { status, link, reason, expires_at } = await linkSessions.view(account, session);
  const found = link === null ? [] : await devices.knownOfLink({ account, link });
  const linked = found.map(({ id, vendor, type }) => ({ id, vendor, device_type: type }));
  reply.header('cache-control', 'no-store');
  const steps = nextStepsOf(adapters.get(found[0]?.vendor ?? ''), found, publicUrl());
  const next = nextStepsField(steps, request);
  return reply.send({ session, status, link, devices: linked, ...next, reason, expires_at });
}

/** What was found, once the vendor has answered. */
async function showDone(
  { adapters, devices, linkSessions, publicUrl }: LinkPageRoutes,
  pages: SessionPages,
  request: FastifyRequest<SessionQuery>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { session } = readPath(SessionId, request);
  const row = await pages.usedBy(request, session);
  if (row === undefined) {
    // The work failed that was waited for: the session can be used again.
    await linkSessions.open(session);
    return reply.redirect(`${sessionPath(session)}?failed`, 303);
  }
  const reader = await pages.readerFor(request, row);
  const { account, linked } = row;
  if (linked === null) {
    reply.header('refresh', String(LOOK_AGAIN_SECONDS));
    return sendPage(reply, waitingPage(reader, donePath(session)));
  }
  const { vendor: slug, link } = linked;
  const adapter = adapters.get(slug) ?? { slug, name: slug };
  const found = await devices.knownOfLink({ account, link });
  return sendPage(
    reply,
    donePage(reader, {
      adapter,
      steps: stepsOf(row),
      href: donePath(session),
      devices: found,
      nextSteps: nextStepsOf(adapters.get(slug), found, publicUrl()),
      dialInAddress: `${publicUrl().replace(/^http/, 'ws')}/${adapters.get(slug)?.dialIn?.path ?? ''}/`,
      backHref: backToApp(row.redirectUri, { status: 'linked', session, link }),
    }),
  );
}

/** The pages on which an end user links an account: whose it is, what it is signed in to with, what was found. */
export async function addLinkPageRoutes(
  app: FastifyInstance,
  dependencies: LinkPageRoutes & { readonly guarded: GuessLimit },
): Promise<void> {
  const { adapters, linkSessions, vendorOAuth, isSimulated, random } = dependencies;
  const pages = createSessionPages(dependencies);
  const { isSecure, showError } = pages;

  app.get<SessionQuery>(
    '/link/sessions/:session',
    {
      config: { access: 'optional', showError },
      schema: {
        operationId: 'getLinkSession',
        summary: 'Read a link session; for the end user, its page',
        description:
          'With a key of the account: the status of the session, until a week after its end. A user who returned to the app without linking can open the same session again. Without a key, or with Accept: text/html: the page on which the end user chooses a vendor and signs in.',
        tags: ['Linking'],
        params: SessionId,
        querystring: Type.Object({
          q: Type.Optional(Type.String({ description: 'Shows only vendors that match these words' })),
        }),
        response: {
          200: {
            description: 'The link session; for the end user, a page',
            content: {
              'application/json': { schema: SessionView },
              'text/html': { schema: Type.String({ description: 'A page for browsers' }) },
            },
          },
          303: Type.Null({ description: 'To the page of the only vendor of the session' }),
        },
      },
    },
    async (request, reply) => {
      const { session } = readPath(SessionId, request);
      if (request.principal !== null) return viewOf(dependencies, request, request.principal, reply);
      const opened = await openOrDone(pages, request, reply, session);
      if (opened === undefined) return reply;
      const { row, reader } = opened;
      const failed = request.query.failed === undefined ? '' : '?failed';
      const only = adapters.get(row.vendor ?? '');
      if (only !== undefined) return reply.redirect(`${pages.hrefOf(session, only)}${failed}`, 303);
      const markup = choosePage(reader, {
        vendors: pages.choices(row),
        isSimulated,
        hrefOf: ({ vendor, way }) => pages.hrefOf(session, vendor, way),
        query: shown(nameIn(request.query.q ?? ''), LONGEST_QUERY),
        href: sessionPath(session),
        cancelHref: cancelPath(row.redirectUri, session),
        hasFailed: failed !== '',
      });
      return sendPage(reply, markup);
    },
  );

  app.get<SessionQuery>(
    DONE_ROUTE,
    { config: { access: 'public', showError }, schema: { hide: true } },
    (request, reply) => showDone(dependencies, pages, request, reply),
  );

  // A link and not a form: the app's own address is no target that the policy of a page lets forms lead to.
  app.get<SessionQuery>(
    CANCEL_ROUTE,
    { exposeHeadRoute: false, config: { access: 'public', showError }, schema: { hide: true } },
    async (request, reply) => {
      const { session } = readPath(SessionId, request);
      const opened = await openOrDone(pages, request, reply, session);
      if (opened === undefined) return reply;
      const { row } = opened;
      const reason = 'cancelled';
      const address = backToApp(row.redirectUri, { status: 'failed', session, reason });
      if (address !== null) await linkSessions.fail(row, reason);
      return reply.redirect(address ?? sessionPath(session), 303);
    },
  );

  app.get<SessionQuery>(
    FORM_ROUTE,
    { config: { access: 'public', showError }, schema: { hide: true } },
    async (request, reply) => {
      const { session, vendor } = readPath(VendorOfSession, request);
      const opened = await openOrDone(pages, request, reply, session);
      if (opened === undefined) return reply;
      const { row, reader } = opened;
      const adapter = pages.vendorFor(row, session, vendor);
      if (typeof adapter === 'string') return reply.redirect(adapter, 303);
      markBrowser(request, reply, { isSecure: isSecure(), random });
      const around = pages.aroundForm(row, session, adapter);
      const hasFailed = request.query.failed !== undefined;
      if (adapter.oauth === undefined)
        return sendPage(reply, formPage(reader, { ...around, filled: NOT_FILLED, hasFailed }));
      vendorOAuth.check(adapter.slug);
      const way = wayOf(adapter, request.query.brand);
      return sendPageThatLeadsOn(reply, consentPage(reader, { ...around, way, hasFailed }));
    },
  );

  await app.register((scope, _options, done) => {
    addLinkFormRoute(scope, dependencies, pages);
    done();
  });
}
