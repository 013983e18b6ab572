import type { PriceArea } from '../../../sources/contract/market.ts';
import type { EnergyTax } from '../tax/index.ts';
import type { Coded, PlaceItem } from './places.ts';
import type { FoundPlace } from './search.ts';
import type { AreaBasis, GridAreaType, MunicipalityBasis } from './tables.ts';

export interface Owner {
  /** National operator id; null when the register names an unregistered owner. */
  readonly id: string | null;
  readonly name: string;
}

/** One of the grid areas that may supply a place. */
export interface GridAreaCandidate {
  readonly code: string;
  readonly name: string;
  readonly eic: string | null;
  readonly elomrade: PriceArea;
  readonly owner: Owner;
  readonly confidence: number;
}

/** Facts about a resolved place. */
interface Situated {
  readonly kommun: Coded;
  readonly lan: Coded;
  readonly elomrade: PriceArea;
  readonly grid_areas: readonly GridAreaCandidate[];
  /** null without a rate for the day. */
  readonly energy_tax: EnergyTax | null;
}

/** Explains what the figures do not: why a list is empty, or which input was not used. Absent otherwise. */
interface Noted {
  readonly note?: string;
}

export interface PostalAnswer extends Situated, Noted {
  readonly postal_code: string;
  readonly ort: string;
  readonly source: string;
  readonly confidence: number;
}

export interface MunicipalityOfArea extends Coded {
  readonly confidence: number;
}

export interface GridAreaAnswer {
  readonly grid_areas: readonly {
    readonly code: string;
    readonly name: string;
    readonly type: GridAreaType;
    readonly eic: string | null;
    readonly elomrade: PriceArea;
    readonly owner: Owner;
    readonly municipalities: readonly MunicipalityOfArea[];
  }[];
  readonly source: string;
}

export interface PlaceMatch extends FoundPlace, Noted {
  readonly grid_areas: readonly GridAreaCandidate[];
  readonly energy_tax: EnergyTax | null;
}

export interface PlaceAnswer {
  readonly matches: readonly PlaceMatch[];
  readonly source: string;
}

export interface AddressMatch extends Situated {
  readonly postal_code: string | null;
  readonly ort: string;
  readonly lat: number | null;
  readonly lon: number | null;
  readonly confidence: number;
}

export interface AddressAnswer extends Noted {
  readonly resolved_by: 'postnr' | 'ort' | 'geocoder';
  readonly confidence: number;
  /** The value that all matches agree on, or null. */
  readonly postal_code: string | null;
  readonly ort: string | null;
  readonly kommun: Coded | null;
  readonly lan: Coded | null;
  readonly elomrade: PriceArea | null;
  readonly lat: number | null;
  readonly lon: number | null;
  /** Empty while several places match. */
  readonly grid_areas: readonly GridAreaCandidate[];
  readonly energy_tax: EnergyTax | null;
  /** Most likely first. */
  readonly matches: readonly AddressMatch[];
  readonly source: string;
}

export interface CoordinateAnswer extends Situated, Noted {
  readonly lat: number;
  readonly lon: number;
  /** Distance to the price area's polygon; 0 inside. */
  readonly distance_m: number;
  /** The nearest postal code; null when none is near. */
  readonly postal_code: string | null;
  readonly ort: string | null;
  readonly source: string;
  readonly confidence: number;
}

export interface GridOwnerItem extends Owner {
  /** Codes of all its grid areas, of every type. */
  readonly grid_areas: readonly string[];
  readonly elomraden: readonly PriceArea[];
}

export interface TaxAnswer extends Noted {
  readonly kommun: Coded;
  readonly date: string;
  readonly energy_tax: EnergyTax;
  /** Whether that year's rate is not decided yet and the latest one is used instead. */
  readonly is_forecast: boolean;
  readonly rates: readonly (EnergyTax & { readonly valid_until: string | null })[];
  readonly source: string;
}

export type { Coded, PlaceItem };

/*
 * Confidence of a fact, 0 to 1, by how it was found. These are judgements, kept in one place so that responses agree.
 */

/** Of a price area; lower when the municipality is split, as polygon edges may be off. */
export function areaConfidence(basis: AreaBasis, isSplit: boolean): number {
  switch (basis) {
    case 'register':
      return 0.99;
    case 'polygon':
      return isSplit ? 0.85 : 0.97;
    case 'nearest_polygon':
      return isSplit ? 0.75 : 0.92;
    case 'municipality':
      return isSplit ? 0.6 : 0.9;
  }
}

export function municipalityConfidence(basis: MunicipalityBasis): number {
  return basis === 'stated' ? 0.97 : 0.8;
}

/** Of a position's municipality, by distance to the nearest postal code and the share of the nearest ones that agree. */
export function nearbyConfidence(metres: number, agreeing: number): number {
  const near =
    metres < 2_000 ? 0.95 : metres < 5_000 ? 0.85 : metres < 10_000 ? 0.7 : metres < 25_000 ? 0.5 : 0.3;
  return near * (0.5 + 0.5 * agreeing);
}

export const twoDecimals = (value: number) => Math.round(value * 100) / 100;
