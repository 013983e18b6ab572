import type { FastifyRequest } from 'fastify';
import type { Adapter } from '../../../adapter/adapter.ts';
import { AppError } from '../../../core/errors.ts';
import type { LinkSessionRow } from '../../../domain/links/index.ts';
import { browserOf } from '../browser.ts';
import type { ConnectDependencies } from '../dependencies.ts';
import { cancelPath, donePath, formPath, sessionPath } from './addresses.ts';
import type { Reader } from './frame.ts';
import { readerOf, showsError } from './reader.ts';

/** A part of the address of a session's pages. */
export interface SessionPath {
  readonly Params: { readonly session: string; readonly vendor: string };
  readonly Querystring: { readonly q?: unknown; readonly failed?: unknown };
}

/** What the routes of a session's pages share. */
export function createSessionPages(dependencies: ConnectDependencies) {
  const { accounts, adapters, assets, linkSessions, isSimulated, publicUrl } = dependencies;
  const isSecure = () => publicUrl().startsWith('https:');
  const usedBy = (request: FastifyRequest, session: string) =>
    linkSessions.usedBy(browserOf(request, isSecure()), session);

  // The vendor leads back to this address of ours alone: the browser must get its cookie there.
  const authorizeUrl = (session: string, vendor: string) =>
    `${publicUrl()}/oauth/${vendor}/authorize?session=${encodeURIComponent(session)}`;

  const readerFor = async (request: FastifyRequest, { account }: LinkSessionRow): Promise<Reader> =>
    readerOf(request, assets, await accounts.brands.of(account));

  return {
    isSecure,
    showError: showsError(dependencies),
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

    /** Where a vendor of the session is linked: a form of ours, or the vendor's own sign-in. */
    hrefOf: (session: string, { slug, oauth }: Adapter): string =>
      oauth === undefined ? formPath(session, slug) : authorizeUrl(session, slug),

    /** The vendor of a form's address; the address to go to instead, where it has no form in this session. */
    vendorFor(row: LinkSessionRow, session: string, vendor: string): Adapter | string {
      if (row.vendor !== null && row.vendor !== vendor) return sessionPath(session);
      const adapter = adapters.get(vendor);
      if (adapter === undefined) throw new AppError('vendor.unknown', 'there is no such vendor');
      return adapter.oauth === undefined ? adapter : authorizeUrl(session, vendor);
    },

    /** What of a form's page follows from its session. */
    aroundForm: (row: LinkSessionRow, session: string, adapter: Adapter) => ({
      adapter,
      isSimulated,
      href: formPath(session, adapter.slug),
      chooseHref: row.vendor === null ? sessionPath(session) : null,
      cancelHref: cancelPath(row.redirectUri, session),
    }),
  };
}

export type SessionPages = ReturnType<typeof createSessionPages>;
