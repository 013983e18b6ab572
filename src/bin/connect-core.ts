import type { Adapter } from '../adapter/adapter.ts';
import { GATEWAY_FIELD } from '../adapter/credential-fields.ts';
import type { Reach } from '../adapter/reach.ts';
import type { LinkKey, LinkOf } from '../adapter/session.ts';
import { webhookSecretOf } from '../adapter/webhook.ts';
import type { Outbound } from '../core/outbound.ts';
import type { Host } from '../db/host.ts';
import type { Accounts } from '../domain/access/accounts/index.ts';
import { createCommands } from '../domain/devices/commands/index.ts';
import { createDeliveries } from '../domain/devices/deliveries/index.ts';
import {
  type CommandedDevice,
  createDevices,
  type Devices,
  type Relisted,
} from '../domain/devices/devices/index.ts';
import { createPolling } from '../domain/devices/polling/index.ts';
import {
  createSetPointRecords,
  createSetPoints,
  createWills,
  type SetPoints,
  type WillsOfGateways,
} from '../domain/devices/set-points/index.ts';
import { createStreams } from '../domain/devices/streams/index.ts';
import { createClosing } from '../domain/links/closing/index.ts';
import { createDiscovery, type Discovery } from '../domain/links/discovery/index.ts';
import { createEndUsers } from '../domain/links/end-users/index.ts';
import {
  createDiscover,
  createGateways,
  createPresence,
  createRelay,
  type Discover,
  type Discovered,
  type GatewayKey,
  type Relay,
} from '../domain/links/gateways/index.ts';
import { createLinkCodes, createLinks, type Linking, type Links } from '../domain/links/links/index.ts';
import type { Prices } from '../domain/market/prices/index.ts';
import { createChargingSessions } from '../domain/records/charging-sessions/index.ts';
import { createEventLog } from '../domain/records/events/index.ts';
import { createHistory, type Kept } from '../domain/records/history/index.ts';
import { createSubscriptions, type Poster } from '../domain/records/subscriptions/index.ts';
import { createBudgets } from '../domain/vendor-calls/budgets/index.ts';
import {
  type Calls,
  createCalls,
  createLinkEvents,
  type Sealed,
  type Vault,
} from '../domain/vendor-calls/calls/index.ts';
import { createInterventions } from '../domain/vendor-calls/interventions/index.ts';

interface Parts {
  readonly relay: Relay;
  readonly vault: Vault;
  readonly calls: Pick<Calls, 'find'>;
  readonly devices: Pick<Devices, 'find'>;
  readonly links: Links;
  readonly discovery: Discovery;
  readonly setPoints: SetPoints;
  readonly discover: Discover;
}

interface LinkMessage extends Omit<Parameters<Links['link']>[0], 'credentials' | 'begun'> {
  readonly gateway: string | null;
  /** The credentials: other processes get them over the database. */
  readonly sealed: Sealed;
}

type EndMessage = Parameters<SetPoints['end']>[0];

/** What only the process can do that a gateway is connected to, for callers of every process. */
function doneWhereGatewaysAre(parts: Parts) {
  const { relay, vault, calls, devices, links, discovery, setPoints } = parts;
  const gatewayOf = async (link: LinkKey): Promise<string | undefined> =>
    (await calls.find(link))?.gateway ?? undefined;
  const boundTo = ({ account }: Pick<LinkOf, 'account'>) => ({ account, link: '', field: 'relayed' });

  const link = relay<LinkMessage, Linking>({
    name: 'links.link',
    gatewayOf: async ({ gateway }) => gateway ?? undefined,
    work: ({ sealed, gateway: _, ...message }, begun) => {
      const credentials: unknown = JSON.parse(vault.open(sealed, boundTo(message)));
      return links.link({ ...message, credentials, begun });
    },
  });
  const refresh = relay<LinkKey, Relisted>({
    name: 'links.refresh',
    gatewayOf,
    work: discovery.refresh,
  });
  const end = relay<EndMessage, CommandedDevice>({
    name: 'set-points.end',
    gatewayOf: async ({ account, deviceId, vendor }) =>
      gatewayOf((await devices.find(account, deviceId, vendor)).row),
    work: setPoints.end,
  });
  const discover = relay<GatewayKey, Discovered>({
    name: 'gateways.discover',
    gatewayOf: async ({ id }) => id,
    work: parts.discover,
  });
  const nothingToNote = async () => {};
  return {
    links: {
      ...links,
      link: (request: Parameters<Links['link']>[0]): Promise<Linking> => {
        const { begun, credentials, ...message } = request;
        const gateway = gatewayIn(credentials);
        if (gateway === null) return links.link(request);
        const sealed = vault.seal(JSON.stringify(credentials), boundTo(message));
        return link({ ...message, gateway, sealed }, begun);
      },
    },
    discovery: { ...discovery, refresh: (key: LinkKey) => refresh(key, nothingToNote) },
    discover: (gateway: GatewayKey) => discover(gateway, nothingToNote),
    setPoints: { ...setPoints, end: (message: EndMessage) => end(message, nothingToNote) },
  };
}

/** They have not been checked yet. */
function gatewayIn(credentials: unknown): string | null {
  if (typeof credentials !== 'object' || credentials === null || !(GATEWAY_FIELD in credentials)) return null;
  const { [GATEWAY_FIELD]: gateway } = credentials;
  return typeof gateway === 'string' ? gateway : null;
}

interface ConnectCoreOptions {
  readonly host: Host;
  readonly adapters: ReadonlyMap<string, Adapter>;
  readonly vault: Vault;
  readonly reach: Reach;
  readonly outbound: Outbound;
  /** Posts events to receivers of accounts. */
  readonly poster: Poster;
  /** Whether the operator has set an address for a host of a vendor. */
  readonly hasOwnAddress: (vendor: string, host: string) => boolean;
  /** Where a vendor is to post to; undefined where it could not reach us. */
  readonly webhookUrlOf: (vendor: string) => string | undefined;
  /** Whether a simulator stands in for the vendor. */
  readonly isSimulated: (vendor: string) => boolean;
  /** Whether an address of the operator, or a simulator, stands for the devices of all users of a vendor. */
  readonly standsIn: (vendor: string) => boolean;
  /** How many links an account may have. */
  readonly mostLinks: (account: number) => Promise<number>;
  readonly accounts: Pick<Accounts, 'noteChange' | 'isSuspended' | 'closing' | 'watchClosing' | 'clearAudit'>;
  /** Ends the connection of a gateway to this process. */
  readonly dropGateway?: (gateway: string) => void;
  /** What gateways that are connected to this process do when they lose it. */
  readonly willsOfGateways?: WillsOfGateways;
  readonly historyKept: Kept;
  readonly prices: Pick<Prices, 'energyCosts' | 'history'>;
  /** Fires when vendors that are still silent are given up. */
  readonly stopping?: AbortSignal;
}

/** The domains of Connect put together, without HTTP: each is made after those that it uses, and subscribes to the events of links. */
export async function createConnectCore(options: ConnectCoreOptions) {
  const { host, adapters, vault, reach } = options;
  const { instance } = host.database;
  const events = createLinkEvents(host.log);
  // The log is open before anything is written into it.
  const eventLog = await createEventLog(host);
  const history = createHistory({
    ...{ host, prices: options.prices, eventLog },
    kept: options.historyKept,
  });
  const sessions = createChargingSessions({
    ...{ host, adapters, prices: options.prices, eventLog },
    keptDays: options.historyKept.quarterDays,
  });
  const subscriptions = createSubscriptions({ host, vault, eventLog, poster: options.poster });
  const budgets = createBudgets(host);
  const interventions = createInterventions({ host, adapters });
  const calls = createCalls({ ...options, budgets, events, interventions });
  const devices = createDevices({ host, adapters, calls, interventions, eventLog });
  const streams = createStreams({ host, adapters, calls, devices, events, instance });
  const polling = createPolling({
    ...{ host, adapters, calls, devices, streams, budgets, events },
    isSuspended: (account) => options.accounts.isSuspended(account),
    instance,
  });
  const deliveries = createDeliveries({
    ...{ host, adapters, calls, devices, events },
    secretOf: (vendor) => webhookSecretOf(adapters.get(vendor) ?? {}, reach.partnerOf(vendor)),
    urlOf: options.webhookUrlOf,
  });
  const wills = createWills({ gateways: options.willsOfGateways, calls, log: host.log });
  const records = createSetPointRecords(host, wills);
  const commands = await createCommands({ host, adapters, calls, devices, setPoints: records, events });
  const setPoints = createSetPoints({
    ...{ host, adapters, records, devices, calls, events },
    queue: commands.queue,
  });
  const linkCodes = createLinkCodes({ ...host, vault });
  const dropGateway = ({ id }: GatewayKey) => options.dropGateway?.(id);
  const gateways = createGateways({
    host,
    accounts: options.accounts,
    mostGateways: options.mostLinks,
    drop: dropGateway,
  });
  events.on('unreachable', devices.unreachable);
  const presence = createPresence({
    ...{ host, calls, devices, events },
    instance,
    drop: dropGateway,
  });
  const discover = createDiscover({
    ...{ host, adapters, calls, devices, gateways: reach.gateways },
    standsIn: options.standsIn,
  });
  const links = createLinks({
    ...{ ...options, calls, devices, interventions, setPoints, events, linkCodes },
    requireGateway: gateways.find,
  });
  const discovery = createDiscovery({ host, adapters, calls, devices, links, events, instance });
  const relay = createRelay({ database: host.database, gateways: reach.gateways });
  const relayed = doneWhereGatewaysAre({
    ...{ relay, vault, calls, devices, links, discovery, setPoints, discover },
  });
  const endUsers = createEndUsers({
    ...{ host, eventLog, history, sessions, subscriptions, links: relayed.links },
    accounts: options.accounts,
  });
  const closing = createClosing({
    ...{ host, adapters, gateways, subscriptions, links: relayed.links },
    accounts: options.accounts,
  });
  return {
    closing,
    ...{ budgets, calls, devices, streams, polling, deliveries, linkCodes, commands, gateways, presence },
    ...relayed,
    endUsers,
    eventLog,
    history,
    sessions,
    subscriptions,
    interventions,
  };
}

export type ConnectCore = Awaited<ReturnType<typeof createConnectCore>>;
