import type { Adapter, Linked } from '../../adapter/adapter.ts';
import type { Expected } from '../../adapter/dial-in.ts';
import type { LinkKey } from '../../adapter/session.ts';
import { rfc3339 } from '../../core/clock.ts';
import { AppError } from '../../core/errors.ts';
import { topic } from '../../db/topic.ts';
import type { LinkStatus } from '../calls/index.ts';
import { createLinkMaker, type DropReason, type LinksOptions, type LinkWatcher } from './make-link.ts';

export { type CardsOfLinks, createCards } from './cards.ts';
export { createLinkCodes, type LinkCodes } from './link-codes.ts';
export { createLinkSessions, type LinkSessions } from './link-sessions.ts';
export type { LinkedDevice, Linking, LinkRequest, LinkWatcher } from './make-link.ts';
export { createSignIn, type Finished, type OwnSession, type SignIn } from './sign-in.ts';
export { createSignInStore, type LinkSessionRow } from './store-sign-ins.ts';

/** What is told on the bus when a link's connections are to end. */
interface Dropped extends LinkKey {
  readonly from: string;
  readonly vendor: string;
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
  /** When one of its devices was read last. */
  readonly last_read_at: string | null;
}

/** Linked vendor accounts. */
export function createLinks(options: LinksOptions) {
  const { database, store, sessions, devices, adapters, callVendor, log } = options;
  const { tokens, watchers = [] } = options;
  const { bus } = database;
  const self = crypto.randomUUID();

  DROPPED.on(bus, ({ from, vendor, account, link, reason }) => {
    sessions.forget({ account, link });
    if (from !== self || reason !== 'taken_over') sessions.server(vendor)?.drop({ account, link }, reason);
  });
  bus.onGap(() => sessions.forgetAll());

  /** Every process forgets the link, and ends its station's connection; `taken_over` spares the process that says so. */
  const drop = async (row: LinkKey & { vendor: string }, reason: DropReason): Promise<void> => {
    const { vendor, account, link } = row;
    await DROPPED.publishAndWait(bus, { from: self, vendor, account, link, reason });
  };

  const adapterOf = (vendor: string): Adapter => {
    const adapter = adapters.get(vendor);
    if (adapter !== undefined) return adapter;
    const known = [...adapters.keys()].sort().join(', ');
    throw new AppError(
      'vendor.unknown',
      `there is no vendor "${vendor.slice(0, 60)}"; GET /vendors lists them: ${known}`,
    );
  };

  /** Nothing that goes on besides is worth failing for what has been done: whoever watches looks again by itself. */
  async function tellWatchers(tell: (watcher: LinkWatcher) => Promise<void> | undefined): Promise<void> {
    for (const watcher of watchers)
      await tell(watcher)?.catch((error: unknown) => log.warn({ err: error }, 'a link was not followed up'));
  }

  // What had been given up for the link begins again.
  sessions.onHealed((row) => tellWatchers((watcher) => watcher.linked(row)));

  const { link, linkSignedIn, requireRoom } = createLinkMaker(options, { adapterOf, drop, tellWatchers });

  return {
    link,
    linkSignedIn,
    requireRoom,

    /** The vendor has told that the user took the permission back at this moment: who linked again since is not meant. */
    async loginLost(of: { vendor: string; vendorAccount: string; at: number }): Promise<void> {
      for (const row of await store.expecting(of.vendor, of.vendorAccount))
        if (row.linkedAt <= of.at)
          await sessions.note(row, 'needs_relink', 'the user took the permission back at the vendor');
    },

    async list(account: number): Promise<ListedLink[]> {
      const [rows, counts] = await Promise.all([store.list(account), devices.countByLink(account)]);
      return rows.map((row) => ({
        id: row.link,
        vendor: row.vendor,
        user_ref: row.userRef,
        status: row.status,
        status_since: rfc3339(row.statusSince),
        status_reason: row.statusReason,
        created_at: rfc3339(row.createdAt),
        device_count: counts.get(row.link)?.devices ?? 0,
        last_read_at: readAtOf(counts.get(row.link)?.readAt),
      }));
    },

    /** Forgets the link with its credentials, documents, devices and states, and revokes at the vendor where it can. */
    async remove(account: number, id: string): Promise<void> {
      const row = await store.find({ account, link: id });
      if (row === undefined) throw new AppError('link.not_found', `there is no link ${id.slice(0, 100)}`);
      const adapter = adapters.get(row.vendor);
      const isLast = (await store.expecting(row.vendor, row.vendorAccount)).length === 1;
      await tellWatchers((watcher) => watcher.unlinking?.(row, isLast));
      if (adapter?.unlink !== undefined) {
        const unlink = adapter.unlink.bind(adapter);
        await callVendor({ vendor: row.vendor, call: 'unlink' }, (signal) =>
          unlink(sessions.open(row, { signal, call: 'unlink' })),
        ).catch((error: unknown) =>
          log.warn({ err: error, vendor: row.vendor }, 'the vendor was not told of an unlinked account'),
        );
      }
      const ids = await devices.ofLink(row);
      await database.transaction(async (transaction) => {
        // The link first, as linking it anew does, then its devices in the order of those who only write what they are like.
        await store.hold(transaction, row);
        await devices.hold(transaction, row);
        await store.remove(transaction, row);
      });
      await tokens.forget(row);
      await drop(row, 'deleted');
      await tellWatchers((watcher) => watcher.unlinked?.(row));
      await devices.changed(account, ids);
    },

    /** Links of all accounts that expect a station of this identity. */
    async expecting(vendor: string, identity: string): Promise<Expected[]> {
      const rows = await store.expecting(vendor, identity);
      return rows.map((row) => ({ account: row.account, link: row.link, credentials: sessions.unseal(row) }));
    },

    /** A station has told its devices. */
    async discovered(vendor: string, key: LinkKey, found: Linked['devices']): Promise<void> {
      const row = await store.find(key);
      if (row === undefined) return;
      const old = await devices.ofLink(row);
      await database.transaction((transaction) => devices.replace(transaction, row, found));
      await devices.changed(key.account, [...old, ...found]);
      log.info({ vendor, link: key.link, devices: found.length }, 'a station told its devices');
    },

    /** A station has connected to this process: the others end the connection they may still hold. */
    takenOver: (vendor: string, key: LinkKey): Promise<void> => drop({ ...key, vendor }, 'taken_over'),
  };
}

export type Links = ReturnType<typeof createLinks>;

/** 0 stands for a device that must be read anew. */
function readAtOf(at: number | null | undefined): string | null {
  return at == null || at === 0 ? null : rfc3339(at);
}
