import type { Adapter } from '../adapter/adapter.ts';
import type { PinnedCertificate } from '../adapter/connections.ts';
import type { Chosen } from '../adapter/reach.ts';
import { BoundedMap } from '../core/bounded-map.ts';
import { AppError } from '../core/errors.ts';
import type { LocalNetworks } from '../core/local-networks.ts';
import type { AddressGuard } from './address-guard.ts';
import type { OutboundAgent } from './agent.ts';
import type { Dialer, GatewayTunnels } from './connections/index.ts';

export interface VendorAgentsOptions {
  /** Networks of users into which addresses that users choose may lead. */
  readonly localNetworks: LocalNetworks;
  /** Absent where none connect. */
  readonly gateways?: GatewayTunnels;
}

/** Guarded, or through a gateway, which judges the addresses in its network. */
interface Way {
  readonly guard: AddressGuard | undefined;
  readonly dialer: Dialer | undefined;
}

/** Addresses that users chose, of which something is kept. */
export const MOST_CHOSEN = 5_000;

/** A process that calls no vendor does without the client. */
export const outbound = () => import('./index.ts');

/** The connections to vendors, kept; those of devices with certificates of their own are not shared with others. */
export function createVendorAgents({ localNetworks, gateways }: VendorAgentsOptions) {
  const agents = new Map<string, Promise<OutboundAgent>>();
  const pinnedAgents = new BoundedMap<string, Promise<OutboundAgent>>(MOST_CHOSEN);
  /** For each gateway and vendor. */
  const gatewayAgents = new BoundedMap<string, Promise<OutboundAgent>>(MOST_CHOSEN);

  async function wayTo({ name }: Adapter, gateway: string | undefined): Promise<Way> {
    const { gatewayDialer, permittedAddresses } = await outbound();
    if (gateway === undefined) return { guard: permittedAddresses(localNetworks), dialer: undefined };
    if (gateways === undefined) throw new Error('no gateways connect here');
    return { guard: undefined, dialer: gatewayDialer({ gateways, gateway, name }) };
  }

  function gatewayAgentOf(adapter: Adapter, gateway: string): Promise<OutboundAgent> {
    const key = `${adapter.slug} ${gateway}`;
    const make = async () => {
      const { createAgent, connectorThrough, CONNECT_TIMEOUT_MS: timeoutMs } = await outbound();
      const { dialer } = await wayTo(adapter, gateway);
      return createAgent(undefined, dialer && connectorThrough(dialer, timeoutMs));
    };
    const made = gatewayAgents.get(key) ?? make();
    gatewayAgents.set(key, made);
    return made;
  }

  async function pinnedAgentOf(
    adapter: Adapter,
    { chosenAddress, pinned, gateway }: Chosen & { readonly chosenAddress: string },
  ): Promise<OutboundAgent> {
    const { name, slug } = adapter;
    const { roots } = adapter.deviceCertificates ?? {};
    if (pinned === undefined)
      throw new AppError(
        'vendor.unreachable',
        `no certificate of ${name} is kept with the link; link it again`,
      );
    const key = `${slug} ${chosenAddress} ${keyOf(pinned)} ${gateway}`;
    const make = async () => {
      const { createAgent, pinnedConnector, CONNECT_TIMEOUT_MS: timeoutMs } = await outbound();
      const way = await wayTo(adapter, gateway);
      return createAgent(way.guard, pinnedConnector(pinned, { name, roots, timeoutMs, ...way }));
    };
    const made = pinnedAgents.get(key) ?? make();
    pinnedAgents.set(key, made);
    return made;
  }

  return {
    /** How an address that a user chose is reached. */
    wayTo,

    /** Connections of a vendor; those to addresses that users chose are kept apart, and guarded. */
    of(adapter: Adapter, chosen: Chosen): Promise<OutboundAgent> {
      const { chosenAddress, gateway } = chosen;
      if (chosenAddress !== undefined && hasOwnCertificate(adapter, chosenAddress))
        return pinnedAgentOf(adapter, { ...chosen, chosenAddress });
      if (gateway !== undefined) return gatewayAgentOf(adapter, gateway);
      const isChosen = chosenAddress !== undefined;
      const key = isChosen ? `${adapter.slug} of users` : adapter.slug;
      const known = agents.get(key);
      if (known !== undefined) return known;
      const made = outbound().then(async ({ createAgent }) =>
        createAgent(isChosen ? (await wayTo(adapter, undefined)).guard : undefined),
      );
      agents.set(key, made);
      return made;
    },

    /** Closes all of them. */
    async close(): Promise<void> {
      const all = [...agents.values(), ...pinnedAgents.values(), ...gatewayAgents.values()];
      await Promise.all(all.map(async (agent) => (await agent).close()));
    },
  };
}

/** A certificate as part of a key. */
export const keyOf = (pinned: PinnedCertificate | undefined): string => `${pinned?.sha256} ${pinned?.name}`;

/** Whether the devices at an address prove themselves with certificates that no authority has signed. */
export const hasOwnCertificate = ({ deviceCertificates }: Adapter, chosenAddress: string): boolean =>
  deviceCertificates !== undefined && new URL(chosenAddress).protocol === 'https:';
