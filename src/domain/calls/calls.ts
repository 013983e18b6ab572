import type { Adapter } from '../../adapter/adapter.ts';
import type { Reach } from '../../adapter/reach.ts';
import type { LinkKey, LinkOf } from '../../adapter/session.ts';
import type { Host } from '../../db/host.ts';
import type { Budgets } from '../budgets/index.ts';
import { createClients } from './clients.ts';
import { createCredentials } from './credentials.ts';
import type { LinkEvents } from './events.ts';
import { createLinkRecords } from './link-records.ts';
import { createSessions } from './sessions.ts';
import { createSignals } from './signals.ts';
import { createDocumentStore } from './store-documents.ts';
import { createLinkRowStore } from './store-links.ts';
import { createTokenStore } from './store-tokens.ts';
import { createTokens } from './tokens.ts';
import type { Vault } from './vault.ts';
import { createWithVendor } from './with-vendor.ts';

interface CallsOptions {
  readonly host: Host;
  readonly adapters: ReadonlyMap<string, Adapter>;
  readonly budgets: Budgets;
  readonly vault: Vault;
  readonly reach: Reach;
  readonly events: LinkEvents;
  /** Whether the operator has set an address for a host of a vendor. */
  readonly hasOwnAddress: (vendor: string, host: string) => boolean;
  /** Fires when vendors that are still silent are given up. */
  readonly stopping?: AbortSignal;
}

/** Calls to vendors for links, and what is kept for them. */
export function createCalls(options: CallsOptions) {
  const { host, adapters, budgets, vault, reach, events } = options;
  const { database, clock, log } = host;
  const { bus } = database;
  const store = createLinkRowStore(database);
  const tokens = createTokens({ bus, store: createTokenStore(database), vault, clock, log });
  const credentials = createCredentials(vault);
  const signals = createSignals(clock);
  const records = createLinkRecords({ bus, store, healed: (row) => events.emit('healed', row), clock });
  const clients = createClients({ adapters, reach, tokens, budgets, clock });
  const sessions = createSessions({
    documents: createDocumentStore(database),
    ...{ credentials, clients, signals, clock, log },
    hasOwnAddress: options.hasOwnAddress,
  });
  const { find, note, forget } = records;
  const { documents, attach, server } = sessions;
  const { withVendor, withStream, withNewLink } = createWithVendor({
    ...{ host, records, sessions, clients, signals, events },
    ...(options.stopping === undefined ? {} : { stopping: options.stopping }),
  });
  return {
    ...{ withVendor, withStream, withNewLink },
    ...{ find, note, forget, documents, attach, server },
    ...{ tokens, signals, credentials },
    loginSession: clients.loginSession,
    /** The link as the database has it; `find` may answer from memory. */
    stored: (link: LinkKey) => store.find(link),
    /** Ends what is open to devices and brokers of a link. */
    closeConnections: (link: LinkKey): void => reach.connections?.closeLink(link),
    /** Whether the station of a dial-in link is connected to this process. */
    isConnectedHere: (link: LinkOf): boolean => server(link.vendor)?.station(link) !== undefined,
  };
}

export type Calls = ReturnType<typeof createCalls>;
