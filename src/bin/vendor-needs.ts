import type { Adapter } from '../adapter/adapter.ts';
import type { VendorNeeds } from '../core/vendor-settings.ts';

/** What the operator may set for each vendor. */
export function needsOf(adapters: readonly Adapter[]): VendorNeeds[] {
  return adapters.map(({ slug, name, hosts, oauth, wellKnown }) => ({
    slug,
    name,
    hosts: Object.keys(hosts ?? {}),
    hasPartner: oauth !== undefined,
    files:
      wellKnown === undefined
        ? []
        : [
            {
              setting: wellKnown.setting,
              description: `File that ${name} fetches from Connect at ${wellKnown.path}`,
            },
          ],
  }));
}
