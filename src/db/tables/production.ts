/** Settled production as its source serves it; `src/domain/production` determines the unit. */
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
