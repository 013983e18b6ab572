import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Adapter } from '../../../adapter/adapter.ts';
import { GATEWAY_FIELD, wordsOf } from '../../../adapter/credential-fields.ts';
import { AppError } from '../../../core/errors.ts';
import type { Random } from '../../../core/ids.ts';
import type { LinkSessionRow, LinkSessions, Links } from '../../../domain/links/links/index.ts';
import { refuseForeign } from '../../../http/caller.ts';
import { noteError } from '../../../http/errors.ts';
import { acceptForms, formOf } from '../../../http/forms.ts';
import { sendPage } from '../../../http/pages.ts';
import type { Limits } from '../../../http/rate-limit.ts';
import { wantsPage } from '../../../http/wants-page.ts';
import { readPath, VendorOfSession } from '../input/parameters.ts';
import { donePath, FORM_ROUTE } from '../linking/addresses.ts';
import { markBrowser } from '../linking/browser.ts';
import { type Filled, readForm } from '../linking/filled-form.ts';
import { formPage } from '../linking/form-page.ts';
import { fieldsFor, type SessionPages } from '../linking/session-pages.ts';
import { callName } from '../linking/vendors.ts';
import type { GuessLimit } from '../linking/wrong-credentials.ts';

const WINDOW_SECONDS = 900;
/** Wrong passwords lock people out at their vendor. */
const TRIES_OF_SESSION = 10;
/** Many users may share an address, as those of a mobile network do. */
const TRIES_OF_ADDRESS = 120;
/** Each is stored, and leads on to where the vendor is opened, which is limited alike. */
const AGREED_A_MINUTE = 600;

interface Try {
  readonly row: LinkSessionRow;
  readonly adapter: Adapter;
  readonly browser: string;
  readonly filled: Filled;
}

export interface LinkFormRoutes {
  readonly links: Pick<Links, 'link' | 'requireRoom'>;
  readonly linkSessions: LinkSessions;
  readonly limits: Limits;
  /** Public address of this service as it is configured; undefined where it follows from the port. */
  readonly configuredUrl: string | undefined;
  readonly random: Random;
}

/** Takes the form with a vendor's credentials, and links with them; of an OAuth vendor, that the user wants to go on to it. */
export function addLinkFormRoute(
  app: FastifyInstance,
  dependencies: LinkFormRoutes & { readonly guarded: GuessLimit },
  pages: SessionPages,
): void {
  const { guarded, links, linkSessions, limits, configuredUrl, random } = dependencies;
  const ofAddress = limits.perIp('link.form', TRIES_OF_ADDRESS, WINDOW_SECONDS);
  const agreed = limits.perIp('link.consent', AGREED_A_MINUTE, 60);
  const ofSession = limits.perName('link.form.session', TRIES_OF_SESSION, WINDOW_SECONDS);

  async function linkWith(
    { row, adapter, browser, filled }: Try,
    request: FastifyRequest,
    reply: FastifyReply,
  ) {
    await ofAddress.take(request.ip, reply);
    // control: the form of a link session allows ten attempts [link-page]
    await ofSession.take(row.sha256, reply);
    const { account, userRef, priceArea } = row;
    const { slug: vendor } = adapter;
    const credentials =
      row.gateway === null || adapter.isLocal !== true
        ? filled.credentials
        : { ...filled.credentials, [GATEWAY_FIELD]: row.gateway };
    await linkSessions.use(row, {
      browser,
      vendor,
      work: () =>
        guarded({ account, vendor, credentials }, () =>
          links.link({
            ...{ account, vendor, userRef, credentials },
            priceArea: priceArea ?? undefined,
            begun: async () => {},
          }),
        ),
    });
  }

  acceptForms(app);
  app.post(
    FORM_ROUTE,
    {
      config: { access: 'public', showError: pages.showError },
      schema: { hide: true },
    },
    async (request, reply) => {
      refuseForeign(request, configuredUrl);
      const { session, vendor } = readPath(VendorOfSession, request);
      const browser = markBrowser(request, reply, { isSecure: pages.isSecure(), random });
      const done = await pages.pathOfUsed(request, session);
      if (done !== undefined) return reply.redirect(done, 303);
      const { row, reader } = await pages.open(request, session);
      const adapter = pages.vendorFor(row, session, vendor);
      if (typeof adapter === 'string') return reply.redirect(adapter, 303);
      if (adapter.oauth !== undefined) {
        await agreed.take(request.ip, reply);
        // Before the user signs in at the vendor for nothing.
        await links.requireRoom(row.account, adapter.slug);
        await linkSessions.agree(row, { browser, vendor: adapter.slug });
        return reply.redirect(pages.authorizeUrl(session, adapter), 303);
      }
      const filled = readForm(fieldsFor(row, adapter), formOf(request.body), {
        language: reader.language,
        wordsOf: (field) => wordsOf(adapter, field, reader.language),
      });
      const around = pages.aroundForm(row, session, adapter);
      try {
        const [fault] = filled.faults;
        if (fault !== undefined)
          throw new AppError('link.credentials_invalid', `credentials.${fault[0]}: ${fault[1]}`);
        await linkWith({ row, adapter, browser, filled }, request, reply);
      } catch (error) {
        if (!(error instanceof AppError) || !wantsPage(request)) throw error;
        // Another click came first: what it finds is shown.
        const path = await pages.pathOfUsed(request, session);
        if (path !== undefined) return reply.redirect(path, 303);
        if (error.code === 'session.invalid') throw error;
        noteError('connect', error, request, reply);
        const failure = {
          error,
          requestId: request.id,
          vendor: callName(adapter, reader.language),
          isByForm: true,
          confirmation: adapter.confirmation?.[reader.language],
        };
        return sendPage(reply, formPage(reader, { ...around, filled, failure }));
      }
      return reply.redirect(donePath(session), 303);
    },
  );
}
