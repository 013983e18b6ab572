import type { AreaBasis, MunicipalityBasis } from './tables.ts';

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
