import type { Adapter } from '../../src/adapter/adapter.ts';
import { simulatedSettings } from '../../src/adapter/login.ts';
import type { VendorSimulator } from '../../src/adapter/simulator.ts';
import type { Clock } from '../../src/core/clock.ts';
import { systemRandom } from '../../src/core/ids.ts';
import { moreSettings, vendorSettingNames } from '../../src/core/settings/vendors.ts';
import { serveSimulated } from '../../src/proof/simulation/serve.ts';

export interface ServedVendor {
  readonly url: string;
  readonly vendor: VendorSimulator;
  /** `POST /oauth2/token`, in order. */
  readonly asked: string[];
  /** Every token that it has issued. */
  readonly tokens: ReadonlySet<string>;
  /** Settings with which a service calls it. */
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

export const SERVED_PARTNER = {
  clientId: 'elnav-tests',
  clientSecret: 'canary-client-secret-5513',
  apiKey: 'canary-api-key-7702',
};

const TOKEN = /"(?:access_?token|refresh_?token)":"([^"]+)"/gi;

/** A vendor's simulator on a port, in place of the vendor's cloud. */
export async function serveVendor(adapter: Adapter, clock: Clock): Promise<ServedVendor> {
  const asked: string[] = [];
  const tokens = new Set<string>();
  const { slug } = adapter;
  const module = await adapter.simulator?.();
  if (module === undefined) throw new Error(`${slug} has no simulator`);
  const vendor = module.createSimulator({
    clock,
    random: systemRandom,
    partner: { ...SERVED_PARTNER, ...simulatedSettings(adapter) },
    baseUrl: () => served.url,
  });
  const served = await serveSimulated({
    slug,
    load: async () => vendor,
    onRequest({ method, path }, { json }) {
      asked.push(`${method} ${path}`);
      for (const [, token = ''] of JSON.stringify(json ?? null).matchAll(TOKEN)) tokens.add(token);
    },
  });
  const names = vendorSettingNames(slug);
  const partner = {
    [names.clientId]: SERVED_PARTNER.clientId,
    [names.clientSecret]: SERVED_PARTNER.clientSecret,
    ...(adapter.apiKeyHeader === undefined ? {} : { [names.apiKey]: SERVED_PARTNER.apiKey }),
    ...moreSettings(slug, simulatedSettings(adapter)),
  };
  return {
    url: served.url,
    vendor,
    asked,
    tokens,
    env: { [names.baseUrl]: served.url, ...(adapter.oauth === undefined ? {} : partner) },
    close: served.close,
  };
}
