import type { Http } from '../../adapter/http.ts';
import type { Simulated, SimulatedAnswer, SimulatedRequest } from '../../adapter/simulator.ts';
import type { Clock } from '../../core/clock.ts';
import { MINUTE_MS } from '../../core/durations.ts';
import { dayBounds } from '../../core/swedish-days.ts';
import { Temporal } from '../../core/temporal.ts';

/** Bidding zones of Sweden, in the order of their numbers. The wire calls one an `elomrade` or an `area`. */
export const PRICE_AREAS = ['SE1', 'SE2', 'SE3', 'SE4'] as const;
export type PriceArea = (typeof PRICE_AREAS)[number];

/** Names from Svenska kraftnät; Energy Identification Codes from ENTSO-E and eSett. */
export const PRICE_AREA_FACTS = {
  SE1: { name: 'Luleå', eic: '10Y1001A1001A44P' },
  SE2: { name: 'Sundsvall', eic: '10Y1001A1001A45N' },
  SE3: { name: 'Stockholm', eic: '10Y1001A1001A46L' },
  SE4: { name: 'Malmö', eic: '10Y1001A1001A47J' },
} as const satisfies Record<PriceArea, { readonly name: string; readonly eic: string }>;

/** A calendar day in Sweden, `2026-11-21`; it has 23, 24 or 25 hours. */
export type Day = string;

/** The day-ahead price of one delivery slot. Money is decimal text per kWh, without VAT and tax, never with an exponent. */
export interface PricedInterval {
  /** ms since 1970 UTC. */
  readonly start: number;
  readonly end: number;
  /** null when the source has euros only. */
  readonly sek: string | null;
  readonly eur: string | null;
}

/** A source's prices of one area and day; slots in order. */
export interface PriceDay {
  readonly area: PriceArea;
  readonly day: Day;
  readonly slots: readonly PricedInterval[];
  /** Kronor per euro as stated by the source, or null. */
  readonly exchangeRate: string | null;
  /** When the source published it, ms since 1970; null when it does not say. */
  readonly publishedAt: number | null;
}

interface Credit {
  readonly name: string;
  readonly href: string;
}

/** A public source of day-ahead prices. It fetches and translates; the caller validates. */
export interface PriceSource {
  readonly slug: string;
  readonly has: 'prices';
  readonly name: string;
  /** Areas with prices. */
  readonly areas: readonly PriceArea[];
  /** Who is named where its data is shown, and where that leads. */
  readonly credit: Credit;
  readonly licence: string;
  /** Its first day, if known. */
  readonly since?: Day;
  /** Base address without a trailing slash. */
  readonly baseUrl: string;
  /** The setting that it requires. */
  readonly needs?: 'token';
  /** Its simulator, loaded on demand. */
  readonly simulator?: () => Promise<SourceSimulator>;
  /**
   * The day's prices by area; an area that is not published yet, or whose request fails, is left out. Throws an
   * `HttpFailure` when every request fails.
   */
  fetchDay(session: SourceSession, query: { day: Day; areas: readonly PriceArea[] }): Promise<PriceDay[]>;
}

/** Everything a source may use; it opens no socket, and reads no clock or environment itself. */
export interface SourceSession {
  readonly http: Http;
  /** Its token, if it needs one; used only in its requests. */
  readonly token?: string;
  /** Aborts when the time limit of this request has passed. */
  readonly signal: AbortSignal;
}

/** A source of exchange rates, kronor per euro. */
export interface ExchangeRateSource {
  readonly slug: string;
  readonly has: 'rate';
  readonly name: string;
  readonly credit: Credit;
  readonly baseUrl: string;
  /** Its simulator, loaded on demand. */
  readonly simulator?: () => Promise<SourceSimulator>;
  /** The newest rate. */
  fetchRate(session: SourceSession): Promise<{ readonly day: Day; readonly sekPerEur: string }>;
}

/** Kinds of production in the Grid API. */
export const PRODUCTION_TYPES = ['hydro', 'nuclear', 'wind', 'solar', 'thermal', 'other'] as const;
export type ProductionType = (typeof PRODUCTION_TYPES)[number];

/** Production in one area and slot, as the source serves it; the caller infers its unit. null: the source has no figure. */
export type ProducedInterval = {
  readonly area: PriceArea;
  /** ms since 1970 UTC. */
  readonly start: number;
  readonly end: number;
  readonly total: number | null;
} & { readonly [T in ProductionType]: number | null };

/** A simulated source of production. */
interface ProductionSimulator {
  create(options: { readonly clock: Clock }): Simulated & {
    /** Sets the fault from now on, until another is set; throws for an unknown one. */
    fault(name: string | null): void;
  };
}

export interface ProductionSource {
  readonly slug: string;
  readonly has: 'production';
  readonly name: string;
  readonly credit: Credit;
  readonly licence: string;
  readonly baseUrl: string;
  /** Its simulator, loaded on demand. */
  readonly simulator?: () => Promise<ProductionSimulator>;
  /** All its slots from `from` to before `until`, ms since 1970, by start then area. */
  fetchVolumes(
    session: SourceSession,
    query: { readonly from: number; readonly until: number; readonly areas: readonly PriceArea[] },
  ): Promise<ProducedInterval[]>;
}

/** Faults of a simulated source. The last three give responses that look valid. */
export const PRICE_FAULTS = [
  'hang',
  'reset',
  'html',
  'torn',
  'forbidden',
  'rate_limited',
  'server_error',
  'half_day',
  'yesterday',
  'thousandfold',
] as const;
export type PriceFault = (typeof PRICE_FAULTS)[number];

/** Prices of an area and day in EUR/MWh, with at most two decimals as in the market, slot by slot. */
export interface SimulatedDay {
  readonly area: PriceArea;
  readonly day: Day;
  readonly slotMinutes: 15 | 60;
  readonly eurPerMwh: readonly number[];
}

export interface SimulatedSlot {
  readonly start: number;
  readonly end: number;
  readonly eurPerMwh: number;
}

/** The published prices of a simulated source, and its fault. */
export interface SimulatedMarket {
  /** Kronor for a euro. */
  readonly rate: number;
  publish(...days: readonly SimulatedDay[]): void;
  fault(fault: PriceFault | null): void;
  /** The response of the current fault to any request; undefined when requests are handled normally. */
  broken(): SimulatedAnswer | undefined;
  /** The published slots of a day, possibly changed by a fault; null while nothing is published. */
  shown(area: PriceArea, day: Day): readonly SimulatedSlot[] | null;
}

/** Handles requests as a price source does, from a market's published prices. */
export type Simulate = (request: SimulatedRequest) => SimulatedAnswer;

/** A source's simulator, loaded on demand. */
interface SourceSimulator {
  simulate(market: SimulatedMarket, clock: Clock): Simulate;
  /** The token it accepts, for a source that needs one. */
  readonly token?: string;
}

interface MarketOptions {
  readonly rate?: number;
  /** With a clock, made-up prices of each day are published at 12:45 on the day before. */
  readonly clock?: Clock;
}

export function createSimulatedMarket({ rate = 11.0295, clock }: MarketOptions = {}): SimulatedMarket {
  const published = new Map<string, SimulatedDay>();
  let fault: PriceFault | null = null;

  const find = (area: PriceArea, day: Day): SimulatedDay | undefined => {
    const stored = published.get(`${area} ${day}`);
    if (stored !== undefined || clock === undefined) return stored;
    const dueAt = Temporal.PlainDate.from(day)
      .subtract({ days: 1 })
      .toZonedDateTime({ timeZone: 'Europe/Stockholm', plainTime: '12:45' });
    return clock.now() >= dueAt.epochMilliseconds ? sampleDay(area, day) : undefined;
  };

  return {
    rate,
    publish(...days) {
      for (const day of days) published.set(`${day.area} ${day.day}`, day);
    },
    fault(next) {
      fault = next;
    },
    broken: () => (fault === null ? undefined : BROKEN[fault]),
    shown(area, day) {
      const asked =
        fault === 'yesterday' ? Temporal.PlainDate.from(day).subtract({ days: 1 }).toString() : day;
      const stored = find(area, asked);
      if (stored === undefined) return null;
      const { start } = dayBounds(stored.day);
      const slots = stored.eurPerMwh.map((eurPerMwh, index) => ({
        start: start + index * stored.slotMinutes * MINUTE_MS,
        end: start + (index + 1) * stored.slotMinutes * MINUTE_MS,
        eurPerMwh: fault === 'thousandfold' ? Math.round(eurPerMwh * 100) * 10 : eurPerMwh,
      }));
      return fault === 'half_day' ? slots.slice(0, slots.length / 2) : slots;
    },
  };
}

const PAGE = '<!DOCTYPE html><html><head><title>Just a moment</title></head><body>Checking</body></html>';
const html = { 'content-type': 'text/html; charset=utf-8' };

const BROKEN: Partial<Record<PriceFault, SimulatedAnswer>> = {
  hang: { status: 200, broken: 'hang' },
  reset: { status: 200, broken: 'reset' },
  html: { status: 200, headers: html, text: PAGE },
  torn: { status: 200, headers: { 'content-type': 'application/json' }, text: '[{"a":1,' },
  forbidden: { status: 403, headers: html, text: PAGE },
  rate_limited: { status: 429, headers: { 'retry-after': '60' } },
  server_error: { status: 500, headers: html, text: PAGE },
};

const AREA_CENTS: Readonly<Record<PriceArea, number>> = { SE1: -1500, SE2: -1200, SE3: 0, SE4: 900 };

/** A made-up day that is always the same: two peaks, cheap nights, and in the north negative prices at noon every seventh day. */
export function sampleDay(area: PriceArea, day: Day, slotMinutes: 15 | 60 = 15): SimulatedDay {
  const { start, end } = dayBounds(day);
  const phase = (start / 86_400_000) % 7;
  const eurPerMwh: number[] = [];
  for (let at = start; at < end; at += slotMinutes * MINUTE_MS) {
    const hour = (at - start) / 3_600_000;
    const peaks = 3000 * Math.exp(-((hour - 8) ** 2) / 4) + 4200 * Math.exp(-((hour - 18) ** 2) / 6);
    const noon = 1500 * Math.exp(-((hour - 13) ** 2) / 5) * (1 + phase / 3);
    // Whole cents, as in the market.
    eurPerMwh.push(Math.round(2600 + AREA_CENTS[area] + peaks - noon + 37 * Math.sin(hour * 9)) / 100);
  }
  return { area, day, slotMinutes, eurPerMwh };
}
