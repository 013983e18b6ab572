import type { Adapter } from '../adapter/adapter.ts';
import type { Reach } from '../adapter/reach.ts';
import { webhookSecretOf } from '../adapter/webhook.ts';
import type { Host } from '../db/host.ts';
import { createBudgets } from '../domain/budgets/index.ts';
import { createCalls, createLinkEvents, type Vault } from '../domain/calls/index.ts';
import { createCommands } from '../domain/commands/index.ts';
import { createDeliveries } from '../domain/deliveries/index.ts';
import { createDevices } from '../domain/devices/index.ts';
import { createDiscovery } from '../domain/discovery/index.ts';
import { createLinkCodes, createLinks } from '../domain/links/index.ts';
import { createPolling } from '../domain/polling/index.ts';
import { createStreams } from '../domain/streams/index.ts';

interface ConnectCoreOptions {
  readonly host: Host;
  readonly adapters: ReadonlyMap<string, Adapter>;
  readonly vault: Vault;
  readonly reach: Reach;
  /** Whether the operator has set an address for a host of a vendor. */
  readonly hasOwnAddress: (vendor: string, host: string) => boolean;
  /** Where a vendor is to post to; undefined where it could not reach us. */
  readonly webhookUrlOf: (vendor: string) => string | undefined;
  /** Whether a simulator stands in for the vendor. */
  readonly isSimulated: (vendor: string) => boolean;
  /** How many links an account may have. */
  readonly mostLinks: (account: number) => Promise<number>;
  /** Fires when vendors that are still silent are given up. */
  readonly stopping?: AbortSignal;
}

/** The domains of Connect put together, without HTTP: each is made after those that it uses, and subscribes to the events of links. */
export async function createConnectCore(options: ConnectCoreOptions) {
  const { host, adapters, vault, reach } = options;
  const events = createLinkEvents(host.log);
  const budgets = createBudgets(host);
  const calls = createCalls({ ...options, budgets, events });
  const devices = createDevices({ host, adapters, calls });
  const streams = createStreams({ host, adapters, calls, devices, events });
  const polling = createPolling({ host, adapters, calls, devices, streams, budgets, events });
  const deliveries = createDeliveries({
    ...{ host, adapters, calls, devices, events },
    secretOf: (vendor) => webhookSecretOf(adapters.get(vendor) ?? {}, reach.partnerOf(vendor)),
    urlOf: options.webhookUrlOf,
  });
  const linkCodes = createLinkCodes({ ...host, vault });
  const links = createLinks({ ...options, calls, devices, events, linkCodes });
  const commands = await createCommands({ host, adapters, calls, devices, events });
  const discovery = createDiscovery({ host, adapters, calls, devices, links, events });
  return { budgets, calls, devices, streams, polling, deliveries, linkCodes, links, discovery, commands };
}

export type ConnectCore = Awaited<ReturnType<typeof createConnectCore>>;
