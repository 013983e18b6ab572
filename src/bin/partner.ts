import type { Partner } from '../adapter/login.ts';
import type { Settings } from '../core/settings/index.ts';

/** What the operator got from a vendor as its partner; undefined while it is not set. */
export function partnerIn({ vendors }: Settings, vendor: string): Partner | undefined {
  const { clientId, clientSecret, apiKey, partnerSettings = {} } = vendors.get(vendor) ?? {};
  if (clientId === undefined || clientSecret === undefined) return undefined;
  const more = Object.entries(partnerSettings).map(([name, value]) => [name, value.reveal()] as const);
  return {
    clientId,
    clientSecret: clientSecret.reveal(),
    ...(apiKey === undefined ? {} : { apiKey: apiKey.reveal() }),
    ...(more.length === 0 ? {} : { more: Object.fromEntries(more) }),
  };
}
