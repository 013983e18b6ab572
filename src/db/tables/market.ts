/** The price of one slot in one price area; fields common to all slots are stored with the day. */
interface PriceSlots {
  area: string;
  start_at: number;
  end_at: number;
  /** The calendar day in Sweden, `2026-11-21`. */
  day: string;
  /** Decimal text per kWh, as the source sends it. */
  sek: string;
  eur: string | null;
}

/** A whole day of one price area, always from one source. */
interface PriceDays {
  area: string;
  day: string;
  start_at: number;
  end_at: number;
  slot_min: number;
  /** SEK per kWh, five decimals. */
  mean: string;
  exchange_rate: string | null;
  converted: number;
  source: string;
  published_at: number | null;
  /** A hash of its slots and their prices in SEK. */
  fingerprint: string;
  fetched_at: number;
  /** When a source last reported the same. */
  checked_at: number;
}

interface ExchangeRates {
  day: string;
  source: string;
  sek_per_eur: string;
  fetched_at: number;
}

/** The last result of each source of prices. */
interface PriceSources {
  source: string;
  outcome: string;
  sentence: string;
  asked_at: number;
  succeeded_at: number | null;
  failures_in_row: number;
  not_before: number | null;
}

interface PriceBackfills {
  id: string;
  from_day: string;
  until_day: string;
  areas_json: string;
  refresh: number;
  /** running, done, cancelled */
  status: string;
  next_day: string;
  days_done: number;
  days_skipped: number;
  days_missing: number;
  days_failed: number;
  failures_json: string;
  created_at: number;
  updated_at: number;
  finished_at: number | null;
}

/** Prices of electricity, and their sources. */
export interface PriceTables {
  prices: PriceSlots;
  price_days: PriceDays;
  exchange_rates: ExchangeRates;
  price_sources: PriceSources;
  price_backfills: PriceBackfills;
}

/** Settled production as its source serves it; `src/domain/market/production` determines the unit. */
interface Production {
  area: string;
  start: number;
  length_min: number;
  /** Above 0: a slot without figures is not stored. */
  total: number;
  hydro: number | null;
  nuclear: number | null;
  wind: number | null;
  solar: number | null;
  thermal: number | null;
  other: number | null;
  source: string;
  changed_at: number;
}

/** The last result of a source of production. */
interface ProductionSources {
  slug: string;
  asked_at: number;
  /** When its last readable response arrived. */
  answered_at: number | null;
  /** It is not called before this time. */
  not_before: number;
  failures: number;
  /** The number of implausible slots in its last response. */
  refused: number;
  sentence: string;
}

/** Production of electricity, and its sources. */
export interface ProductionTables {
  production: Production;
  production_sources: ProductionSources;
}
