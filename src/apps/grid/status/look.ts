import { type Clock, rfc3339 } from '../../../core/clock.ts';
import { shareBriefly } from '../../../core/share-briefly.ts';
import { dayAt } from '../../../core/swedish-days.ts';
import type { NamedVendor, VendorStates } from '../../../domain/links/vendor-states/index.ts';
import type { Prices, PricesHealth } from '../../../domain/market/prices/index.ts';
import type { Production } from '../../../domain/market/production/index.ts';
import { inTime, type Judged, judge, type Probe } from '../../../http/health.ts';
import { PRICE_AREAS } from '../../../sources/contract/market.ts';
import type { Status } from './shapes.ts';

/** What the status is made of. */
export interface StatusParts {
  readonly probes: readonly Probe[];
  readonly prices: Prices;
  readonly production: Production;
  /** The vendors on the page. */
  readonly vendors: readonly NamedVendor[];
  readonly vendorStates: VendorStates;
  /** Whether this process serves Connect too; another one is not asked. */
  readonly servesConnect: boolean;
  readonly clock: Clock;
}

/** So that asking often costs nothing. */
const SHARED_MS = 10_000;
/** Checks of what has a line of its own. */
const SHOWN_APART = ['prices', 'production', 'mail'];

/** Looks at how the services are, at most every ten seconds. Never rejects. */
export function createStatusLook(parts: StatusParts): () => Promise<Status> {
  return shareBriefly(parts.clock, SHARED_MS, () => look(parts));
}

async function look(parts: StatusParts): Promise<Status> {
  const { clock, prices, production, servesConnect } = parts;
  const [judged, vendors] = await Promise.all([judge(parts.probes, clock), vendorsOf(parts)]);
  const isWell = (name: string) => judged.every((one) => one.name !== name || one.isWell);
  const own = serviceState(judged);
  const figures = { prices: figuresState(prices.health()), production: figuresState(production.health()) };
  const isTroubled =
    own !== 'ok' || !isWell('mail') || Object.values(figures).some((state) => state === 'trouble');
  return {
    state: isWell('database') ? (isTroubled ? 'trouble' : 'ok') : 'down',
    checked_at: rfc3339(clock.now()),
    services: { grid: own, connect: servesConnect ? own : 'unknown' },
    database: isWell('database') ? 'ok' : 'down',
    mail: isWell('mail') ? 'ok' : 'trouble',
    prices: { state: figures.prices, areas: pricesByArea(prices, clock.now()) },
    production: {
      state: figures.production,
      areas: PRICE_AREAS.map((area) => ({ area, until: momentOf(production.health().until[area]) })),
    },
    vendors,
  };
}

/** Redis and the disk are parts of the services: nobody outside needs to know which of them it is. */
function serviceState(judged: readonly Judged[]): 'ok' | 'trouble' {
  return judged.some(({ name, isWell }) => !isWell && !SHOWN_APART.includes(name)) ? 'trouble' : 'ok';
}

const figuresState = ({
  status,
  is_on,
}: Pick<PricesHealth, 'status' | 'is_on'>): Status['prices']['state'] =>
  is_on ? (status === 'ok' ? 'ok' : 'trouble') : 'off';

function pricesByArea(prices: Prices, now: number): Status['prices']['areas'] {
  const { until } = prices.health();
  const today = prices.days().filter(({ day }) => day === dayAt(now));
  return PRICE_AREAS.map((area) => ({
    area,
    until: momentOf(until[area]),
    source: today.find((one) => one.area === area)?.source ?? null,
  }));
}

async function vendorsOf({ vendors, vendorStates, clock }: StatusParts): Promise<Status['vendors']> {
  try {
    return (await inTime(clock, vendorStates)).map(({ slug, name, state }) => ({
      vendor: slug,
      name,
      state,
    }));
  } catch {
    // The database is away, which the status says already.
    return vendors.map(({ slug, name }) => ({ vendor: slug, name, state: 'unknown' as const }));
  }
}

const momentOf = (at: number | null): string | null => (at === null ? null : rfc3339(at));
