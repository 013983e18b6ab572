import type { Http } from '../../adapter/http.ts';
import type { Simulated } from '../../adapter/simulator.ts';
import type { Clock } from '../../core/clock.ts';
import type { SourceSimulator } from './simulated-prices.ts';

/** Bidding zones of Sweden, in the order of their numbers. The wire calls one an `elomrade` or an `area`. */
export const PRICE_AREAS = ['SE1', 'SE2', 'SE3', 'SE4'] as const;
export type PriceArea = (typeof PRICE_AREAS)[number];

/** Names as Svenska kraftnät has them, Energy Identification Codes as ENTSO-E and eSett have them. */
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
  /** null where the source knows euros alone. */
  readonly sek: string | null;
  readonly eur: string | null;
}

/** What a source says of one area and day; slots in order. */
export interface PriceDay {
  readonly area: PriceArea;
  readonly day: Day;
  readonly slots: readonly PricedInterval[];
  /** Kronor for a euro, as the source states it; null where it states none. */
  readonly exchangeRate: string | null;
  /** When the source published it, ms since 1970; null where it does not say. */
  readonly publishedAt: number | null;
}

/** A public source of day-ahead prices. It reads and translates; whether a day is believed is judged by who asks. */
export interface PriceSource {
  readonly slug: string;
  readonly name: string;
  /** The areas that it has. */
  readonly areas: readonly PriceArea[];
  /** Who must be named where its data is shown. */
  readonly attribution: string;
  readonly licence: string;
  /** The first day that it has; undefined where that is not known. */
  readonly since?: Day;
  /** Base address without a trailing slash. */
  readonly baseUrl: string;
  /** Name of the setting without which it cannot be asked. */
  readonly needs?: 'token';
  /** Its simulator, loaded only where it is wanted. */
  readonly simulator?: () => Promise<SourceSimulator>;
  /**
   * The days that it has, never those of another day; an area that is not published yet is left out. Where an area cannot be had,
   * the others still are; throws an `HttpFailure` where that leaves none.
   */
  fetchDay(session: SourceSession, query: { day: Day; areas: readonly PriceArea[] }): Promise<PriceDay[]>;
}

/** What a source may use; it opens no socket, and reads no clock and no environment of its own. */
export interface SourceSession {
  readonly http: Http;
  /** Its token, where it needs one; goes nowhere but into its requests. */
  readonly token?: string;
  /** Fires when the time for this question is over. */
  readonly signal: AbortSignal;
}

/** Kronor for a euro on a day, from who publishes rates. */
export interface ExchangeRateSource {
  readonly slug: string;
  readonly name: string;
  readonly attribution: string;
  readonly baseUrl: string;
  /** Its simulator, loaded only where it is wanted. */
  readonly simulator?: () => Promise<SourceSimulator>;
  /** The rate that held most recently. */
  fetchRate(session: SourceSession): Promise<{ readonly day: Day; readonly sekPerEur: string }>;
}

/** Kinds of production as the Grid service names them. */
export const PRODUCTION_TYPES = ['hydro', 'nuclear', 'wind', 'solar', 'thermal', 'other'] as const;
export type ProductionType = (typeof PRODUCTION_TYPES)[number];

/** Production in one area and slot, as the source serves it: its unit is judged by who asks. null: the source has no figure. */
export type ProducedInterval = {
  readonly area: PriceArea;
  /** ms since 1970 UTC. */
  readonly start: number;
  readonly end: number;
  readonly total: number | null;
} & { readonly [T in ProductionType]: number | null };

/** How a simulated source of production is made. */
export interface ProductionSimulator {
  create(options: { readonly clock: Clock }): Simulated & {
    /** From now on, until another is set; throws for one that it does not know. */
    fault(name: string | null): void;
  };
}

export interface ProductionSource {
  readonly slug: string;
  readonly name: string;
  readonly attribution: string;
  readonly licence: string;
  readonly baseUrl: string;
  /** Its simulator, loaded only where it is wanted. */
  readonly simulator?: () => Promise<ProductionSimulator>;
  /** Everything that it has from `from` until before `until`, ms since 1970, by start then area. */
  fetchVolumes(
    session: SourceSession,
    query: { readonly from: number; readonly until: number; readonly areas: readonly PriceArea[] },
  ): Promise<ProducedInterval[]>;
}
