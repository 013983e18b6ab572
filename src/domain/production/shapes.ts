import type { PriceArea, ProductionType } from '../../sources/contract/market.ts';

/** Mean power by kind, MW to one decimal; null: the source has no figure. Negative when storage consumed more than it produced. */
export type PowerByType = { readonly [T in ProductionType]: number | null };

/** Production of an area in one slot. Moments are ms since 1970 UTC. */
export interface Produced extends PowerByType {
  readonly area: PriceArea;
  readonly start: number;
  readonly end: number;
  /** MW, above 0. */
  readonly total: number;
  /** Slug of the source. */
  readonly source: string;
}

/** A slot, or the mean over an hour or a Swedish day. */
export interface HistoricProduction extends Produced {
  /** Minutes between start and end with figures; the mean is over these. */
  readonly covered_min: number;
}

/** Slots that start from `from` to before `until`; at the ends of the range, hours and (Swedish) days are whole. */
export interface ProductionQuery {
  readonly area: PriceArea;
  /** ms since 1970 UTC. */
  readonly from: number;
  readonly until: number;
  readonly resolution: 'slot' | 'hour' | 'day';
}

/** Unit of the figures: power, or energy in the slot. */
export type Unit = 'MW' | 'MWh';

export interface ProductionHealth {
  readonly status: 'ok' | 'degraded';
  /** For `/readyz`. */
  readonly sentence: string;
  /** null while it cannot be inferred. */
  readonly unit: Unit | null;
  /** End of the newest slot with figures, by area. */
  readonly until: Readonly<Record<PriceArea, number | null>>;
  /** Areas whose newest figures are older than they should be. */
  readonly late: readonly PriceArea[];
  /** Whether fetching is enabled; the operator may have switched it off. */
  readonly is_on: boolean;
  readonly next_attempt_at: number | null;
  /** How the source responded last; null while it was not asked. */
  readonly source: ProductionSourceHealth | null;
}

export interface ProductionSourceHealth {
  readonly slug: string;
  readonly name: string;
  /** What happened, for people. */
  readonly sentence: string;
  readonly asked_at: number;
  readonly succeeded_at: number | null;
  readonly failures_in_row: number;
  /** End of its Retry-After. */
  readonly not_before: number | null;
}
