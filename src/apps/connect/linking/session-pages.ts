import type { FastifyRequest } from 'fastify';
import type { Adapter } from '../../../adapter/adapter.ts';
import {
  type CredentialField,
  credentialFields,
  GATEWAY_FIELD,
  isForEndUsers,
} from '../../../adapter/credential-fields.ts';
import { AppError } from '../../../core/errors.ts';
import type { Accounts } from '../../../domain/access/accounts/index.ts';
import type { LinkSessionRow, LinkSessions } from '../../../domain/links/links/index.ts';
import type { Assets } from '../../../pages/assets.ts';
import { cancelPath, donePath, formPath, sessionPath } from './addresses.ts';
import { browserOf } from './browser.ts';
import { type Reader, stepsOf } from './frame.ts';
import type { OtherWay } from './other-ways.ts';
import { readerOf, showsError } from './reader.ts';
import { whoAsks } from './who-asks.ts';

/** What the query of a session's pages may say. */
export interface SessionQuery {
  readonly Querystring: { readonly q?: unknown; readonly failed?: unknown; readonly brand?: unknown };
}

export interface SessionPagesOptions {
  readonly accounts: Accounts;
  readonly adapters: ReadonlyMap<string, Adapter>;
  readonly assets: Assets;
  readonly linkSessions: LinkSessions;
  /** Public address of this service, without a trailing slash. */
  readonly publicUrl: () => string;
  readonly isConfigured: (vendor: string) => boolean;
  readonly isSimulated: (vendor: string) => boolean;
  /** Whether users may choose vendors whose devices are made up, where the session does not ask for one. */
  readonly offersTesting: boolean;
}

/** What the routes of a session's pages share. */
export function createSessionPages(options: SessionPagesOptions) {
  const { accounts, adapters, assets, linkSessions, publicUrl } = options;
  const { isConfigured, offersTesting, isSimulated } = options;
  const isSecure = () => publicUrl().startsWith('https:');
  const usedBy = (request: FastifyRequest, session: string) =>
    linkSessions.usedBy(browserOf(request, isSecure()), session);

  const readerFor = async (request: FastifyRequest, { account }: LinkSessionRow): Promise<Reader> =>
    readerOf(request, assets, await whoAsks(accounts, account));

  return {
    isSecure,
    showError: showsError(options),
    readerFor,

    /** The session that this browser has used; undefined for all others. */
    usedBy,

    /** Where a browser goes that has used the session already. */
    async pathOfUsed(request: FastifyRequest, session: string): Promise<string | undefined> {
      return (await usedBy(request, session)) === undefined ? undefined : donePath(session);
    },

    /** The session that can still be used, and who reads its pages. */
    async open(request: FastifyRequest, session: string): Promise<{ row: LinkSessionRow; reader: Reader }> {
      const row = await linkSessions.open(session);
      return { row, reader: await readerFor(request, row) };
    },

    // An OAuth vendor leads back to this address of ours alone: the browser must get its cookie there.
    /** The page on which a vendor of the session is linked. */
    hrefOf(session: string, { slug, oauth }: Adapter, way: OtherWay | null = null): string {
      const path = formPath(session, slug, way?.brand);
      return oauth === undefined ? path : `${publicUrl()}${path}`;
    },

    /** Where a browser goes on to the vendor that has agreed to; the same address of ours, for the same reason. */
    authorizeUrl: (session: string, { slug }: Adapter): string =>
      `${publicUrl()}/oauth/${slug}/authorize?session=${encodeURIComponent(session)}`,

    /** The vendors that the session's user may choose from. */
    choices(row: LinkSessionRow): readonly Adapter[] {
      if (row.vendor !== null) return [];
      return [...adapters.values()].filter(
        (adapter) =>
          isForEndUsers(adapter) &&
          isConfigured(adapter.slug) &&
          (adapter.conditions === undefined || offersTesting),
      );
    },

    /** The vendor of a page's address; the address to go to instead, where it has none in this session. */
    vendorFor(row: LinkSessionRow, session: string, vendor: string): Adapter | string {
      if (row.vendor !== null && row.vendor !== vendor) return sessionPath(session);
      const adapter = adapters.get(vendor);
      if (adapter === undefined) throw new AppError('vendor.unknown', 'there is no such vendor');
      const isHidden = row.vendor === null && adapter.conditions !== undefined && !offersTesting;
      return isHidden || !isForEndUsers(adapter) ? sessionPath(session) : adapter;
    },

    /** What of a vendor's page follows from its session. */
    aroundForm: (row: LinkSessionRow, session: string, adapter: Adapter) => ({
      adapter,
      fields: fieldsFor(row, adapter),
      isSimulated,
      steps: stepsOf(row),
      href: formPath(session, adapter.slug),
      chooseHref: row.vendor === null ? sessionPath(session) : null,
      cancelHref: cancelPath(row.redirectUri, session),
    }),
  };
}

/** What the form asks for: the gateway is not asked for where the app has named it. */
export function fieldsFor({ gateway }: Pick<LinkSessionRow, 'gateway'>, adapter: Adapter): CredentialField[] {
  const fields = credentialFields(adapter.credentials);
  return gateway === null ? fields : fields.filter(({ name }) => name !== GATEWAY_FIELD);
}

export type SessionPages = ReturnType<typeof createSessionPages>;
