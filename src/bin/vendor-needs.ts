import type { Adapter } from '../adapter/adapter.ts';
import type { VendorNeeds, VendorSettings } from '../core/settings/vendors.ts';

/** Whether a vendor is of no use before the operator is its partner. */
export const needsPartner = ({ oauth, login }: Pick<Adapter, 'oauth' | 'login'>): boolean =>
  oauth !== undefined || login?.needsPartner === true;

/** What the operator may set for each vendor. */
export function needsOf(adapters: readonly Adapter[]): VendorNeeds[] {
  return adapters.map((adapter) => {
    const { slug, name, hosts = {}, wellKnown, budgets = [] } = adapter;
    const description = `File that ${name} fetches from Connect at ${wellKnown?.path}`;
    return {
      slug,
      name,
      hosts: Object.keys(hosts),
      hasPartner: needsPartner(adapter),
      hasApiKey: adapter.apiKeyHeader !== undefined,
      files: wellKnown === undefined ? [] : [{ setting: wellKnown.setting, description }],
      amounts: budgets.flatMap(({ amount, setting }) =>
        setting === undefined
          ? []
          : [
              {
                setting: setting.name,
                description: setting.description,
                fallback: amount / setting.times,
              },
            ],
      ),
    };
  });
}

/** The vendor with the limits that the operator has set. */
export function withAmounts(adapter: Adapter, set: VendorSettings | undefined): Adapter {
  if (adapter.budgets === undefined) return adapter;
  return {
    ...adapter,
    budgets: adapter.budgets.map((rule) => {
      const amount = rule.setting === undefined ? undefined : set?.amounts[rule.setting.name];
      return rule.setting === undefined || amount === undefined
        ? rule
        : { ...rule, amount: amount * rule.setting.times };
    }),
  };
}
