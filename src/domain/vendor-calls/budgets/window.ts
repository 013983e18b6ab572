import type { Adapter } from '../../../adapter/adapter.ts';
import type { BudgetRule } from '../../../adapter/budget.ts';
import { DEVICE_TYPES, type DeviceType } from '../../../adapter/device.ts';

/** What of a rule is used, of one subject. */
export interface Tally {
  /** Start of the window that is counted in now, ms since 1970. */
  start: number;
  used: number;
  /** Used in the window before. */
  before: number;
  /** Used here since the last time it was stored. */
  unstored: number;
}

export function startOf(rule: BudgetRule, now: number): number {
  const length = rule.seconds * 1000;
  return Math.floor(now / length) * length;
}

/** Moves a tally on to the window of `now`. */
export function turn(tally: Tally, rule: BudgetRule, now: number): void {
  const start = startOf(rule, now);
  if (start === tally.start) return;
  tally.before = start - tally.start === rule.seconds * 1000 ? tally.used : 0;
  tally.start = start;
  tally.used = 0;
}

/**
 * What any stretch of the rule's length that ends now has used, the window before counted by the share of it that is still in the
 * stretch: whichever way the vendor counts, its limit holds.
 */
export function usedNow(tally: Tally, rule: BudgetRule, now: number): number {
  const passed = (now - tally.start) / (rule.seconds * 1000);
  return tally.used + tally.before * (1 - passed);
}

/** Seconds until `cost` more fits under `most`; at least one. */
export function secondsUntil(
  tally: Tally,
  rule: BudgetRule,
  want: { readonly cost: number; readonly most: number; readonly now: number },
): number {
  const { cost, most, now } = want;
  const length = rule.seconds * 1000;
  const left = tally.start + length - now;
  // In this window only the share of the one before shrinks; in the next one, that of this window.
  const over = usedNow(tally, rule, now) + cost - most;
  const shrinking = tally.before > 0 ? (over / tally.before) * length : Number.POSITIVE_INFINITY;
  if (shrinking <= left) return Math.max(1, Math.ceil(shrinking / 1000));
  const next = tally.used > 0 ? Math.max(0, (tally.used + cost - most) / tally.used) * length : 0;
  return Math.max(1, Math.ceil((left + Math.min(next, length)) / 1000));
}

/** Never all of what the vendor grants: its clock is another, and a call may be counted that we think was not. */
const TRUSTED = 0.95;

/** How much of a limit is used at all. */
export const trusted = ({ amount }: BudgetRule): number => amount * TRUSTED;

/** How much of a limit may be used up by such a call. */
export const mostOf = (rule: BudgetRule, isBackground: boolean): number =>
  trusted(rule) * (isBackground ? 1 - rule.reserve : 1);

/** How much more a link may use that has `used` so much of a shared limit, while all have `left` so much; see `BudgetRule.share`. */
export const shareLeft = (
  share: number,
  { left, used }: { readonly left: number; readonly used: number },
): number => Math.max(0, (share * left - used) / (1 + share));

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

/** The calls within a limit for one read of every subject. */
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
