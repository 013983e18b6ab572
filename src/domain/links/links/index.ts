import type { Adapter, Linked } from '../../../adapter/adapter.ts';
import { adapterOf } from '../../../adapter/adapters.ts';
import {
  ALL_CARDS,
  type Cards,
  forgetCards,
  keepCards,
  loadCards,
  spelt,
} from '../../../adapter/charging.ts';
import type { Found } from '../../../adapter/device.ts';
import type { Expected } from '../../../adapter/dial-in.ts';
import type { Documents, LinkKey, LinkOf } from '../../../adapter/session.ts';
import { grantedWith } from '../../../adapter/tokens.ts';
import { rfc3339 } from '../../../core/clock.ts';
import { decodeCursor, pageOf } from '../../../core/cursors.ts';
import { AppError } from '../../../core/errors.ts';
import type { Queries } from '../../../db/database.ts';
import { topic } from '../../../db/topic.ts';
import type { PriceArea } from '../../../sources/contract/market.ts';
import type { Evidence, Relisted } from '../../devices/devices/index.ts';
import type { Calls, LinkStatus } from '../../vendor-calls/calls/index.ts';
import { createLinkMaker, type DropReason, type LinksOptions } from './make-link.ts';
import { createRemoval, linkNotFound } from './remove.ts';
import { markedAsSimulated } from './simulated-names.ts';
import { createLinkStore, type LinkFilter, type LinkStore } from './store.ts';

interface CardsOptions {
  readonly calls: Pick<Calls, 'stored' | 'documents'>;
  readonly adapters: ReadonlyMap<string, Adapter>;
}

/** Whose cards the stations of a link serve. Stations learn it at the next card, on whichever process they are. */
export function createCards({ calls, adapters }: CardsOptions) {
  async function documentsOf(account: number, link: string): Promise<Documents> {
    const row = await calls.stored({ account, link });
    if (row === undefined) throw new AppError('link.not_found', `there is no link ${link.slice(0, 100)}`);
    if (adapters.get(row.vendor)?.dialIn?.asksForCards !== true)
      throw new AppError(
        'station.unsupported',
        `the devices of ${row.vendor} have no card list; only charging stations that connect to this service do`,
      );
    return calls.documents(row);
  }

  return {
    async get(account: number, link: string): Promise<Cards> {
      return loadCards(await documentsOf(account, link));
    },

    /** Replaces all that was said before. */
    async put(account: number, link: string, cards: Cards): Promise<Cards> {
      const documents = await documentsOf(account, link);
      const seen = new Set<string>();
      for (const [index, { id }] of cards.cards.entries()) {
        if (seen.has(spelt(id)))
          throw new AppError('request.invalid', `body.cards[${index}].id ${id} is already in the list`);
        seen.add(spelt(id));
      }
      await keepCards(documents, cards);
      return cards;
    },

    /** Every card is served again. */
    async remove(account: number, link: string): Promise<Cards> {
      await forgetCards(await documentsOf(account, link));
      return ALL_CARDS;
    },
  };
}

export type CardsOfLinks = ReturnType<typeof createCards>;

/** What a vendor has listed of a link. */
interface Listed {
  readonly found: readonly Found[];
  readonly began: number;
  readonly evidence: ReadonlyMap<string, Evidence>;
  /** When the link had been linked last, as it was when the list began. */
  readonly linkedAt: number;
  /** Makes the list the one that counts, within the transaction; false when a newer one does. */
  readonly take: (transaction: Queries) => Promise<boolean>;
}

const NOTHING: Relisted = { added: [], changed: [], removed: [], missing: [] };

/** Brings stored devices up to date with lists of their accounts, and reports what changed. */
function createRelist(
  { host, adapters, calls, devices, events, isSimulated }: LinksOptions,
  store: LinkStore,
) {
  const { database } = host;

  /** What the user grants with the tokens that hold now, where capabilities depend on it. */
  async function grantedTo(adapter: Adapter, link: LinkOf): Promise<readonly string[] | undefined> {
    const needsAny = Object.values(adapter.kinds).some(({ needs }) => needs !== undefined);
    if (adapter.oauth === undefined || !needsAny) return undefined;
    return grantedWith(adapter, await calls.tokens.stored(link));
  }

  /** Nothing happens where the account was linked again since the list began, or a newer list counts. */
  return async (link: LinkOf, listed: Listed): Promise<Relisted> => {
    const { account, vendor } = link;
    const { began, evidence, linkedAt, take } = listed;
    const adapter = adapterOf(adapters, vendor);
    const found = isSimulated(vendor) ? markedAsSimulated(adapter, listed.found) : listed.found;
    const granted = await grantedTo(adapter, link);
    const relisted = await database.transaction(async (transaction) => {
      // The link first, as linking it again does, then its devices in the order of those who only write what they are like.
      const held = await store.hold(transaction, link);
      if (held?.linkedAt !== linkedAt || !(await take(transaction))) return NOTHING;
      const of = { account, link: link.link, vendor, userRef: held.userRef };
      return devices.relist(transaction, of, { found, granted, began, evidence });
    });
    const { added, changed, removed } = relisted;
    const others = [...added, ...changed, ...removed].map((id) => ({ id }));
    if (others.length === 0) return relisted;
    await devices.changed(account, others);
    await events.emit('relisted', { account, link: link.link, vendor, added, changed, removed });
    return relisted;
  };
}

export { type OAuthAdapter, tokensFor } from './exchange-code.ts';

export { createLinkCodes, type LinkCodes } from './link-codes.ts';
export { createLinkSessions, type LinkSessions } from './link-sessions.ts';
export type { Linking } from './make-link.ts';
export { countLinksOf, countRefused, createLinkCounts, type LinkCount } from './store.ts';

export { createSignInStore, type LinkSessionRow } from './store-sign-ins.ts';

export { createVendorOAuth, type Finished, type OwnSession, type VendorOAuth } from './vendor-oauth.ts';

/** The message on the bus when a link's connections are to end. */
interface Dropped extends LinkOf {
  readonly from: string;
  readonly reason: DropReason;
}

const DROPPED = topic<Dropped>('links.dropped');

export interface ListedLink {
  readonly id: string;
  readonly vendor: string;
  readonly user_ref: string;
  readonly status: LinkStatus;
  readonly status_since: string;
  readonly status_reason: string | null;
  readonly created_at: string;
  readonly device_count: number;
  /** What the user has not granted, in the vendor's words: devices lack the capabilities that take it. */
  readonly missing_permissions: readonly string[];
  /** SE1 to SE4, whose spot prices its energy has; null where nobody has said it. */
  readonly price_area: string | null;
  /** When one of its devices was read last. */
  readonly last_read_at: string | null;
  /** It is deleted when its devices have left their set-points, and at this time at the latest. */
  readonly removed_by: string | null;
}

/** Which links, and where the page begins. */
interface LinksQuery extends Omit<LinkFilter, 'account' | 'after'> {
  readonly cursor?: string | undefined;
}

const PAGE = 1_000;

/** Linked vendor accounts. */
export function createLinks(options: LinksOptions) {
  const { calls, devices, setPoints, events } = options;
  const { database, log } = options.host;
  const { bus } = database;
  const store = createLinkStore(database);
  const self = crypto.randomUUID();

  DROPPED.on(bus, ({ from, vendor, account, link, reason }) => {
    calls.forget({ account, link });
    if (reason !== 'taken_over') calls.closeConnections({ account, link });
    if (from !== self || reason !== 'taken_over') calls.server(vendor)?.drop({ account, link }, reason);
  });

  /** Every process forgets the link, and ends its station's connection; `taken_over` spares the process that says so. */
  const drop = async ({ vendor, account, link }: LinkOf, reason: DropReason): Promise<void> => {
    await DROPPED.publishAndWait(bus, { from: self, vendor, account, link, reason });
  };

  // Who linked again after the permission was taken back is not meant.
  events.on('loginLost', async ({ vendor, vendorAccount, at }) => {
    for (const row of await store.expecting(vendor, vendorAccount))
      if (row.linkedAt <= at)
        await calls.note(row, 'needs_relink', 'the user took the permission back at the vendor');
  });

  const remove = createRemoval(options, { store, drop });
  events.on('released', async ({ account, link, linkedAt }) => {
    await remove(account, link, { ifLinkedAt: linkedAt });
  });

  /** A page of an account's links, oldest first. Devices are counted for the links of the page alone. */
  async function page(
    account: number,
    { cursor, limit, ...filter }: LinksQuery,
  ): Promise<{ readonly links: readonly ListedLink[]; readonly next: string | null }> {
    const after = cursor === undefined ? undefined : decodeCursor(cursor);
    // One more than asked for tells whether there is a next page.
    const found = await store.page({ ...filter, account, after, limit: limit + 1 });
    const { rows, next } = pageOf(found, limit, ({ createdAt, link }) => ({ at: createdAt, id: link }));
    const of = { account, links: rows.map(({ link }) => link) };
    const [counts, missing, removals] = await Promise.all([
      devices.countByLink(of),
      devices.missingPermissions(of),
      setPoints.removals(of),
    ]);
    const links = rows.map((row) => ({
      id: row.link,
      vendor: row.vendor,
      user_ref: row.userRef,
      status: row.status,
      status_since: rfc3339(row.statusSince),
      status_reason: row.statusReason,
      created_at: rfc3339(row.createdAt),
      device_count: counts.get(row.link)?.devices ?? 0,
      missing_permissions: missing.get(row.link) ?? [],
      price_area: row.priceArea,
      last_read_at: readAtOf(counts.get(row.link)?.readAt),
      removed_by: momentOf(removals.get(row.link)),
    }));
    return { links, next };
  }

  return {
    ...createLinkMaker(options, { store, drop }),
    remove,
    relisted: createRelist(options, store),

    page,

    /** All links that match, from as many pages as it takes. */
    async list(account: number, filter: Omit<LinksQuery, 'limit' | 'cursor'> = {}): Promise<ListedLink[]> {
      const all: ListedLink[] = [];
      let cursor: string | undefined;
      do {
        const { links, next } = await page(account, { ...filter, limit: PAGE, cursor });
        all.push(...links);
        cursor = next ?? undefined;
      } while (cursor !== undefined);
      return all;
    },

    /** Says in which price area its devices are; null: not known. Throws `link.not_found`. */
    async setPriceArea(key: LinkKey, area: PriceArea | null): Promise<void> {
      if (!(await store.setPriceArea(key, area))) throw linkNotFound(key.link);
    },

    /** Links of all accounts that expect a station of this identity. */
    async expecting(vendor: string, identity: string): Promise<Expected[]> {
      const rows = await store.expecting(vendor, identity);
      return rows.map((row) => ({
        account: row.account,
        link: row.link,
        credentials: calls.credentials.unseal(row),
      }));
    },

    /** A station has reported its devices. */
    async discovered(vendor: string, key: LinkKey, found: Linked['devices']): Promise<void> {
      const row = await calls.stored(key);
      if (row === undefined) return;
      const old = await devices.ofLink(row);
      await database.transaction((transaction) =>
        devices.replace(transaction, row, { found, granted: undefined }),
      );
      await devices.changed(key.account, [...old, ...found]);
      log.info({ vendor, link: key.link, devices: found.length }, 'a station reported its devices');
    },

    /** A station has connected to this process: the others end the connection they may still hold. */
    takenOver: (vendor: string, key: LinkKey): Promise<void> => drop({ ...key, vendor }, 'taken_over'),
  };
}

export type Links = ReturnType<typeof createLinks>;

const momentOf = (at: number | undefined): string | null => (at === undefined ? null : rfc3339(at));

/** 0 stands for a device that must be read again. */
function readAtOf(at: number | null | undefined): string | null {
  return at == null || at === 0 ? null : rfc3339(at);
}
