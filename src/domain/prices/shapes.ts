import type { Day, PriceArea } from '../../sources/contract/market.ts';

/** The day-ahead price of one slot, without VAT and tax. Moments are ms since 1970 UTC. */
export interface SpotPrice {
  readonly area: PriceArea;
  readonly start: number;
  readonly end: number;
  /** SEK per kWh, plain decimal text. */
  readonly price: string;
  /** EUR per kWh; null where the source knows kronor alone. */
  readonly price_eur: string | null;
  /** Kronor for a euro, as the source states it or as `price` was made with; null where none is known. */
  readonly exchange_rate: string | null;
  /** true: the source knows euros alone, and `price` is `price_eur` at a rate that another source published. */
  readonly converted: boolean;
  /** When the source published it; null where it does not say. */
  readonly published_at: number | null;
  /** Slug of the source; `sample` for the bundled day, which is no real price. */
  readonly source: string;
}

/** A whole day of one area, as `spot` and `current` are answered from it: what of it is past is there too. */
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
  /** SEK per kWh by area, now; null where none is known. */
  readonly now: Readonly<Record<PriceArea, string | null>>;
  /** Mean of the Swedish day weighted by slot length, rounded to five decimals; null where the day is not known. */
  readonly today_avg: Readonly<Record<PriceArea, string | null>>;
  readonly unit: 'SEK/kWh';
  /** Slugs of the sources that the figures come from, in order of area, comma-separated. */
  readonly source: string;
}

export const RESOLUTIONS = ['slot', 'hour', 'day'] as const;
export type Resolution = (typeof RESOLUTIONS)[number];

/** Slots that start from `from` until before `until`; for hours and (Swedish) days each one that the range touches, whole. */
export interface HistoryQuery {
  readonly area: PriceArea;
  /** ms since 1970 UTC. */
  readonly from: number;
  readonly until: number;
  readonly resolution: Resolution;
}

/** A slot, or the mean over an hour or a day. Of several sources in one mean, their slugs are comma-separated. */
export type HistoricPrice = Omit<SpotPrice, 'exchange_rate' | 'published_at'>;

export type PriceEvent =
  /** A day of an area is new, or was replaced by a correction. */
  | {
      readonly kind: 'stored' | 'corrected';
      readonly days: readonly { readonly area: PriceArea; readonly day: Day }[];
    }
  /** Another slot is the current one. */
  | { readonly kind: 'slot'; readonly start: number };

/** How a source answered last. */
export const SOURCE_OUTCOMES = [
  'ok',
  /** It answered, and has not published what was asked for. */
  'not_published',
  /** It answered what cannot be right. */
  'refused',
  /** It answered what is hardly right; only another source that says the same makes it believed. */
  'quarantined',
  'unreachable',
  'timeout',
  'rate_limited',
  'http_refused',
  'server_error',
  'answer_invalid',
  /** It knows euros alone, and no exchange rate is known. */
  'no_rate',
] as const;
export type SourceOutcome = (typeof SOURCE_OUTCOMES)[number];

export interface SourceHealth {
  readonly source: string;
  readonly outcome: SourceOutcome;
  /** What happened, for a person to read. */
  readonly sentence: string;
  readonly asked_at: number;
  readonly succeeded_at: number | null;
  readonly failures_in_row: number;
  /** It asked not to be asked before. */
  readonly not_before: number | null;
}

export interface PricesHealth {
  readonly status: 'ok' | 'degraded';
  /** For `/readyz`. */
  readonly sentence: string;
  /** By area, until when real prices are known without a gap from now on; null where none is. */
  readonly until: Readonly<Record<PriceArea, number | null>>;
  readonly sources: readonly SourceHealth[];
  /** Whether sources are asked at all, by any process; the operator may have switched it off. */
  readonly is_on: boolean;
  /** Whether this process asks the sources; of several that could, one does. */
  readonly is_fetching: boolean;
  readonly next_attempt_at: number | null;
}

export interface BackfillRequest {
  /** First and last day, both included. */
  readonly from: Day;
  readonly until: Day;
  /** All four where left out. */
  readonly areas?: readonly PriceArea[];
  /** Asks for days that are stored already as well. */
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
  /** Were stored already. */
  readonly days_skipped: number;
  /** No source has at least one of the areas. */
  readonly days_missing: number;
  readonly days_failed: number;
  /** Why days failed, the most frequent first; at most 20 sentences. */
  readonly failures: readonly { readonly sentence: string; readonly days: number; readonly last_day: Day }[];
  readonly created_at: number;
  readonly updated_at: number;
  readonly finished_at: number | null;
}

/** What is wrong with a request: `until must not be before 2026-03-02, …` as a field and a reason. */
export interface BackfillFault {
  readonly field: 'from' | 'until' | 'areas';
  readonly reason: string;
}

export interface Backfills {
  /** Why a request would be refused as `request.invalid`; null where it would not be. */
  faultIn(request: BackfillRequest): BackfillFault | null;
  /**
   * Throws `backfill.running` while another one runs, `backfill.off` where nothing is fetched, `request.invalid` for a
   * range that is none, lies in the future or is longer than 20 years.
   */
  begin(request: BackfillRequest): Promise<Backfill>;
  /** Throws `backfill.not_found`. */
  get(id: string): Promise<Backfill>;
  /** The newest first, at most 100. */
  list(): Promise<Backfill[]>;
  /** Ends it after the day that it is at; what is stored stays. Throws `backfill.not_found`. One that is over stays as it is. */
  cancel(id: string): Promise<Backfill>;
}

export interface Prices {
  /**
   * Prices from the current slot on without a gap, by area then time; an area whose current price is not known is left
   * out. From memory. Throws `prices.unavailable` when none of the areas has any.
   */
  spot(areas: readonly PriceArea[]): readonly SpotPrice[];
  /** From memory. Throws `prices.unavailable` when no area has a price. */
  current(): CurrentPrices;
  /** Today and, where it is published, tomorrow, by area then day; empty where none is known. From memory. */
  days(): readonly PricedDay[];
  /** Stored prices (never the sample), by time, in batches; memory stays flat however long the range is. */
  history(query: HistoryQuery): AsyncIterable<readonly HistoricPrice[]>;
  /** Changes whenever what `spot`, `current` or `days` answers changes; the same on every instance. Fit for an ETag. */
  version(): string;
  /** ms since 1970: until then `spot`, `current` and `days` stay as they are, unless a day is stored or corrected. */
  validUntil(): number;
  /** Hears of new and corrected days, whichever instance stored them, and of every new slot; the answer ends it. */
  watch(listener: (event: PriceEvent) => void): () => void;
  health(): PricesHealth;
  readonly backfill: Backfills;
  /** Begins to fetch, where it is allowed to. */
  start(): void;
  close(): Promise<void>;
}
