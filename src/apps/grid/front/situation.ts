import type { Clock } from '../../../core/clock.ts';
import { AppError } from '../../../core/errors.ts';
import type { Language } from '../../../core/language.ts';
import { dayAt, dayBounds } from '../../../core/swedish-days.ts';
import { Temporal } from '../../../core/temporal.ts';
import type { CurrentPrices, PricedDay, Prices, PricesHealth } from '../../../domain/market/prices/index.ts';
import type { Produced, Production, ProductionHealth } from '../../../domain/market/production/index.ts';
import { PRICE_AREAS } from '../../../sources/contract/market.ts';

/** What is known at a moment. */
export interface Known {
  readonly now: number;
  /** Until when the prices of now hold. */
  readonly until: number;
  /** null: no price of any area holds now. */
  readonly current: CurrentPrices | null;
  /** Today and, where it is published, tomorrow. */
  readonly days: readonly PricedDay[];
  readonly health: Pick<PricesHealth, 'sources' | 'is_on' | 'next_attempt_at'>;
  /** Empty: none is known. */
  readonly production: readonly Produced[];
  /** Of production, where none is known. */
  readonly productionHealth: Pick<ProductionHealth, 'is_on' | 'next_attempt_at'>;
  /** Changes whenever a page made of this would. */
  readonly version: string;
}

/** What the front page tells. */
export interface Situation extends Known {
  readonly language: Language;
  /** Stored prices of the day before, read where today has none. */
  readonly yesterday: readonly PricedDay[];
}

interface Sources {
  readonly prices: Prices;
  readonly production: Production;
  readonly clock: Clock;
}

/** How often what has no version of its own is looked at; callers in between share a look. */
const LOOK_MS = 1_000;

/** Looks at what is known. It costs next to nothing while nothing changes. */
export function createLook({ prices, production, clock }: Sources): () => Known {
  let known: Known | undefined;
  let pricesVersion = '';
  let lookAt = 0;
  const lists = new WeakMap<readonly Produced[], number>();
  let listCount = 0;
  const numberOf = (list: readonly Produced[]): number => {
    const number = lists.get(list) ?? listCount++;
    lists.set(list, number);
    return number;
  };

  const look = (now: number): Known => {
    const current = orNull(() => prices.current());
    const { sources, is_on, next_attempt_at } = prices.health();
    const produced = orNull(() => production.current());
    const productionHealth = produced === null ? production.health() : NO_TROUBLE;
    const health = current === null ? { sources, is_on, next_attempt_at } : { ...NO_TROUBLE, is_on };
    return {
      now,
      until: prices.validUntil(),
      current,
      days: prices.days(),
      health,
      production: produced ?? [],
      productionHealth,
      version: JSON.stringify([
        pricesVersion,
        produced === null ? productionHealth.next_attempt_at : `list ${numberOf(produced)}`,
        health.next_attempt_at,
        health.sources.map(({ source, asked_at, outcome }) => [source, asked_at, outcome]),
      ]),
    };
  };

  return () => {
    const now = clock.now();
    const version = prices.version();
    if (known === undefined || version !== pricesVersion || now >= lookAt) {
      pricesVersion = version;
      lookAt = now + LOOK_MS;
      const next = look(now);
      // The same object while nothing changed, with the time of the slot in which it was seen first.
      if (next.version !== known?.version) known = next;
    }
    return known;
  };
}

const NO_TROUBLE: Known['health'] = { sources: [], is_on: true, next_attempt_at: null };

/** Yesterday as it is stored; an area of which there is none is left out. */
export async function readYesterday(prices: Prices, now: number): Promise<readonly PricedDay[]> {
  const day = Temporal.PlainDate.from(dayAt(now)).subtract({ days: 1 }).toString();
  const { start, end } = dayBounds(day);
  const days: PricedDay[] = [];
  for (const area of PRICE_AREAS) {
    const query = { area, from: start, until: end, resolution: 'slot' } as const;
    const slots = (await Array.fromAsync(prices.history(query))).flat();
    const [first] = slots;
    if (first === undefined) continue;
    days.push({ area, day, start, end, slots, converted: first.converted, source: first.source });
  }
  return days;
}

function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}
