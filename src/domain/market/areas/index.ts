import type { Clock } from '../../../core/clock.ts';
import { AppError } from '../../../core/errors.ts';
import type { Geocode } from '../../../sources/contract/geocoder.ts';
import { PRICE_AREA_FACTS, PRICE_AREAS, type PriceArea } from '../../../sources/contract/market.ts';
import { createTax, type EnergyTax, type Tax } from '../tax/index.ts';
import { type AddressParts, type AddressQuery, NO_GRID_AREA, resolveAddress } from './address.ts';
import type {
  AddressAnswer,
  CoordinateAnswer,
  GridAreaAnswer,
  GridOwnerItem,
  PlaceAnswer,
  PostalAnswer,
  TaxAnswer,
} from './answers.ts';
import { createCandidates } from './candidates.ts';
import { indexGridAreas } from './grid-areas.ts';
import { createMatches } from './matches.ts';
import { indexPlaces, lower } from './places.ts';
import { type Outline, outlinesOf } from './polygon.ts';
import {
  type AreaTax,
  createToday,
  indexAreaTax,
  indexMunicipalities,
  indexRegions,
  type Region,
} from './regions.ts';
import { exactly, type FoundPlace, searchPlaces, similarNames } from './search.ts';
import type { AreaTables } from './tables.ts';

export type * from './answers.ts';
export type { Outline } from './polygon.ts';
export { indexPoints, indexShapes, metresPerDegree, simplify } from './polygon.ts';
export type { AreaTax, Region } from './regions.ts';
export { encodeTable, fileOf, isMissing, READY, readTables } from './seed.ts';
export { CODECS, type Codec, TABLE_NAMES, type TableName } from './seed-codecs.ts';
export { decodeSeed, faultAt, type SeedShape } from './seed-file.ts';
export * from './tables.ts';

/** Look-ups in the Swedish tables, all from memory. Names are compared without case and accents. */
export interface Areas {
  /** By five digits; throws `place.not_found`. */
  postal(code: string): PostalAnswer;
  /** By the code of a grid area, an EIC or an operator's id; throws `area.not_found`. */
  gridArea(code: string): GridAreaAnswer;
  /** At most 20 places, best first. */
  search(query: string): readonly FoundPlace[];
  /** All places of this name; throws `place.not_found`. */
  place(name: string): PlaceAnswer;
  /** A municipality or a county by name; null if there is none. */
  region(name: string): Region | null;
  /** Asynchronous only when a geocoder is asked; throws `address.not_found`, `place.not_found` or `geocoder.unavailable`. */
  address(query: AddressQuery): AddressAnswer | Promise<AddressAnswer>;
  /** By finite WGS84 degrees; throws `coordinate.outside`. */
  coordinate(lat: number, lon: number): CoordinateAnswer;
  priceAreas(): readonly { readonly code: PriceArea; readonly name: string; readonly eic: string }[];
  gridOwners(): readonly GridOwnerItem[];
  /** Coarse outlines of the price areas for a map; computed on each call. */
  outlines(): readonly Outline[];
  /** By a municipality's code or name, or a postal code's; throws `place.not_found` or `tax.unknown`. */
  tax(of: { readonly kommun: string } | { readonly postal: string }, date?: string): TaxAnswer;
  /** Of a price area on a day, `2026-11-21`; null before the first known rate. */
  areaTax(area: PriceArea, day: string): AreaTax | null;
  /** Until when, ms since 1970, responses stay unchanged: they hold today's tax. */
  validUntil(): number;
  /** Whether `address` asks a geocoder, so that its responses may change. */
  readonly hasGeocoder: boolean;
}

interface AreasOptions {
  readonly tables: AreaTables;
  readonly clock: Clock;
  readonly geocode?: Geocode | undefined;
}

/** Builds all indexes once; the tables are not changed afterwards. */
export function createAreas({ tables, clock, geocode }: AreasOptions): Areas {
  const places = indexPlaces(tables);
  const candidates = createCandidates(tables, places);
  const gridAreas = indexGridAreas(tables, places, candidates);
  const municipalities = indexMunicipalities(tables.municipalities);
  const tax = createTax(tables);
  const areaTax = indexAreaTax(tables.postal_codes, tax);
  const today = createToday(clock);
  const rows = new Map(tables.postal_codes.map((row) => [row.code, row]));
  const sources = {
    all: sourceOf(tables, [
      'postal_codes',
      'municipalities',
      'grid_areas',
      'zones',
      'municipality_shapes',
      'concessions',
      'tax_rates',
    ]),
    areas: sourceOf(tables, ['grid_areas', 'operators']),
    places: sourceOf(tables, ['postal_codes', 'municipalities', 'grid_areas', 'tax_rates']),
    tax: sourceOf(tables, ['tax_rates', 'reduced_tax']),
  };

  const taxToday = (municipality: string): EnergyTax | null => tax.on(municipality, today.now().day);
  const region = indexRegions({ tables, municipalities, taxToday });
  const matches = createMatches({ tables, places, rows, candidates, taxToday, source: sources.all });

  function unknownPostalCode(code: string): AppError {
    return new AppError(
      'place.not_found',
      `the postal code ${code.slice(0, 3)} ${code.slice(3)} is unknown; ${rows.size} are known, and search/ort finds them by place`,
    );
  }

  const named = (name: string) => exactly(places.named(name), name);
  const similar = (name: string): string => {
    const names = similarNames(places, name, 5);
    return names.length === 0 ? '' : `; did you mean ${names.join(', ')}?`;
  };
  const parts: AddressParts = {
    geocode,
    source: sources.all,
    postal(code) {
      const row = rows.get(code);
      return row === undefined ? null : matches.postal(row);
    },
    places: named,
    place: matches.place,
    coordinate(lat, lon) {
      const { distance_m: _distance, source: _source, note: _note, ...match } = matches.coordinate(lat, lon);
      return { ...match, ort: match.ort ?? '' };
    },
    unknownPostalCode,
    similar,
  };

  return {
    hasGeocoder: geocode !== undefined,
    validUntil: () => today.now().ends,
    postal(code) {
      const row = rows.get(code);
      if (row === undefined) throw unknownPostalCode(code);
      const { lat: _lat, lon: _lon, ...match } = matches.postal(row);
      return {
        ...match,
        postal_code: code,
        source: sources.places,
        ...(match.grid_areas.length === 0 ? { note: NO_GRID_AREA } : {}),
      };
    },
    gridArea: (code) => ({ grid_areas: gridAreas.byCode(code), source: sources.areas }),
    search: (query) => searchPlaces(places, query),
    place(name) {
      const found = named(name);
      if (found.length === 0) {
        throw new AppError(
          'place.not_found',
          `there is no place "${name.trim().slice(0, 60)}"${similar(name)}`,
        );
      }
      const written = lower(name);
      return {
        matches: found.map((place) => {
          const { grid_areas, energy_tax } = matches.place(place, 1);
          return {
            ...place.item,
            score: place.lower === written ? 1 : 0.9,
            energy_tax,
            grid_areas,
            ...(grid_areas.length === 0 ? { note: NO_GRID_AREA } : {}),
          };
        }),
        source: sources.places,
      };
    },
    region,
    address: (query) => resolveAddress(query, parts),
    coordinate: matches.coordinate,
    priceAreas: () => PRICE_AREAS.map((code) => ({ code, ...PRICE_AREA_FACTS[code] })),
    gridOwners: gridAreas.owners,
    outlines: () => outlinesOf(tables.zones),
    areaTax,
    tax(of, date) {
      const kommun = 'kommun' in of ? municipalities.byText(of.kommun) : ofPostalCode(of.postal);
      return taxAnswer(tax, { kommun, day: date ?? today.now().day, source: sources.tax });
    },
  };

  function ofPostalCode(code: string) {
    const row = rows.get(code);
    if (row === undefined) throw unknownPostalCode(code);
    return places.municipalityOf(row);
  }
}

/** The sources to credit in a response that uses these tables, each once. */
function sourceOf({ sources }: AreaTables, names: readonly (keyof AreaTables)[]): string {
  const used = sources.filter(({ table }) => (names as readonly string[]).includes(table));
  return [...new Set(used.map(({ name }) => name))].join('; ');
}

/** Throws `tax.unknown`. */
function taxAnswer(
  tax: Tax,
  { kommun, day, source }: { kommun: TaxAnswer['kommun']; day: string; source: string },
): TaxAnswer {
  const energy_tax = tax.on(kommun.code, day);
  if (energy_tax === null) {
    const since = tax.since === null ? 'no rate is known' : `the first known rate is for ${tax.since}`;
    throw new AppError('tax.unknown', `no energy tax rate is known for ${day}; ${since}`);
  }
  const is_forecast = tax.isForecast(day);
  return {
    kommun,
    date: day,
    energy_tax,
    is_forecast,
    rates: tax.all(kommun.code),
    source,
    ...(is_forecast
      ? {
          note: `the rates of ${day.slice(0, 4)} are unknown; the rates of ${energy_tax.valid_from} are used instead`,
        }
      : {}),
  };
}
