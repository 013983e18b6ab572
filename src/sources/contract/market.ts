import type { Http } from '../../adapter/http.ts';
import type { Simulated } from '../../adapter/simulator.ts';
import type { Clock } from '../../core/clock.ts';
import type { SourceSimulator } from './simulated-prices.ts';

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

/** A public source of day-ahead prices. It fetches and translates; the caller validates. */
export interface PriceSource {
  readonly slug: string;
  readonly name: string;
  /** Areas with prices. */
  readonly areas: readonly PriceArea[];
  /** Credit that must be shown with its data. */
  readonly attribution: string;
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
  readonly name: string;
  readonly attribution: string;
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
export interface ProductionSimulator {
  create(options: { readonly clock: Clock }): Simulated & {
    /** Sets the fault from now on, until another is set; throws for an unknown one. */
    fault(name: string | null): void;
  };
}

export interface ProductionSource {
  readonly slug: string;
  readonly name: string;
  readonly attribution: string;
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
