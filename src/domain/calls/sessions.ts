import type { StationServer } from '../../adapter/dial-in.ts';
import type { Tokens } from '../../adapter/login.ts';
import { type Documents, type LinkKey, type Session, WITHOUT_CALLS } from '../../adapter/session.ts';
import type { StreamSession } from '../../adapter/stream.ts';
import { BoundedMap } from '../../core/bounded-map.ts';
import type { Clock } from '../../core/clock.ts';
import { DAY_MS } from '../../core/durations.ts';
import type { JsonObject } from '../../core/json.ts';
import { LateChild, type Log } from '../../core/log.ts';
import type { Bus } from '../../db/bus.ts';
import { topic } from '../../db/topic.ts';
import type { Caller, Calls } from './calls.ts';
import type { LinkRow, LinkStatus, LinkStore } from './store.ts';
import { undecipherable, type Vault } from './vault.ts';

const CREDENTIALS = 'credentials';
const NOTED = topic<LinkKey>('links.noted');
const CACHED_LINKS = 5_000;
/** Incidents of vendors are over by then. */
const REFUSED_MS = DAY_MS;

/** Opens sessions for linked vendor accounts, and keeps what is needed for that in memory. */
export interface Sessions {
  /** The link, with its credentials still sealed; undefined when it is gone. */
  find(link: LinkKey): Promise<LinkRow | undefined>;
  open(row: LinkRow, caller: Caller): Session;
  /** A session that may open a connection to the vendor, and tells what comes over it. */
  openStream(row: LinkRow, caller: Caller, sinks: Pick<StreamSession, 'observed' | 'tell'>): StreamSession;
  readonly signals: Calls['signals'];
  /** A session for a link that is being made. */
  openNew(
    row: Omit<LinkRow, 'sealed'>,
    made: { readonly credentials: JsonObject; readonly tokens: Tokens | undefined },
    caller: Caller,
  ): { readonly session: Session /** The tokens as they are by now. */; tokens(): Tokens | undefined };
  seal(link: LinkKey, credentials: JsonObject): LinkRow['sealed'];
  unseal(row: LinkRow): JsonObject;
  documents(link: LinkKey): Documents;
  /** Remembers how the last call went; writes only what changed. */
  note(row: LinkRow, status: LinkStatus, reason: string | null): Promise<void>;
  /** Remembers that the vendor refuses tokens that it has just issued: after a day of nothing else the user has to link again. */
  noteRefused(row: LinkRow, reason: string): Promise<void>;
  /** Called when a link works again that was thought to need linking again. */
  onHealed(tell: (row: LinkRow) => Promise<void>): void;
  /** Remembers what a failure says of further calls. */
  readonly learn: Calls['learn'];
  /** Lets a sign-in that was lost be tried once more, where that asks no password. */
  tryAgain(row: LinkRow): Promise<void>;
  forget(link: LinkKey): void;
  forgetAll(): void;
  /** Stations of a vendor that dial in to this process. */
  attach(vendor: string, server: StationServer): void;
  server(vendor: string): StationServer | undefined;
}

interface SessionsOptions {
  readonly bus: Bus;
  readonly store: LinkStore;
  readonly vault: Vault;
  readonly calls: Calls;
  /** Whether the operator has set an address for a host of a vendor. */
  readonly hasOwnAddress: (vendor: string, host: string) => boolean;
  readonly clock: Clock;
  readonly log: Log;
}

export function createSessions(options: SessionsOptions): Sessions {
  const { bus, store, vault, calls, hasOwnAddress, clock, log } = options;
  const rows = new BoundedMap<string, LinkRow>(CACHED_LINKS);
  /** Counts what was forgotten: a row that was read before must not be kept after. */
  let forgotten = 0;
  const servers = new Map<string, StationServer>();
  const healed: ((row: LinkRow) => Promise<void>)[] = [];
  const keyOf = ({ account, link }: LinkKey) => `${account}/${link}`;
  const forget = (link: LinkKey) => {
    forgotten += 1;
    rows.delete(keyOf(link));
  };
  NOTED.on(bus, forget);

  const documents = (link: LinkKey): Documents => ({
    get: (name) => store.getDocument({ account: link.account, link: link.link, name }),
    put: (name, value) =>
      store.putDocument({ account: link.account, link: link.link, name, value, at: clock.now() }),
    remove: (name) => store.removeDocument(link, name),
  });

  const sessionOf = (
    row: Omit<LinkRow, 'sealed'>,
    credentials: JsonObject,
    { signal, http }: Pick<Session, 'signal' | 'http'>,
  ): Session => {
    const server = servers.get(row.vendor);
    const station = server?.station(row);
    return {
      account: row.account,
      link: row.link,
      userRef: row.userRef,
      linkedAt: row.createdAt,
      credentials,
      clock,
      log: new LateChild(log, { vendor: row.vendor, link: row.link }),
      documents: documents(row),
      signal,
      ...WITHOUT_CALLS,
      hasOwnAddress: (host) => hasOwnAddress(row.vendor, host),
      http,
      signals: calls.signals.of(row),
      ...(station === undefined ? {} : { station }),
      ...(server === undefined ? {} : { frames: () => server.frames(row) }),
    };
  };

  async function write(
    row: LinkRow,
    { status, reason, refusedSince }: Pick<LinkRow, 'status' | 'refusedSince'> & { reason: string | null },
  ): Promise<void> {
    const kept = rows.get(keyOf(row));
    if (kept !== undefined && kept.linkedAt !== row.linkedAt) return;
    const known = kept ?? row;
    // That a vendor cannot be reached is no news of a link that has to be linked again: only a call that goes well is.
    if (known.status === 'needs_relink' && status === 'unreachable') return;
    if (known.status === status && known.statusReason === reason && known.refusedSince === refusedSince)
      return;
    const statusSince = known.status === status ? known.statusSince : clock.now();
    const written = { status, statusSince, statusReason: reason, refusedSince };
    if (kept !== undefined) rows.set(keyOf(row), { ...kept, ...written });
    await store.setStatus(row, written);
    // Another process that remembers the old status would take its own good calls for no news.
    await NOTED.publish(bus, { account: row.account, link: row.link });
    if (known.status === 'needs_relink' && status === 'active')
      for (const tell of healed) await tell({ ...known, ...written });
  }

  const unseal = (row: LinkRow): JsonObject => {
    try {
      return JSON.parse(vault.open(row.sealed, { ...row, field: CREDENTIALS })) as JsonObject;
    } catch (cause) {
      throw undecipherable(cause);
    }
  };

  return {
    async find(link) {
      const known = rows.get(keyOf(link));
      if (known !== undefined) return known;
      const before = forgotten;
      const row = await store.find(link);
      if (row === undefined || forgotten !== before) return row;
      rows.set(keyOf(link), row);
      return row;
    },
    open(row, caller) {
      const credentials = unseal(row);
      const http = calls.ofLink(row, credentials, caller);
      return sessionOf(row, credentials, { signal: caller.signal, http });
    },
    openStream(row, caller, sinks) {
      const credentials = unseal(row);
      const http = calls.ofLink(row, credentials, caller);
      return {
        ...sessionOf(row, credentials, { signal: caller.signal, http }),
        connect: calls.socketOf(row, credentials, caller),
        events: calls.eventsOf(row, credentials, caller),
        observed: sinks.observed,
        tell: sinks.tell,
      };
    },
    signals: calls.signals,
    openNew(row, { credentials, tokens }, caller) {
      const made = calls.ofNew({ link: row, credentials, tokens }, caller);
      return {
        session: sessionOf(row, credentials, { signal: caller.signal, http: made.http }),
        tokens: made.tokens,
      };
    },
    seal: ({ account, link }, credentials) =>
      vault.seal(JSON.stringify(credentials), { account, link, field: CREDENTIALS }),
    unseal,
    documents,
    async note(row, status, reason) {
      const { refusedSince } = rows.get(keyOf(row)) ?? row;
      await write(row, { status, reason, refusedSince: status === 'active' ? null : refusedSince });
    },
    async noteRefused(row, reason) {
      const now = clock.now();
      const refusedSince = (rows.get(keyOf(row)) ?? row).refusedSince ?? now;
      const status = now - refusedSince >= REFUSED_MS ? 'needs_relink' : 'unreachable';
      await write(row, { status, reason, refusedSince });
    },
    onHealed: (tell) => void healed.push(tell),
    learn: calls.learn,
    tryAgain: (row) => calls.tryAgain(row),
    forget,
    forgetAll() {
      forgotten += 1;
      rows.clear();
    },
    attach: (vendor, server) => servers.set(vendor, server),
    server: (vendor) => servers.get(vendor),
  };
}
