import { MINUTE_MS, QUARTER_MS, SECOND_MS } from '../../../core/durations.ts';
import type { PriceArea } from '../../../sources/contract/market.ts';
import { type Energy, type Prices, whyUnpriced } from '../../market/prices/index.ts';
import {
  type Bucket,
  bucketsOf,
  type Covered,
  gapsBetween,
  type Point,
  pointsOf,
  type Resolution,
} from './buckets.ts';
import { type Field, isSame, type Values, valuesOf } from './fields.ts';
import { advance, type Open, type Quarter, unended } from './fold.ts';
import type { AreaPrices } from './prices.ts';
import type { Step } from './steps.ts';
import type { HistoryReads } from './store-reads.ts';

/** What the energy of a point has cost. */
interface PointCost {
  /** Kronor at spot prices, plain decimal text; null where `missing` says why. */
  readonly cost: string | null;
  readonly missing: string | null;
}

interface CostsOptions {
  readonly prices: Pick<Prices, 'energyCosts'>;
  /** That of the link; null where it has none. */
  readonly area: PriceArea | null;
  readonly deviceType: string;
}

/** The costs of points, in their order. `quarters` are those of the points, in order, with their energy. */
export async function costsOf(
  points: readonly Bucket[],
  quarters: readonly Covered[],
  { prices, area, deviceType }: CostsOptions,
): Promise<PointCost[]> {
  const without = (missing: string) => points.map(() => ({ cost: null, missing }));
  if (deviceType === 'solar_inverter')
    return without('energy_wh of a solar_inverter is what it has produced');
  if (area === null) return without('link has no price_area');
  const found = energiesOf(points, quarters);
  const costs = await prices.energyCosts({ area, energies: found.map(({ energies }) => energies) });
  return found.map(({ missing }, index): PointCost => {
    const cost = costs[index];
    if (missing !== null || cost === undefined) return { cost: null, missing };
    return { cost: cost.cost, missing: whyUnpriced(area, cost) };
  });
}

interface PointEnergy {
  readonly energies: readonly Energy[];
  readonly isKnown: boolean;
  /** Why they are not the whole energy of the point, or null. */
  readonly missing: string | null;
}

/** The energies of points, in their order; `quarters` as for `costsOf`. */
export function energiesOf(points: readonly Bucket[], quarters: readonly Covered[]): PointEnergy[] {
  let next = 0;
  return points.map(({ start, end }) => {
    const energies: Energy[] = [];
    let isKnown = false;
    let unplacedWh = 0;
    for (
      let one = quarters[next];
      one !== undefined && one.quarter * QUARTER_MS < end;
      one = quarters[next]
    ) {
      next += 1;
      const { quarter, values, late } = one;
      const at = quarter * QUARTER_MS;
      const wh = values.energy_wh ?? null;
      if (at < start || wh === null) continue;
      isKnown = true;
      const before = late?.wh ?? 0;
      energies.push({ start: at, end: at + QUARTER_MS, wh: wh - before });
      if (late === null) continue;
      if (late.seconds === null) unplacedWh += late.wh;
      else energies.push({ start: at - late.seconds * SECOND_MS, end: at, wh: late.wh });
    }
    if (!isKnown) return { energies: [], isKnown, missing: 'energy_wh is not known' };
    if (unplacedWh === 0) return { energies, isKnown, missing: null };
    return { energies: [], isKnown, missing: `${unplacedWh} Wh were counted in a gap, so when is not known` };
  });
}

/** What is asked of a device's history. */
export interface HistoryQuery {
  readonly resolution: Resolution;
  /** ms since 1970 UTC. */
  readonly from: number;
  readonly to: number;
  /** Where to go on, of the page before. */
  readonly after?: number | undefined;
  readonly limit: number;
  /** By default those that the device has had values of. */
  readonly fields?: readonly Field[] | undefined;
  /** Of days. */
  readonly zone: string;
  /** Whether the cost of the energy is asked for; changes have none. */
  readonly isCostAsked?: boolean | undefined;
  /** Whether the spot prices of the same time are asked for. */
  readonly isPriceAsked?: boolean | undefined;
}

export interface HistoryPage {
  readonly points: readonly Point[];
  /** What each point has cost, where it was asked for. */
  readonly costs?: readonly PointCost[];
  /** The spot prices of the time of the page, where they were asked for. */
  readonly prices?: AreaPrices;
  /** When nothing is known; of quarters, hours and days: those of which nothing is known. */
  readonly gaps: readonly Bucket[];
  /** Where to go on; null at the end. */
  readonly next: number | null;
  /** Fields that the device has had values of. */
  readonly fields: readonly Field[];
}

/** What is known of the newest values, beyond the log: what the device was last like, and when. */
export interface Latest {
  readonly values: Values;
  readonly fetchedAt: number;
}

/** Values that were confirmed later than this ago are known until now. */
const FRESH_MS = 15 * MINUTE_MS;

/** Up to when the newest values are known. What the log does not have yet confirms nothing. */
function knownUntil(open: Open, latest: Latest | undefined, now: number): number {
  if (open.values === null || latest === undefined || !isSame(open.values, latest.values)) return open.at;
  const confirmed = Math.max(open.at, latest.fetchedAt);
  return now - confirmed <= FRESH_MS ? Math.max(confirmed, now) : confirmed;
}

interface Reading {
  readonly store: Pick<HistoryReads, 'steps' | 'quarters'>;
  readonly number: number;
  readonly open: Open;
  readonly latest: Latest | undefined;
  readonly now: number;
  readonly prices: Pick<Prices, 'energyCosts'>;
  readonly area: PriceArea | null;
  readonly deviceType: string;
}

/** A page of changes: each point is from a change until the next one. */
export async function readRaw(reading: Reading, query: HistoryQuery): Promise<HistoryPage> {
  const { store, number, open, latest, now } = reading;
  const to = Math.min(query.to, now);
  const from = Math.min(query.after ?? query.from, to);
  const found = await store.steps(number, from, to, query.limit + 1);
  const isHeld = (found[0]?.at ?? Number.POSITIVE_INFINITY) <= from;
  // The change to what it is like now may be older than what is kept.
  const held: Step[] = !isHeld && open.at <= from ? [{ at: open.at, values: open.values }] : [];
  const steps = [...held, ...found];
  const next = steps[query.limit]?.at ?? null;
  const until = Math.max(knownUntil(open, latest, now), open.at);
  const points = steps.slice(0, query.limit).flatMap(({ at, values }, index): Point[] => {
    const start = Math.max(at, from);
    const end = Math.min(to, steps[index + 1]?.at ?? (at === open.at ? until : to));
    return values === null || end < start || (end === start && at < from)
      ? []
      : [{ start, end, covered: 1, values }];
  });
  return { points, gaps: gapsBetween({ start: from, end: next ?? to }, points), next, fields: open.seen };
}

/** A page of quarters, hours or days. */
export async function readBuckets(
  reading: Reading,
  query: HistoryQuery & { readonly resolution: Exclude<Resolution, 'raw'> },
): Promise<HistoryPage> {
  const { store, number, open, now } = reading;
  const { isCostAsked = false } = query;
  const to = Math.min(query.to, now);
  const from = Math.min(query.after ?? query.from, to);
  const buckets = bucketsOf({ from, to }, { ...query, most: query.limit });
  const [first, last] = [buckets[0], buckets.at(-1)];
  if (first === undefined || last === undefined)
    return { points: [], gaps: [], next: null, fields: open.seen };
  const span = { from: first.start / QUARTER_MS, to: last.end / QUARTER_MS };
  const asked = query.fields ?? open.seen;
  const fields = isCostAsked ? [...new Set([...asked, 'energy_wh' as const])] : asked;
  const stored = await store.quarters(number, {
    from: Math.floor(span.from),
    until: Math.ceil(span.to),
    fields,
    isLateAsked: isCostAsked,
  });
  const quarters = [...stored, ...quartersSince(reading, now)];
  const points = pointsOf(buckets, quarters, fields);
  const isEnd = last.end >= to;
  return {
    points,
    ...(isCostAsked ? { costs: await costsOf(points, quarters, reading) } : {}),
    gaps: gapsBetween({ start: first.start, end: isEnd ? to : last.end }, points),
    next: isEnd ? null : last.end,
    fields: open.seen,
  };
}

/** What is known of a device beyond its stored quarters. */
export interface Newest {
  readonly open: Open | null;
  readonly latest: Latest | undefined;
}

/** Its newest values, where they are known: what is offline has none. */
export function latestOf(
  state: Readonly<Record<string, unknown>> | undefined,
  fetchedAt: number | undefined,
): Latest | undefined {
  return state === undefined || fetchedAt === undefined || state.online === false
    ? undefined
    : { values: valuesOf(state), fetchedAt };
}

interface NewestQuarters {
  /** The one that is the first that is not stored; null where nothing is known of it. */
  readonly quarter: Quarter | null;
  /** What a device has been like since the end of that one: the same for all of the time; its meter stands still. */
  readonly after: (Bucket & { readonly values: Values; readonly isCounted: boolean }) | null;
}

/** The same as `quartersSince`, without a quarter for each of a device that has long been the same. */
export function newestOf({ open, latest }: Newest, now: number): NewestQuarters {
  if (open === null) return { quarter: null, after: null };
  const until = knownUntil(open, latest, now);
  const start = (open.quarter + 1) * QUARTER_MS;
  const quarter = unended(advance(open, Math.min(until, start), []));
  const { values, meter } = open;
  if (values === null || until <= start) return { quarter, after: null };
  const isCounted = values.energy_wh !== null && meter !== null;
  return { quarter, after: { start, end: until, values, isCounted } };
}

/** The quarters of a device that are not stored yet. */
export const quartersSince = ({ open, latest }: Newest, now: number): Quarter[] =>
  open === null ? [] : since(open, knownUntil(open, latest, now));

function since(open: Open, until: number): Quarter[] {
  const quarters: Quarter[] = [];
  const last = unended(advance(open, until, quarters));
  return last === null ? quarters : [...quarters, last];
}
