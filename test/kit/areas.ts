import assert from 'node:assert/strict';
import { AppError, type ErrorCodeName } from '../../src/core/errors.ts';
import type { AreaTables } from '../../src/domain/market/areas/index.ts';
import { PRICE_AREAS, type PriceArea } from '../../src/sources/contract/market.ts';

type Tables = { -readonly [K in keyof AreaTables]: AreaTables[K] };
type PostalCode = AreaTables['postal_codes'][number];
type GridArea = AreaTables['grid_areas'][number];
type Polygon = AreaTables['zones'][number]['polygons'][number];

/** A rectangle, closed without repeating its first point. */
export function rectangle(south: number, west: number, north: number, east: number): Polygon {
  return [
    {
      lat: Float64Array.of(south, south, north, north),
      lon: Float64Array.of(west, east, east, west),
    },
  ];
}

export function postalCode(code: string, place: string, rest: Partial<PostalCode> = {}): PostalCode {
  return {
    code,
    place,
    municipality: '0180',
    municipality_basis: 'stated',
    lat: 59.33,
    lon: 18.06,
    elomrade: 'SE3',
    elomrade_basis: 'polygon',
    ...rest,
  };
}

export function gridArea(code: string, name: string, rest: Partial<GridArea> = {}): GridArea {
  return {
    code,
    name,
    type: 'DISTRIBUTION',
    elomrade: 'SE3',
    owner: '14900',
    owner_name: 'Ellevio AB',
    eic: null,
    ...rest,
  };
}

const ZONES: Record<PriceArea, Polygon> = {
  SE1: rectangle(65.5, 16, 69, 24),
  SE2: rectangle(62, 13, 65.5, 21.5),
  SE3: rectangle(57, 11.5, 62, 19),
  SE4: rectangle(55.3, 12.9, 57, 16.5),
};
const north = { municipality: '2580', elomrade: 'SE1', lat: 65.58, lon: 22.15 } as const;
const south = { municipality: '1280', elomrade: 'SE4', lat: 55.6, lon: 13.0 } as const;
const west = { municipality: '1383', lat: 57.1, lon: 12.25 } as const;

/** Tables small enough to reason about; price areas are rectangles. Facts of 2026, with other rows where a test needs them. */
export function smallTables(changed: Partial<Tables> = {}): AreaTables {
  return {
    counties: [
      { code: '01', name: 'Stockholms län' },
      { code: '12', name: 'Skåne län' },
      { code: '13', name: 'Hallands län' },
      { code: '25', name: 'Norrbottens län' },
    ],
    municipalities: [
      { code: '0180', name: 'Stockholm', county: '01' },
      { code: '0182', name: 'Nacka', county: '01' },
      { code: '1280', name: 'Malmö', county: '12' },
      { code: '1383', name: 'Varberg', county: '13' },
      { code: '2580', name: 'Luleå', county: '25' },
    ],
    postal_codes: [
      postalCode('11122', 'Stockholm'),
      postalCode('11123', 'Stockholm', { lat: 59.34, lon: 18.08 }),
      postalCode('13100', 'Nacka', { municipality: '0182', lat: 59.31, lon: 18.16 }),
      postalCode('13200', 'Saltsjö-Boo', {
        municipality: '0182',
        municipality_basis: 'nearest_postal_code',
        lat: 59.33,
        lon: 18.25,
      }),
      postalCode('21100', 'Malmö', south),
      postalCode('21200', 'Näs', { ...south, lat: 55.62 }),
      postalCode('43200', 'Varberg', west),
      postalCode('43210', 'Tvååker', { ...west, lat: 57.04, lon: 12.4 }),
      postalCode('43220', 'Näs', { ...west, lat: 57.2, lon: 12.3 }),
      postalCode('43221', 'Näs', { ...west, lat: 57.2, lon: 12.31 }),
      postalCode('97231', 'Luleå', north),
      postalCode('97500', 'Överträsk', { ...north, lat: null, lon: null, elomrade_basis: 'municipality' }),
    ],
    grid_areas: [
      gridArea('STH', 'Stockholm'),
      gridArea('JRA', 'Järla', { owner: '28500', owner_name: 'Nacka Energi AB' }),
      gridArea('VBG', 'Varberg', { owner: '36800', owner_name: 'Varberg Energi Elnät AB' }),
      gridArea('VBN', 'Varbergsorten Norra', { owner: '36900', owner_name: 'Varbergsortens Elnät AB' }),
      gridArea('VBS', 'Varbergsorten Södra', { owner: '36900', owner_name: 'Varbergsortens Elnät AB' }),
      gridArea('NHA', 'Halland Norra'),
      gridArea('HLD', 'Halland', {
        elomrade: 'SE4',
        owner: '16000',
        owner_name: 'E.ON Energidistribution AB',
      }),
      gridArea('MMO', 'Malmö-Burlöv', {
        elomrade: 'SE4',
        owner: '16000',
        owner_name: 'E.ON Energidistribution AB',
      }),
      gridArea('LUL', 'Luleå', { elomrade: 'SE1', owner: '11600', owner_name: 'Luleå Energi Elnät AB' }),
      gridArea('LUR', 'Luleå region', {
        elomrade: 'SE1',
        type: 'REGIONAL',
        owner: null,
        owner_name: 'Okänd AB',
      }),
    ],
    operators: [
      { id: '14900', name: 'Ellevio AB' },
      { id: '16000', name: 'E.ON Energidistribution AB' },
      { id: '28500', name: 'Nacka Energi AB' },
      { id: '36800', name: 'Varberg Energi Elnät AB' },
      { id: '36900', name: 'Varbergsortens Elnät AB' },
      { id: '11600', name: 'Luleå Energi Elnät AB' },
      { id: '46600', name: 'Årsunda Kraft' },
      { id: '24200', name: 'Affärsverken Elnät AB' },
    ],
    zones: PRICE_AREAS.map((elomrade) => ({ elomrade, polygons: [ZONES[elomrade]] })),
    municipality_shapes: [],
    concessions: [],
    tax_rates: [
      { valid_from: '2025-01-01', normal: '43.9', reduced: '34.3' },
      { valid_from: '2026-01-01', normal: '36.0', reduced: '26.4' },
    ],
    reduced_tax: [{ municipality: '2580', valid_from: '2018-01-01', valid_until: null }],
    sources: (['postal_codes', 'grid_areas', 'operators', 'tax_rates'] as const).map((table) => ({
      table,
      name:
        table === 'postal_codes' ? 'GeoNames' : table === 'tax_rates' ? 'Skatteverket' : 'eSett Open Data',
      licence: 'CC BY 4.0',
      as_of: '2026-01-01',
    })),
    ...changed,
  };
}

/** The code of the error that a look-up throws; undefined where it finds something. */
export function codeOf(work: () => unknown): ErrorCodeName | undefined {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof AppError, String(error));
    return error.code;
  }
  return undefined;
}
