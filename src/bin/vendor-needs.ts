import type { Adapter } from '../adapter/adapter.ts';
import type { VendorNeeds } from '../core/vendor-settings.ts';

/** Whether a vendor is of no use before the operator is its partner. */
export const needsPartner = ({ oauth, login }: Pick<Adapter, 'oauth' | 'login'>): boolean =>
  oauth !== undefined || login?.needsPartner === true;

/** What the operator may set for each vendor. */
export function needsOf(adapters: readonly Adapter[]): VendorNeeds[] {
  return adapters.map((adapter) => {
    const { slug, name, hosts = {}, wellKnown } = adapter;
    const description = `File that ${name} fetches from Connect at ${wellKnown?.path}`;
    return {
      slug,
      name,
      hosts: Object.keys(hosts),
      hasPartner: needsPartner(adapter),
      files: wellKnown === undefined ? [] : [{ setting: wellKnown.setting, description }],
    };
  });
}
