import type { StationServer } from '../../../adapter/dial-in.ts';
import type { LoginSession, Tokens } from '../../../adapter/login.ts';
import type { Documents, LinkKey, Session } from '../../../adapter/session.ts';
import type { StreamSession } from '../../../adapter/stream.ts';
import type { Clock } from '../../../core/clock.ts';
import type { JsonObject } from '../../../core/json.ts';
import { LateChild, type Log } from '../../../core/log.ts';
import type { Clients } from './clients.ts';
import type { LinkSignals } from './events.ts';
import type { Caller } from './link-calls.ts';
import type { DocumentStore, LinkRow } from './store-links.ts';

import { type Sealed, undecipherable, type Vault } from './vault.ts';

/** A link that is being made: what it is linked with is not stored yet. */
export type NewLink = Omit<LinkRow, 'sealed'>;

/** What a link is made with. */
export interface Given {
  readonly credentials: JsonObject;
  /** The first tokens, where the vendor wants some. */
  readonly signIn: (session: LoginSession) => Promise<Tokens> | undefined;
}

/** What comes over a stream. */
export type Sinks = Pick<StreamSession, 'observed' | 'reported' | 'listChanged'>;

interface SessionsOptions {
  readonly documents: DocumentStore;
  readonly credentials: Credentials;
  readonly clients: Clients;
  readonly signals: LinkSignals;
  /** Whether the operator has set an address for a host of a vendor. */
  readonly hasOwnAddress: (vendor: string, host: string) => boolean;
  readonly clock: Clock;
  readonly log: Log;
}

/** Opens what adapters work with for a link. */
export function createSessions(options: SessionsOptions) {
  const { credentials, clients, signals, hasOwnAddress, clock, log } = options;
  const servers = new Map<string, StationServer>();

  const documents = ({ account, link }: LinkKey): Documents => ({
    get: (name) => options.documents.get({ account, link, name }),
    put: (name, value) => options.documents.put({ account, link, name, value, at: clock.now() }),
    remove: (name) => options.documents.remove({ account, link, name }),
  });

  const sessionOf = (
    row: NewLink,
    opened: JsonObject,
    { caller, http, connect }: { readonly caller: Caller } & Pick<Session, 'http' | 'connect'>,
  ): Session => {
    const server = servers.get(row.vendor);
    const station = server?.station(row);
    return {
      account: row.account,
      link: row.link,
      userRef: row.userRef,
      linkedAt: row.createdAt,
      credentials: opened,
      clock,
      log: new LateChild(log, { vendor: row.vendor, link: row.link }),
      documents: documents(row),
      signal: caller.signal,
      connections: clients.connectionsOf(row, opened, caller),
      hasOwnAddress: (host) => hasOwnAddress(row.vendor, host),
      http,
      connect,
      signals: signals.of(row),
      ...(station === undefined ? {} : { station }),
      ...(server === undefined ? {} : { frames: () => server.frames(row) }),
    };
  };

  function open(row: LinkRow, caller: Caller): Session {
    const opened = credentials.unseal(row);
    const http = clients.ofLink(row, opened, caller);
    return sessionOf(row, opened, { caller, http, connect: clients.socketsOf(row, opened, caller) });
  }

  return {
    documents,
    open,

    /** A session that reports what comes over a connection to the vendor. */
    openStream(row: LinkRow, caller: Caller, sinks: Sinks): StreamSession {
      const session = open(row, caller);
      return {
        ...session,
        events: clients.eventsOf(row, session.credentials, caller),
        ...sinks,
        tell: (name, value) => signals.tell(row, name, value),
      };
    },

    /** Signs in, and opens a session of a link that is being made; `tokens` are those that it has by then. */
    async openNew(
      link: NewLink,
      { credentials: given, signIn }: Given,
      caller: Caller,
    ): Promise<{
      readonly session: Session;
      tokens(): Tokens | undefined;
      /** What is kept with the credentials, and not the adapter's. */
      readonly pinned: JsonObject;
    }> {
      const pinned = await clients.pinnedFor(link, given, caller);
      const credentials = { ...given, ...pinned };
      const first = await signIn(clients.loginSession(link, credentials, caller));
      const made = clients.ofNew({ link, credentials, tokens: first }, caller);
      const session = sessionOf(link, credentials, { ...made, caller });
      return { session, tokens: made.tokens, pinned };
    },

    /** Stations of a vendor that dial in to this process. */
    attach: (vendor: string, server: StationServer) => void servers.set(vendor, server),
    server: (vendor: string) => servers.get(vendor),
  };
}

export type Sessions = ReturnType<typeof createSessions>;

const CREDENTIALS = 'credentials';

/** What users link with, sealed for their link alone. */
interface Credentials {
  seal(link: LinkKey, credentials: JsonObject): Sealed;
  /** Throws `vault.mismatch`. */
  unseal(row: LinkRow): JsonObject;
}

export function createCredentials(vault: Vault): Credentials {
  return {
    seal: ({ account, link }, credentials) =>
      vault.seal(JSON.stringify(credentials), { account, link, field: CREDENTIALS }),
    unseal(row) {
      try {
        return JSON.parse(vault.open(row.sealed, { ...row, field: CREDENTIALS })) as JsonObject;
      } catch (cause) {
        throw undecipherable(cause);
      }
    },
  };
}
