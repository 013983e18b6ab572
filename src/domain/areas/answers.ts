import type { PriceArea } from '../../sources/contract/market.ts';
import type { EnergyTax } from '../tax/index.ts';
import type { Coded, PlaceItem } from './places.ts';
import type { FoundPlace } from './search.ts';
import type { GridAreaType } from './tables.ts';

export interface Owner {
  /** National operator id; null where the register names an owner that is not registered. */
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

/** What is known of a place once it is found. */
interface Situated {
  readonly kommun: Coded;
  readonly lan: Coded;
  readonly elomrade: PriceArea;
  readonly grid_areas: readonly GridAreaCandidate[];
  /** null where no rate is known for the day. */
  readonly energy_tax: EnergyTax | null;
}

/** What is not told by the figures alone: why a list is empty, what was not used. Absent when there is nothing to say. */
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
  /** What all matches agree on; null where they do not. */
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
  /** The likeliest first. */
  readonly matches: readonly AddressMatch[];
  readonly source: string;
}

export interface CoordinateAnswer extends Situated, Noted {
  readonly lat: number;
  readonly lon: number;
  /** 0 inside the price area's polygon, else how far it is away. */
  readonly distance_m: number;
  /** Of the nearest known postal code; null where none is near. */
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
  /** Whether the rate of that year is not known yet, and the latest one stands in. */
  readonly is_forecast: boolean;
  readonly rates: readonly (EnergyTax & { readonly valid_until: string | null })[];
  readonly source: string;
}

export type { Coded, PlaceItem };
