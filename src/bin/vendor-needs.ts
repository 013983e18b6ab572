import type { Adapter } from '../adapter/adapter.ts';
import type { BudgetRule } from '../adapter/budget.ts';
import type { VendorNeeds, VendorSettings } from '../core/settings/vendors.ts';

/** Whether a vendor is of no use before the operator is its partner. */
export const needsPartner = ({ oauth, login }: Pick<Adapter, 'oauth' | 'login'>): boolean =>
  oauth !== undefined || login?.needsPartner === true;

/** What the operator may set for each vendor. */
export function needsOf(adapters: readonly Adapter[]): VendorNeeds[] {
  return adapters.map((adapter) => {
    const { slug, name, hosts = {}, partnerSettings = [], wellKnown, budgets = [] } = adapter;
    const description = `File that ${name} fetches from Connect at ${wellKnown?.path}`;
    return {
      slug,
      name,
      hosts: Object.keys(hosts),
      hasPartner: needsPartner(adapter),
      hasApiKey: adapter.apiKeyHeader !== undefined,
      partnerSettings,
      files: wellKnown === undefined ? [] : [{ setting: wellKnown.setting, description }],
      amounts: budgets.flatMap(({ amount, setting }) =>
        setting === undefined || 'plans' in setting
          ? []
          : [
              {
                setting: setting.name,
                description: setting.description,
                fallback: amount / setting.times,
              },
            ],
      ),
      plans: plansOf(budgets),
    };
  });
}

/** Each once, since a plan decides several limits. */
function plansOf(budgets: readonly BudgetRule[]): VendorNeeds['plans'] {
  const all = budgets.flatMap(({ amount, setting }) => {
    if (setting === undefined || !('plans' in setting)) return [];
    const { name, plans, description } = setting;
    const names = Object.keys(plans);
    const fallback = names.find((plan) => plans[plan] === amount);
    if (fallback === undefined) throw new Error(`no plan of ${name} has the amount ${amount}`);
    return [{ setting: name, description, names, fallback }];
  });
  return [...new Map(all.map((plan) => [plan.setting, plan])).values()];
}

/** The vendor with the limits that the operator has set. */
export function withAmounts(adapter: Adapter, set: VendorSettings | undefined): Adapter {
  if (adapter.budgets === undefined) return adapter;
  return {
    ...adapter,
    budgets: adapter.budgets.map((rule) => {
      const { setting } = rule;
      if (setting === undefined) return rule;
      if ('plans' in setting) {
        const planned = setting.plans[set?.plans[setting.name] ?? ''];
        return planned === undefined ? rule : { ...rule, amount: planned };
      }
      const amount = set?.amounts[setting.name];
      return amount === undefined ? rule : { ...rule, amount: amount * setting.times };
    }),
  };
}
