import { networkInterfaces } from 'node:os';
import type { Adapter } from '../adapter/adapter.ts';
import { withGatewayField } from '../adapter/credential-fields.ts';
import type { ReachableGateways } from '../adapter/reach.ts';
import {
  type LocalNetworks,
  listedNetworks,
  NO_LOCAL_NETWORKS,
  ownNetworks,
} from '../core/local-networks.ts';
import type { Settings } from '../core/settings/index.ts';
import { whereabouts } from '../domain/links/gateways/index.ts';
import type { Tunnels } from '../gateway/wire/tunnels.ts';
import type { Exposure } from '../http/exposure.ts';
import { createPoster, type GatewayTunnels, permittedAddresses } from '../outbound/index.ts';
import { createKeptConnections } from '../outbound/kept-connections.ts';
import { createLookAround } from '../outbound/look-around.ts';
import { authorizeUrlOf, createVendorHosts } from '../outbound/vendor-hosts.ts';
import { partnerIn } from './partner.ts';
import type { Shared } from './shared.ts';
import { startSimulators } from './simulators.ts';
import { withAmounts } from './vendor-needs.ts';
import { VERSION } from './version.ts';

/** How vendors' clouds are reached, or the simulators that stand in for them. */
export async function openVendors(shared: Shared, list: readonly Adapter[], tunnels: Tunnels) {
  const { settings, clock, random, log, closers, addressOf } = shared;
  const adapters = new Map(
    list.map((adapter) => [
      adapter.slug,
      withGatewayField(withAmounts(adapter, settings.vendors.get(adapter.slug))),
    ]),
  );
  const publicUrl = () => addressOf('connect') ?? '';
  const simulated = await startSimulators({
    settings,
    adapters: [...adapters.values()],
    clock,
    random,
    log,
    publicUrl,
    async postToConnect(path, { body, headers }) {
      const server = shared.serverOf('connect');
      return (
        (await server?.app.inject({ method: 'POST', url: path, headers, payload: body }))?.statusCode ?? 503
      );
    },
  });
  closers.push(() => simulated.close());
  const baseUrlOf = (vendor: string, host: string) => {
    const set = settings.vendors.get(vendor);
    return simulated.baseUrlOf(vendor, host) ?? set?.baseUrls[host] ?? set?.baseUrl;
  };
  const partnerOf = (vendor: string) => simulated.partnerOf(vendor) ?? partnerIn(settings, vendor);
  const localNetworks = localNetworksOf(settings.localNetworks, shared.exposure);
  const ofGateways: GatewayTunnels = {
    of: tunnels.of,
    whereabouts: (gateway) => whereabouts(shared.database, gateway),
  };
  const gateways: GatewayTunnels & ReachableGateways = {
    ...ofGateways,
    isHere: (gateway) => tunnels.of(gateway) !== undefined,
    lookAround: createLookAround({ gateways: ofGateways, clock }),
  };
  const hosts = createVendorHosts({
    gateways,
    baseUrlOf,
    localNetworks,
    clock,
    random,
    log,
    userAgent: `elnav/${VERSION}`,
  });
  const poster = createPoster({
    guard: permittedAddresses(localNetworks),
    clock,
    userAgent: `elnav/${VERSION}`,
    outbound: shared.outbound,
  });
  const connections = createKeptConnections({ localNetworks, gateways, clock, random });
  closers.push(
    () => hosts.close(),
    () => connections.close(),
    () => poster.close(),
  );
  return {
    adapters,
    baseUrlOf,
    publicUrl,
    poster,
    simulated,
    pausedVendors: hosts.paused,
    reach: { ...hosts, connections, gateways, partnerOf },
    authorizeUrlOf: (adapter: Adapter) => authorizeUrlOf(adapter, baseUrlOf(adapter.slug, 'authorize')),
    hasOwnAddress: (vendor: string, host: string) =>
      settings.vendors.get(vendor)?.baseUrls[host] !== undefined,
  };
}

/** The networks that the settings permit, as long as they are right about who reaches the services. */
export function localNetworksOf(
  { choice, isChosen }: Settings['localNetworks'],
  { isHereAlone }: Pick<Exposure, 'isHereAlone'>,
): LocalNetworks {
  if (choice === 'off') return NO_LOCAL_NETWORKS;
  if (choice !== 'on') return listedNetworks(choice);
  const interfaces = networkInterfaces;
  const here = ownNetworks({ interfaces, hasLoopback: true });
  const reached = isChosen ? ownNetworks({ interfaces, hasLoopback: false }) : NO_LOCAL_NETWORKS;
  const now = (): LocalNetworks => (isHereAlone() ? here : reached);
  return {
    get setting() {
      return now().setting;
    },
    current: () => now().current(),
  };
}

export type Vendors = Awaited<ReturnType<typeof openVendors>>;
