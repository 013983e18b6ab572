import type { Adapter } from '../adapter/adapter.ts';
import { createKeptConnections } from '../outbound/kept-connections.ts';
import { authorizeUrlOf, createVendorHosts } from '../outbound/vendor-hosts.ts';
import { partnerIn } from './partner.ts';
import type { Shared } from './shared.ts';
import { startSimulators } from './simulators.ts';
import { withAmounts } from './vendor-needs.ts';
import { VERSION } from './version.ts';

/** How vendors' clouds are reached, or the simulators that stand in for them. */
export async function openVendors(shared: Shared, list: readonly Adapter[]) {
  const { settings, clock, random, log, closers, addressOf } = shared;
  const adapters = new Map(
    list.map((adapter) => [adapter.slug, withAmounts(adapter, settings.vendors.get(adapter.slug))]),
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
  const { arePrivateAddressesAllowed } = settings;
  const hosts = createVendorHosts({
    baseUrlOf,
    arePrivateAddressesAllowed,
    clock,
    random,
    log,
    userAgent: `elnav/${VERSION}`,
  });
  const connections = createKeptConnections({ arePrivateAddressesAllowed, clock, random });
  closers.push(
    () => hosts.close(),
    () => connections.close(),
  );
  return {
    adapters,
    baseUrlOf,
    publicUrl,
    simulated,
    reach: { ...hosts, connections, partnerOf },
    authorizeUrlOf: (adapter: Adapter) => authorizeUrlOf(adapter, baseUrlOf(adapter.slug, 'authorize')),
    hasOwnAddress: (vendor: string, host: string) =>
      settings.vendors.get(vendor)?.baseUrls[host] !== undefined,
  };
}
