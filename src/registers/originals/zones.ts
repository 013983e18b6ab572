import { OperatorError } from '../../core/errors.ts';
import { textOf } from '../formats/delimited.ts';
import { featuresOf, polygonsOf, type Rings } from '../formats/geojson.ts';

/** Shapes of the bidding zones from entsoe-py, redrawn by hand from natomraden.se; MIT. */
export const ZONES = {
  name: 'entsoe-py (EnergieID), redrawn from natomraden.se',
  licence: 'MIT',
  baseUrl: 'https://raw.githubusercontent.com',
  paths: [1, 2, 3, 4].map((number) => `/EnergieID/entsoe-py/HEAD/entsoe/geo/geojson/SE_${number}.geojson`),
} as const;

export interface ZoneShape {
  /** SE1. */
  readonly area: string;
  readonly polygons: readonly Rings[];
}

/** Reads a GeoJSON collection whose features have a zoneName such as SE_3. */
export function parseZones(bytes: Uint8Array, file: string): ZoneShape[] {
  return featuresOf(textOf(bytes, file), file).map((feature): ZoneShape => {
    const { properties, where } = feature;
    const zone = properties.zoneName;
    const area = /^SE_?([1-4])$/.exec(typeof zone === 'string' ? zone : '')?.[1];
    if (area === undefined) throw new OperatorError(`${where} has no zoneName from SE_1 to SE_4.`);
    return { area: `SE${area}`, polygons: polygonsOf(feature) };
  });
}
