import type { Adapter } from '../adapter/adapter.ts';
import type { Reach } from '../adapter/reach.ts';
import { webhookSecretOf } from '../adapter/webhook.ts';
import type { Host } from '../db/host.ts';
import type { Accounts } from '../domain/accounts/index.ts';
import { createBudgets } from '../domain/budgets/index.ts';
import { createCalls, createLinkEvents, type Vault } from '../domain/calls/index.ts';
import { createChargingSessions } from '../domain/charging-sessions/index.ts';
import { createCommands } from '../domain/commands/index.ts';
import { createDeliveries } from '../domain/deliveries/index.ts';
import { createDevices } from '../domain/devices/index.ts';
import { createDiscovery } from '../domain/discovery/index.ts';
import { createEndUsers } from '../domain/end-users/index.ts';
import { createEventLog } from '../domain/events/index.ts';
import {
  createDiscover,
  createGateways,
  createPresence,
  createRelay,
  type GatewayKey,
} from '../domain/gateways/index.ts';
import { createHistory, type Kept } from '../domain/history/index.ts';
import { createInterventions } from '../domain/interventions/index.ts';
import { createLinkCodes, createLinks } from '../domain/links/index.ts';
import { createPolling } from '../domain/polling/index.ts';
import type { Prices } from '../domain/prices/index.ts';
import {
  createSetPointRecords,
  createSetPoints,
  createWills,
  type WillsOfGateways,
} from '../domain/set-points/index.ts';
import { createStreams } from '../domain/streams/index.ts';
import { createSubscriptions, type Poster } from '../domain/subscriptions/index.ts';
import { doneWhereGatewaysAre } from './elsewhere.ts';

interface ConnectCoreOptions {
  readonly host: Host;
  readonly adapters: ReadonlyMap<string, Adapter>;
  readonly vault: Vault;
  readonly reach: Reach;
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
  readonly accounts: Pick<Accounts, 'noteChange'>;
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
  return {
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
