import type { TSchema } from 'typebox';
import type { Adapter, Linked } from '../../adapter/adapter.ts';
import type { Expected } from '../../adapter/dial-in.ts';
import type { Tokens } from '../../adapter/login.ts';
import type { LinkKey } from '../../adapter/session.ts';
import { type Clock, rfc3339 } from '../../core/clock.ts';
import { AppError } from '../../core/errors.ts';
import { type Random, randomId } from '../../core/ids.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Log } from '../../core/log.ts';
import type { Database } from '../../db/database.ts';
import type { CallVendor, Devices } from '../devices/index.ts';
import type { Calls } from './calls.ts';
import type { LinkCodes } from './link-codes.ts';
import type { Sessions } from './sessions.ts';
import { markedAsSimulated } from './simulated-names.ts';
import type { LinkRow, LinkStatus, LinkStore } from './store.ts';
import type { TokensOfLinks } from './tokens.ts';

export { type Calls, createCalls, type SocketRequest } from './calls.ts';
export { createLinkCodes, type LinkCodes } from './link-codes.ts';
export { createLinkSessions, type LinkSessions } from './link-sessions.ts';
export { type Rotation, rotateVault } from './rotate.ts';
export { createSessions, type Sessions } from './sessions.ts';
export { createSignIn, type Finished, type SignIn } from './sign-in.ts';
export { createSignals, type LinkSignals } from './signals.ts';
export { createSessionSource } from './source.ts';
export { createLinkStore, type LinkStore } from './store.ts';
export { createSignInStore, type LinkSessionRow } from './store-sign-ins.ts';
export { createTokenStore, type TokenStore } from './store-tokens.ts';
export { createStreamSource, type StreamSource } from './stream-source.ts';
export { createTokens, type TokensOfLinks } from './tokens.ts';
export { createVault, type Vault } from './vault.ts';
export { createVendorHttp } from './vendor-http.ts';

const DROPPED = 'links.dropped';
type DropReason = 'deleted' | 'credentials_changed' | 'taken_over';

/** What is told on the bus when a link's connections are to end. */
interface Dropped extends LinkKey {
  readonly from: string;
  readonly vendor: string;
  readonly reason: DropReason;
}

export interface LinkRequest {
  readonly account: number;
  readonly vendor: string;
  readonly userRef: string;
  readonly credentials: unknown;
  /** Called right before the vendor is asked: from then on the request has had an effect. */
  begun(): void;
}

export interface LinkedDevice {
  readonly id: string;
  readonly vendor: string;
  readonly device_type: string;
}

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

/** What an account is signed in with from now on. */
interface Given {
  readonly credentials: JsonObject;
  readonly tokens: Tokens | undefined;
}

type NewRow = Omit<LinkRow, 'sealed'>;
/** What goes on for a link besides calls: its webhooks, its background reading, its stream. */
export interface LinkWatcher {
  /** It was linked, anew or again, or its devices are others now. */
  linked(link: LinkKey & { vendor: string }): Promise<void>;
  /** It is about to be removed; `isLast` when no other link shares its vendor account. */
  unlinking?(link: LinkKey & { vendor: string }, isLast: boolean): Promise<void>;
  /** It is gone. */
  unlinked?(link: LinkKey & { vendor: string }): Promise<void>;
}

interface LinksOptions {
  readonly database: Database;
  readonly store: LinkStore;
  readonly sessions: Sessions;
  readonly devices: Devices;
  readonly adapters: ReadonlyMap<string, Adapter>;
  readonly callVendor: CallVendor;
  readonly calls: Calls;
  readonly tokens: TokensOfLinks;
  readonly linkCodes: LinkCodes;
  /** Whether a simulator stands in for the vendor. */
  readonly isSimulated: (vendor: string) => boolean;
  readonly watchers?: readonly LinkWatcher[];
  /** Checks credentials against the vendor's schema and says what is wrong with them. */
  readonly checkCredentials: (schema: TSchema, credentials: unknown) => JsonObject;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** Linked vendor accounts. */
export function createLinks(options: LinksOptions) {
  const { database, store, sessions, devices, adapters, callVendor, clock, random, log } = options;
  const { calls, tokens, linkCodes, watchers = [] } = options;
  const { bus } = database;
  const self = crypto.randomUUID();
  const linking = new Map<string, Promise<unknown>>();

  bus.on(DROPPED, (message) => {
    const { from, vendor, account, link, reason } = message as unknown as Dropped;
    sessions.forget({ account, link });
    if (from !== self || reason !== 'taken_over') sessions.server(vendor)?.drop({ account, link }, reason);
    return undefined;
  });
  bus.onGap(() => sessions.forgetAll());

  /** Every process forgets the link, and ends its station's connection; `taken_over` spares the process that says so. */
  const drop = (row: LinkKey & { vendor: string }, reason: DropReason): Promise<void> =>
    bus.publishAndWait(DROPPED, {
      from: self,
      vendor: row.vendor,
      account: row.account,
      link: row.link,
      reason,
    });

  const adapterOf = (vendor: string): Adapter => {
    const adapter = adapters.get(vendor);
    if (adapter !== undefined) return adapter;
    const known = [...adapters.keys()].sort().join(', ');
    throw new AppError(
      'vendor.unknown',
      `there is no vendor "${vendor.slice(0, 60)}"; GET /vendors lists them: ${known}`,
    );
  };

  async function link(request: LinkRequest): Promise<LinkedDevice[]> {
    const { account, vendor, userRef } = request;
    const adapter = adapterOf(vendor);
    const given = options.checkCredentials(adapter.credentials, request.credentials);
    request.begun();
    if (adapter.oauth === undefined) {
      const signIn = (row: NewRow, signal: AbortSignal) =>
        adapter.login?.signIn?.(calls.loginSession(adapter, { ...row, credentials: given }, signal), given);
      return linkAs({ account, vendor, userRef, credentials: given, signIn });
    }
    return linkCodes.spend(vendor, String(given.link_code), (signedIn) =>
      linkSignedIn({ account, vendor, userRef, tokens: signedIn }),
    );
  }

  /** Links an account whose user has signed in at the vendor; there are no credentials to keep. */
  function linkSignedIn(made: {
    readonly account: number;
    readonly vendor: string;
    readonly userRef: string;
    readonly tokens: Tokens;
  }): Promise<LinkedDevice[]> {
    const { account, vendor, userRef, tokens: signedIn } = made;
    return linkAs({ account, vendor, userRef, credentials: {}, signIn: async () => signedIn });
  }

  interface Making {
    readonly account: number;
    readonly vendor: string;
    readonly userRef: string;
    readonly credentials: JsonObject;
    /** The first tokens, where the vendor wants some. */
    readonly signIn: (row: NewRow, signal: AbortSignal) => Promise<Tokens> | undefined;
  }

  async function linkAs(making: Making): Promise<LinkedDevice[]> {
    const { account, vendor, userRef, credentials } = making;
    const adapter = adapterOf(vendor);
    const now = clock.now();
    const provisional: NewRow = {
      account,
      link: randomId(random),
      vendor,
      userRef,
      vendorAccount: '',
      status: 'active' as const,
      statusSince: now,
      statusReason: null,
      createdAt: now,
      linkedAt: now,
    };
    const { linked, tokens: latest } = await callVendor({ vendor, call: 'link' }, async (signal) => {
      try {
        const first = await making.signIn(provisional, signal);
        const opened = sessions.openNew(
          provisional,
          { credentials, tokens: first },
          { signal, call: 'link' },
        );
        const found = await adapter.link(opened.session);
        return { linked: found, tokens: opened.tokens() };
      } catch (error) {
        // Nobody was signed in before: what is refused is what was just given.
        if (error instanceof AppError && error.code === 'vendor.login_expired')
          throw new AppError('link.credentials_refused', error.message, { cause: error });
        throw error;
      }
    });
    // One at a time for a vendor account: two requests that link it at once make one link.
    const key = `${account}/${vendor}/${linked.vendorAccount}`;
    const saved = (linking.get(key) ?? Promise.resolve())
      .catch(() => {})
      .then(() => saveOnce(provisional, linked, { credentials, tokens: latest }));
    linking.set(key, saved);
    return saved.finally(() => linking.get(key) === saved && linking.delete(key));
  }

  /** Another process may have made the same link a moment ago; then this one updates it. */
  async function saveOnce(provisional: NewRow, linked: Linked, given: Given): Promise<LinkedDevice[]> {
    try {
      return await save(provisional, linked, given);
    } catch (error) {
      const { account, vendor } = provisional;
      if ((await store.findByVendorAccount(account, vendor, linked.vendorAccount)) === undefined) throw error;
      return save(provisional, linked, given);
    }
  }

  async function save(provisional: NewRow, linked: Linked, given: Given): Promise<LinkedDevice[]> {
    const { account, vendor } = provisional;
    const adapter = adapterOf(vendor);
    const before = await store.findByVendorAccount(account, vendor, linked.vendorAccount);
    const key = { account, link: before?.link ?? provisional.link };
    const row: LinkRow = {
      ...provisional,
      ...key,
      vendorAccount: linked.vendorAccount,
      createdAt: before?.createdAt ?? provisional.createdAt,
      sealed: sessions.seal(key, linked.credentials ?? given.credentials),
    };
    const told = options.isSimulated(vendor) ? markedAsSimulated(adapter, linked.devices) : linked.devices;
    const old = before === undefined ? [] : await devices.ofLink(row);
    // A station tells its devices itself; what linking said of them holds only until it has.
    const keepsDevices = before !== undefined && adapter.dialIn !== undefined && old.length > 0;
    await database.transaction(async (transaction) => {
      await store.save(transaction, row);
      if (given.tokens !== undefined) await tokens.put(transaction, row, given.tokens);
      if (keepsDevices) await devices.setUserRef(transaction, row);
      else await devices.replace(transaction, row, told);
    });
    if (given.tokens !== undefined) await tokens.forget(row);
    await devices.changed(account, [...old, ...linked.devices]);
    if (before !== undefined) await drop(row, 'credentials_changed');
    await tellWatchers((watcher) => watcher.linked(row));
    const found = await devices.ofLink(row);
    return found.map(({ id, type }) => ({ id, vendor, device_type: type }));
  }

  /** Nothing that goes on besides is worth failing for what has been done: whoever watches looks again by itself. */
  async function tellWatchers(tell: (watcher: LinkWatcher) => Promise<void> | undefined): Promise<void> {
    for (const watcher of watchers)
      await tell(watcher)?.catch((error: unknown) => log.warn({ err: error }, 'a link was not followed up'));
  }

  return {
    link,
    linkSignedIn,

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
      await store.remove(row);
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
