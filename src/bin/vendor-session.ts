import type { Adapter } from '../adapter/adapter.ts';
import type { LoginSession } from '../adapter/login.ts';
import { systemClock } from '../core/clock.ts';
import { systemRandom } from '../core/ids.ts';
import { NO_LOCAL_NETWORKS } from '../core/local-networks.ts';
import { createLog } from '../core/log.ts';
import type { Settings } from '../core/settings/index.ts';
import { createVendorHttp } from '../domain/vendor-calls/calls/index.ts';
import { createVendorHosts } from '../outbound/vendor-hosts.ts';
import { partnerIn } from './partner.ts';

const WITHIN_MS = 60_000;

/** Runs commands of the operator that call a vendor as its partner, for no user. */
export async function asPartner<T>(
  settings: Settings,
  adapter: Adapter,
  work: (session: LoginSession) => Promise<T>,
): Promise<T> {
  const set = settings.vendors.get(adapter.slug);
  const hosts = createVendorHosts({
    baseUrlOf: (_vendor, host) => set?.baseUrls[host] ?? set?.baseUrl,
    localNetworks: NO_LOCAL_NETWORKS,
    clock: systemClock,
    random: systemRandom,
    log: createLog('warn'),
    userAgent: 'elnav',
  });
  const http = createVendorHttp({
    adapter,
    host: (name) => hosts.hostOf(adapter, name),
    tokens: undefined,
    spend: () => {},
    signal: AbortSignal.timeout(WITHIN_MS),
  });
  try {
    return await work({ http, clock: systemClock, partner: partnerIn(settings, adapter.slug) });
  } finally {
    await hosts.close();
  }
}
