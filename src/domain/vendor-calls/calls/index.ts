import type { Adapter } from '../../../adapter/adapter.ts';
import { adapterOf } from '../../../adapter/adapters.ts';
import type { Reach, Whereabouts } from '../../../adapter/reach.ts';
import type { LinkKey, LinkOf } from '../../../adapter/session.ts';
import { AppError } from '../../../core/errors.ts';
import type { Outbound } from '../../../core/outbound.ts';
import type { Host } from '../../../db/host.ts';
import type { Budgets } from '../budgets/index.ts';
import type { Interventions } from '../interventions/index.ts';
import { createApplicationCertificates } from './application-certificates.ts';
import { createClients } from './clients.ts';
import type { DeviceOf, LinkEvents } from './events.ts';
import { createSignals } from './events.ts';
import { createLinkRecords } from './link-records.ts';
import { createCredentials, createSessions } from './sessions.ts';
import { createDocumentStore, createLinkRowStore } from './store-links.ts';
import { createTokenStore } from './store-tokens.ts';
import { createApplicationCertificateStore } from './store-vault.ts';
import { createTokens } from './tokens.ts';
import type { Vault } from './vault.ts';
import { createWithVendor } from './with-vendor.ts';

export { createLinkEvents, type DeviceOf, type LinkEvents } from './events.ts';
export { clientRefused } from './refresh-grant.ts';
export { requireVaultKeys, rotateVault, type Unreadable } from './rotate.ts';
export type { Given, NewLink } from './sessions.ts';
export { type LinkRow, type LinkStatus, linkRowOf } from './store-links.ts';
export { APPLICATION_CERTIFICATE, SUBSCRIPTION_SECRETS } from './store-vault.ts';
export { VENDOR_TIMEOUT_MS } from './time-limit.ts';
export { createVault, type Sealed, type Vault } from './vault.ts';
export { createVendorHttp } from './vendor-http.ts';

interface CallsOptions {
  readonly host: Host;
  readonly adapters: ReadonlyMap<string, Adapter>;
  readonly budgets: Budgets;
  readonly vault: Vault;
  readonly reach: Reach;
  readonly outbound: Outbound;
  readonly events: LinkEvents;
  readonly interventions: Pick<Interventions, 'withSignIn'>;
  /** Whether the operator has set an address for a host of a vendor. */
  readonly hasOwnAddress: (vendor: string, host: string) => boolean;
  /** Fires when vendors that are still silent are given up. */
  readonly stopping?: AbortSignal;
}

/** Calls to vendors for links, and what is kept for them. */
export function createCalls(options: CallsOptions) {
  const { host, adapters, budgets, vault, reach, events, outbound } = options;
  const { database, clock, log } = host;
  const { bus } = database;
  const store = createLinkRowStore(database);
  const tokens = createTokens({ bus, store: createTokenStore(database), vault, clock, log });
  const credentials = createCredentials(vault);
  const signals = createSignals(clock);
  const records = createLinkRecords({
    ...{ bus, store, clock, interventions: options.interventions },
    healed: (row) => events.emit('healed', row),
    unreachable: (row) => events.emit('unreachable', row),
  });
  const applicationOf = createApplicationCertificates({
    store: createApplicationCertificateStore(database),
    make: (uri) => {
      if (reach.connections === undefined) throw new Error('no connections can be opened here');
      return reach.connections.makeApplicationCertificate(uri);
    },
    ...{ vault, clock, random: host.random },
  });
  const clients = createClients({ adapters, reach, tokens, budgets, applicationOf, clock });
  const sessions = createSessions({
    documents: createDocumentStore(database),
    ...{ credentials, clients, signals, clock, log },
    hasOwnAddress: options.hasOwnAddress,
  });
  const { find, note, forget } = records;
  const { documents, attach, server } = sessions;
  /** Whether the station of a dial-in link is connected to this process. */
  const isConnectedHere = (link: LinkOf): boolean => server(link.vendor)?.station(link) !== undefined;
  const gatewayOf = async (link: LinkKey) => (await find(link))?.gateway ?? null;
  const { withVendor, withStream, withNewLink, withCandidate, succeededAt } = createWithVendor({
    ...{ host, records, sessions, clients, signals, events, outbound },
    ...(options.stopping === undefined ? {} : { stopping: options.stopping }),
  });
  const isHere = async (link: LinkOf): Promise<boolean> => {
    const { dialIn, isLocal } = adapterOf(adapters, link.vendor);
    if (dialIn !== undefined) return isConnectedHere(link);
    const gateway = isLocal === true ? await gatewayOf(link) : null;
    return gateway === null || reach.gateways?.isHere(gateway) === true;
  };
  const nowhere: Whereabouts = { isElsewhere: false, heardAt: null, why: 'no gateways connect here' };
  return {
    ...{ withVendor, withStream, withNewLink, withCandidate, succeededAt },
    ...{ find, note, forget, documents, attach, server },
    ...{ tokens, signals, credentials },
    outbound,
    loginSession(...given: Parameters<typeof clients.loginSession>) {
      outbound.require();
      return clients.loginSession(...given);
    },
    /** The link as the database has it; `find` may answer from memory. */
    stored: (link: LinkKey) => store.find(link),
    closeConnections: clients.close,
    isConnectedHere,

    /** Whether this process makes the calls of a link: its station or its gateway is connected here, or it needs neither. */
    isHere,

    /** What is known of the gateway of a link where that is connected to no process; undefined where nothing says so. */
    async gatewayAway(link: LinkOf): Promise<Whereabouts | undefined> {
      if (await isHere(link)) return undefined;
      const gateway = await gatewayOf(link);
      if (gateway === null) return undefined;
      const known = (await reach.gateways?.whereabouts(gateway)) ?? nowhere;
      return known.isElsewhere ? undefined : known;
    },

    /** Why no process makes the calls of a link. */
    async whyNowhere(link: DeviceOf): Promise<AppError> {
      const gateway = await gatewayOf(link);
      if (gateway === null)
        return new AppError('device.offline', `the station of ${link.id} is not connected`);
      const { why } = (await reach.gateways?.whereabouts(gateway)) ?? nowhere;
      return new AppError('vendor.unreachable', `${link.id} is unreachable: ${why}`);
    },
  };
}

export type Calls = ReturnType<typeof createCalls>;
