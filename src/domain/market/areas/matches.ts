import type { PriceArea } from '../../../sources/contract/market.ts';
import type { EnergyTax } from '../tax/index.ts';
import { NO_GRID_AREA } from './address.ts';
import {
  type AddressMatch,
  areaConfidence,
  type CoordinateAnswer,
  type GridAreaCandidate,
  municipalityConfidence,
  twoDecimals,
} from './answers.ts';
import type { Candidates, Spot } from './candidates.ts';
import { createLocate } from './coordinate.ts';
import { candidateItem } from './grid-areas.ts';
import { type Place, type Places, positionOf } from './places.ts';
import type { AreaTables, PostalCodeRow } from './tables.ts';

interface MatchesOptions {
  readonly tables: AreaTables;
  readonly places: Places;
  /** By postal code. */
  readonly rows: ReadonlyMap<string, PostalCodeRow>;
  readonly candidates: Candidates;
  readonly taxToday: (municipality: string) => EnergyTax | null;
  /** Credited in the answer to a coordinate. */
  readonly source: string;
}

/** What the tables say of a postal code, of a place and of a coordinate. */
export function createMatches({ tables, places, rows, candidates, taxToday, source }: MatchesOptions) {
  const areasByMunicipality = new Map<string, Set<PriceArea>>();
  for (const { municipality, elomrade } of tables.postal_codes) {
    const areas = areasByMunicipality.get(municipality) ?? new Set();
    areasByMunicipality.set(municipality, areas.add(elomrade));
  }
  const isSplit = (municipality: string) => (areasByMunicipality.get(municipality)?.size ?? 0) > 1;
  const locate = createLocate(tables, isSplit);

  const gridAreasAt = (spot: Spot): GridAreaCandidate[] => candidates.at(spot).map(candidateItem);
  const confidenceOf = (row: PostalCodeRow) =>
    twoDecimals(
      Math.min(
        areaConfidence(row.elomrade_basis, isSplit(row.municipality)),
        municipalityConfidence(row.municipality_basis),
      ),
    );
  const positioned = (lat: number | null, lon: number | null, is: 'postal_code' | 'place') =>
    lat === null || lon === null ? {} : { at: { lat, lon, is } };

  function postalMatch(row: PostalCodeRow): AddressMatch {
    const { code, place, municipality, elomrade } = row;
    const { lat, lon } = positionOf(row) ?? { lat: null, lon: null };
    const kommun = places.municipalityOf(row);
    return {
      postal_code: code,
      ort: place,
      kommun,
      lan: places.countyOf(municipality),
      elomrade,
      lat,
      lon,
      grid_areas: gridAreasAt({ ort: place, kommun, elomrade, ...positioned(lat, lon, 'postal_code') }),
      energy_tax: taxToday(municipality),
      confidence: confidenceOf(row),
    };
  }

  function placeMatch({ item }: Place, share: number): AddressMatch {
    const { ort, kommun, lan, elomrade, postal_codes, lat, lon } = item;
    const [code = ''] = postal_codes;
    const row = rows.get(code);
    return {
      postal_code: postal_codes.length === 1 ? code : null,
      ort,
      kommun,
      lan,
      elomrade,
      lat,
      lon,
      grid_areas: gridAreasAt({ ort, kommun, elomrade, ...positioned(lat, lon, 'place') }),
      energy_tax: taxToday(kommun.code),
      // A name is weaker than a postal code: a place that is in no table may share it.
      confidence: twoDecimals((row === undefined ? 0.5 : confidenceOf(row)) * 0.9 * share),
    };
  }

  function coordinateAnswer(lat: number, lon: number): CoordinateAnswer {
    const { elomrade, metres, row, municipality, confidence } = locate(lat, lon);
    const kommun = places.municipalityOf({ municipality });
    const grid_areas = gridAreasAt({ ort: row.place, kommun, elomrade, at: { lat, lon, is: 'address' } });
    return {
      lat,
      lon,
      elomrade,
      distance_m: metres,
      ort: row.place,
      postal_code: row.code,
      kommun,
      lan: places.countyOf(municipality),
      grid_areas,
      energy_tax: taxToday(municipality),
      source: source,
      confidence,
      ...(grid_areas.length === 0 ? { note: NO_GRID_AREA } : {}),
    };
  }

  return { postal: postalMatch, place: placeMatch, coordinate: coordinateAnswer };
}
