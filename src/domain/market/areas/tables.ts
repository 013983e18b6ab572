import type { PriceArea } from '../../../sources/contract/market.ts';

/** How the price area of a postal code was found, most reliable first. */
export const AREA_BASES = ['register', 'polygon', 'nearest_polygon', 'municipality'] as const;
export type AreaBasis = (typeof AREA_BASES)[number];

/**
 * How the municipality of a postal code was found, most reliable first: a source states it; most codes of the same place
 * have it; the nearest code has it.
 */
export const MUNICIPALITY_BASES = ['stated', 'same_place', 'nearest_postal_code'] as const;
export type MunicipalityBasis = (typeof MUNICIPALITY_BASES)[number];

export interface PostalCodeRow {
  /** Five digits. */
  readonly code: string;
  readonly place: string;
  /** Four digits, a code of `municipalities`. */
  readonly municipality: string;
  readonly municipality_basis: MunicipalityBasis;
  /** WGS84 degrees; null when no source has a position. */
  readonly lat: number | null;
  readonly lon: number | null;
  readonly elomrade: PriceArea;
  readonly elomrade_basis: AreaBasis;
}

export interface MunicipalityRow {
  /** Four digits, as text: the first may be 0. */
  readonly code: string;
  /** Without "kommun": Upplands Väsby. */
  readonly name: string;
  /** The first two digits of the code. */
  readonly county: string;
}

export interface CountyRow {
  readonly code: string;
  readonly name: string;
}

export const GRID_AREA_TYPES = [
  'DISTRIBUTION',
  'REGIONAL',
  'TRANSMISSION',
  'PRODUCTION',
  'BORDER',
  'NONCON',
] as const;
export type GridAreaType = (typeof GRID_AREA_TYPES)[number];

/** A metering grid area (MGA). */
export interface GridAreaRow {
  /** Three letters or digits: STH. */
  readonly code: string;
  readonly name: string;
  readonly type: GridAreaType;
  readonly elomrade: PriceArea;
  /** A national operator id of `operators`; null when the register names an unregistered owner. */
  readonly owner: string | null;
  readonly owner_name: string;
  /** EIC of the area; null in the bundled table, as we know of no public list. */
  readonly eic: string | null;
}

/** A distribution system operator. */
export interface OperatorRow {
  /** National id (NSE) such as 14900; it equals the Ediel id. */
  readonly id: string;
  readonly name: string;
}

/** A ring of longitudes and latitudes in WGS84 degrees, closed without repeating its first point. */
export interface Ring {
  readonly lon: Float64Array;
  readonly lat: Float64Array;
}

/** A polygon: its outer ring first, then its holes. */
export type Polygon = readonly Ring[];

export interface ZoneRow {
  readonly elomrade: PriceArea;
  readonly polygons: readonly Polygon[];
}

/** Land and sea of a municipality. Without this optional table the nearest postal code decides. */
export interface MunicipalityShapeRow {
  readonly municipality: string;
  readonly name: string;
  readonly polygons: readonly Polygon[];
}

/** A grid owner's concession for a local grid, from Energimarknadsinspektionen; empty until imported. */
export interface ConcessionRow {
  /** 104FA. */
  readonly id: string;
  readonly owner_name: string;
  readonly polygons: readonly Polygon[];
}

/** Source and date of a table, returned with every response that uses it. A table of several sources has a row for each. */
export interface TableSource {
  readonly table: string;
  readonly name: string;
  readonly licence: string;
  /** The day of the data, or on which it was fetched. */
  readonly as_of: string;
}

/** Energy tax on electricity from a day on, öre per kWh without VAT, decimal text. Lag (1994:1776) om skatt på energi, 11 kap. */
export interface TaxRateRow {
  readonly valid_from: string;
  readonly normal: string;
  readonly reduced: string;
}

/** A municipality with the reduced rate for households and services, from one day to before another. */
export interface ReducedTaxRow {
  readonly municipality: string;
  readonly valid_from: string;
  readonly valid_until: string | null;
}

/** The Swedish tables, bundled in `seed` or imported. */
export interface AreaTables {
  readonly postal_codes: readonly PostalCodeRow[];
  readonly municipalities: readonly MunicipalityRow[];
  readonly counties: readonly CountyRow[];
  readonly grid_areas: readonly GridAreaRow[];
  readonly operators: readonly OperatorRow[];
  readonly zones: readonly ZoneRow[];
  readonly municipality_shapes: readonly MunicipalityShapeRow[];
  readonly concessions: readonly ConcessionRow[];
  readonly tax_rates: readonly TaxRateRow[];
  readonly reduced_tax: readonly ReducedTaxRow[];
  readonly sources: readonly TableSource[];
}
