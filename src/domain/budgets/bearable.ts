import type { Adapter } from '../../adapter/adapter.ts';
import type { BudgetRule } from '../../adapter/budget.ts';
import { DEVICE_TYPES, type DeviceType } from '../../adapter/device.ts';
import { mostOf } from './room.ts';

/** Who reads in the background what a limit is for. */
export interface Readers {
  /** The device that is read. */
  readonly type: DeviceType;
  /** Devices of the vendor in all. */
  readonly devices: number;
  /** Types of the devices of the same link that are read by themselves, this one included; of devices read together, each type at a site once. */
  readonly ofLink: readonly DeviceType[];
  /** The same of its site. */
  readonly ofSite: readonly DeviceType[];
  /** Links of the vendor that have a device of `sharingTypes`. */
  readonly links: number;
}

type Of = Pick<Adapter, 'budgets'> & { readonly kinds?: Adapter['kinds'] };

/** What a background read of such a device takes of a limit; of errors, nothing as long as it goes well. */
const readCostOf = ({ kinds }: Of, type: DeviceType, rule: BudgetRule): number =>
  rule.unit === 'errors' ? 0 : (kinds?.[type]?.readCosts?.[rule.name] ?? rule.costs.read ?? 0);

/** Types whose reads take from a limit that links share. */
export function sharingTypes(adapter: Of): DeviceType[] {
  const shared = (adapter.budgets ?? []).filter(({ share }) => share !== undefined);
  return DEVICE_TYPES.filter(
    (type) =>
      adapter.kinds?.[type] !== undefined && shared.some((rule) => readCostOf(adapter, type, rule) > 0),
  );
}

/**
 * Seconds between two background reads of a device that the limits can bear, when every device of the vendor is read as often as they
 * let it be. Of a limit that links share each link gets the same, however many devices it has.
 */
export function bearableSeconds(adapter: Of, readers: Readers): number {
  const each = (adapter.budgets ?? []).map((rule) => {
    const cost = readCostOf(adapter, readers.type, rule);
    if (cost === 0) return 0;
    const budget = mostOf(rule, true);
    if (budget <= 0) return Number.POSITIVE_INFINITY;
    const costOf = (types: readonly DeviceType[]) =>
      types.reduce((sum, type) => sum + readCostOf(adapter, type, rule), 0);
    const { ofLink, ofSite, devices, links } = readers;
    const taken = takenOnce(rule, { cost, ofLink: costOf(ofLink), ofSite: costOf(ofSite), devices, links });
    return (taken * rule.seconds) / budget;
  });
  return Math.max(0, ...each);
}

/** What is taken of a limit when all who have it to themselves or share it are read once. */
function takenOnce(
  { of, share }: BudgetRule,
  {
    cost,
    ofLink,
    ofSite,
    devices,
    links,
  }: Record<'cost' | 'ofLink' | 'ofSite' | 'devices' | 'links', number>,
): number {
  if (of === 'device') return cost;
  if (of === 'site') return ofSite;
  if (of === 'link') return ofLink;
  return share === undefined ? cost * devices : ofLink * Math.max(1, links);
}
