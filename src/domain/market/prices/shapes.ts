import type { Day, PriceArea } from '../../../sources/contract/market.ts';

/** The day-ahead price of one slot, without VAT and tax. Moments are ms since 1970 UTC. */
export interface SpotPrice {
  readonly area: PriceArea;
  readonly start: number;
  readonly end: number;
  /** SEK per kWh, plain decimal text. */
  readonly price: string;
  /** EUR per kWh; null when the source reports kronor only. */
  readonly price_eur: string | null;
  /** Kronor per euro, as stated by the source or used for `price`; null when there is none. */
  readonly exchange_rate: string | null;
  /** true: the source reports euros only, and `price` is `price_eur` at a rate that another source published. */
  readonly converted: boolean;
  /** When the source published it; null when it does not say. */
  readonly published_at: number | null;
  /** Slug of the source; `sample` for the bundled day, whose prices are not current. */
  readonly source: string;
}

/** A whole day of one area, past slots included; `spot` and `current` are made from it. */
export interface PricedDay {
  readonly area: PriceArea;
  readonly day: Day;
  /** ms since 1970 UTC, from midnight to midnight in Sweden: 23, 24 or 25 hours. */
  readonly start: number;
  readonly end: number;
  /** Without a gap, by time; prices are SEK per kWh. */
  readonly slots: readonly { readonly start: number; readonly end: number; readonly price: string }[];
  readonly converted: boolean;
  readonly source: string;
}

export interface CurrentPrices {
  /** The calendar day in Sweden. */
  readonly today: Day;
  /** SEK per kWh by area, now; null without one. */
  readonly now: Readonly<Record<PriceArea, string | null>>;
  /** Mean of the Swedish day weighted by slot length, rounded to five decimals; null when the day is not stored. */
  readonly today_avg: Readonly<Record<PriceArea, string | null>>;
  readonly unit: 'SEK/kWh';
  /** Slugs of the sources that the figures come from, in order of area, comma-separated. */
  readonly source: string;
}

export const RESOLUTIONS = ['slot', 'hour', 'day'] as const;
export type Resolution = (typeof RESOLUTIONS)[number];

/** Slots that start from `from` to before `until`; at the ends of the range, hours and (Swedish) days are whole. */
export interface HistoryQuery {
  readonly area: PriceArea;
  /** ms since 1970 UTC. */
  readonly from: number;
  readonly until: number;
  readonly resolution: Resolution;
}

/** A slot, or the mean over an hour or a day. Of several sources in one mean, their slugs are comma-separated. */
export type HistoricPrice = Omit<SpotPrice, 'exchange_rate' | 'published_at'>;

/** Energy that was used, evenly, from one moment until another, ms since 1970 UTC; equal moments stand for that moment. */
export interface Energy {
  readonly start: number;
  readonly end: number;
  /** To a thousandth of a watt-hour; negative: given back, which earns the same price. */
  readonly wh: number;
}

export interface EnergyCostQuery {
  readonly area: PriceArea;
  /** Lists, each of which has a cost of its own. */
  readonly energies: readonly (readonly Energy[])[];
}

/** What energy has cost at spot prices, without VAT, tax and the fees of grid and supplier. */
export interface EnergyCost {
  /** Plain decimal text with up to eight decimals, rounded once; null when prices are missing: never the cost of a part. */
  readonly cost: string | null;
  readonly currency: 'SEK';
  /** Times of energy without a stored price, in order; empty with a cost. */
  readonly missing: readonly { readonly start: number; readonly end: number }[];
}

export type PriceEvent =
  /** A day of an area is new, or was replaced by a correction. */
  | {
      readonly kind: 'stored' | 'corrected';
      readonly days: readonly { readonly area: PriceArea; readonly day: Day }[];
    }
  /** Another slot is the current one. */
  | { readonly kind: 'slot'; readonly start: number };

/** Result of the last request to a source. */
export const SOURCE_OUTCOMES = [
  'ok',
  /** It responded, and has not published the day. */
  'not_published',
  /** Its response cannot be right. */
  'refused',
  /** Its response is implausible, and is accepted only if another source reports the same. */
  'quarantined',
  'unreachable',
  'timeout',
  'rate_limited',
  'http_refused',
  'server_error',
  'answer_invalid',
  /** It reports euros only, and there is no exchange rate. */
  'no_rate',
] as const;
export type SourceOutcome = (typeof SOURCE_OUTCOMES)[number];

export interface SourceHealth {
  readonly source: string;
  readonly outcome: SourceOutcome;
  /** What happened, for people. */
  readonly sentence: string;
  readonly asked_at: number;
  readonly succeeded_at: number | null;
  readonly failures_in_row: number;
  /** End of its Retry-After. */
  readonly not_before: number | null;
}

export interface PricesHealth {
  readonly status: 'ok' | 'degraded';
  /** For `/readyz`. */
  readonly sentence: string;
  /** By area, the end of the prices stored without a gap from now on; null without any. */
  readonly until: Readonly<Record<PriceArea, number | null>>;
  /** Areas without today's prices. */
  readonly missing: readonly PriceArea[];
  /** Areas without tomorrow's, at a time of the day when they should be there. */
  readonly late: readonly PriceArea[];
  readonly sources: readonly SourceHealth[];
  /** Whether fetching is enabled; the operator may have switched it off. */
  readonly is_on: boolean;
  /** Whether this process fetches; of several instances only one does. */
  readonly is_fetching: boolean;
  readonly next_attempt_at: number | null;
}

/** A day of an area that is stored, and whose prices it has. */
export interface DaySource {
  readonly area: PriceArea;
  readonly day: Day;
  /** Slug of the source. */
  readonly source: string;
}

/** The stored days of an area in a month. */
export interface StoredMonth {
  readonly area: PriceArea;
  /** `2026-11`. */
  readonly month: string;
  readonly days: number;
}

export interface BackfillRequest {
  /** First and last day, both included. */
  readonly from: Day;
  readonly until: Day;
  /** All four where left out. */
  readonly areas?: readonly PriceArea[];
  /** Fetches stored days again. */
  readonly refresh?: boolean;
}

export interface Backfill {
  readonly id: string;
  readonly from: Day;
  readonly until: Day;
  readonly areas: readonly PriceArea[];
  readonly refresh: boolean;
  readonly status: 'running' | 'done' | 'cancelled';
  readonly days_total: number;
  /** Stored by this back-fill. */
  readonly days_done: number;
  /** Already stored before. */
  readonly days_skipped: number;
  /** For at least one of the areas no source has prices. */
  readonly days_missing: number;
  readonly days_failed: number;
  /** Reasons of failed days, most frequent first; at most 20. */
  readonly failures: readonly { readonly sentence: string; readonly days: number; readonly last_day: Day }[];
  readonly created_at: number;
  readonly updated_at: number;
  readonly finished_at: number | null;
}

/** What is wrong with a request: `until must not be before 2026-03-02, …` as a field and a reason. */
export interface BackfillFault {
  readonly field: 'from' | 'until' | 'areas';
  readonly kind: 'no_day' | 'before_first' | 'in_future' | 'too_long' | 'no_area';
  /** In English, as in `must not be after 2026-11-22`. */
  readonly reason: string;
  /** The day that it must not be before or after, where there is one. */
  readonly limit?: Day;
}

export interface Backfills {
  /** Why `begin` would throw `request.invalid` for a request; null for a valid one. */
  faultIn(request: BackfillRequest): BackfillFault | null;
  /**
   * Throws `backfill.running` while another one runs, `backfill.off` when fetching is disabled, `request.invalid` for a
   * range that is invalid, in the future or longer than 20 years.
   */
  begin(request: BackfillRequest): Promise<Backfill>;
  /** Throws `backfill.not_found`. */
  get(id: string): Promise<Backfill>;
  /** The newest first, at most 100. */
  list(): Promise<Backfill[]>;
  /** Ends it after the current day and keeps what is stored; does nothing to one that is over, and says so. Throws `backfill.not_found`. */
  cancel(id: string): Promise<{ readonly backfill: Backfill; readonly isCancelled: boolean }>;
}

export interface Prices {
  /**
   * Prices from the current slot on without a gap, by area then time; an area without a current price is left out.
   * From memory. Throws `prices.unavailable` when none of the areas has any.
   */
  spot(areas: readonly PriceArea[]): readonly SpotPrice[];
  /** From memory. Throws `prices.unavailable` when no area has a price. */
  current(): CurrentPrices;
  /** Today and, once published, tomorrow, by area then day; may be empty. From memory. */
  days(): readonly PricedDay[];
  /** Stored prices (never the sample), by time, in batches; memory stays flat however long the range is. */
  history(query: HistoryQuery): AsyncIterable<readonly HistoricPrice[]>;
  /** The cost of energy at stored prices (never the sample); works in every process that has the database. */
  energyCost(query: { readonly area: PriceArea; readonly energy: readonly Energy[] }): Promise<EnergyCost>;
  /** That of many lists of energy, in their order: prices are read once for all. */
  energyCosts(query: EnergyCostQuery): Promise<readonly EnergyCost[]>;
  /** Changes with every change of `spot`, `current` or `days`; equal on every instance. Usable as an ETag. */
  version(): string;
  /** ms since 1970: until then `spot`, `current` and `days` change only if a day is stored or corrected. */
  validUntil(): number;
  /** Subscribes to new and corrected days, stored by any instance, and to every new slot; returns the unsubscribe function. */
  watch(listener: (event: PriceEvent) => void): () => void;
  /** The days from `from` to `until`, both included, that are stored, by day and area. */
  storedDays(from: Day, until: Day): Promise<readonly DaySource[]>;
  /** How many days of each month until a day are stored, by month and area: tomorrow's must not hide a hole of this month. */
  storedMonths(until: Day): Promise<readonly StoredMonth[]>;
  health(): PricesHealth;
  readonly backfill: Backfills;
  /** Starts to fetch, if enabled for this process. */
  start(): void;
  close(): Promise<void>;
}
