import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { OperatorError } from '../../core/errors.ts';
import { parseZones } from './tax-and-zones.ts';

const RING = [
  [22, 65],
  [23, 65],
  [23, 66],
  [22, 65],
];
const zone = (properties: unknown, geometry: unknown) => ({
  type: 'FeatureCollection',
  features: [{ type: 'Feature', properties, geometry }],
});
const parse = (value: unknown) => parseZones(new TextEncoder().encode(JSON.stringify(value)), 'SE_1.geojson');

describe('shapes of price areas', () => {
  it('shapes of price areas are read as GeoJSON', () => {
    const expected = [{ area: 'SE1', polygons: [[RING]] }];
    assert.deepEqual(
      parse(zone({ zoneName: 'SE_1' }, { type: 'MultiPolygon', coordinates: [[RING]] })),
      expected,
    );
    assert.deepEqual(parse(zone({ zoneName: 'SE1' }, { type: 'Polygon', coordinates: [RING] })), expected);
  });

  const polygon = (ring: unknown) => zone({ zoneName: 'SE_1' }, { type: 'Polygon', coordinates: [ring] });
  const FAULTS: readonly [string, unknown, RegExp][] = [
    ['another country', zone({ zoneName: 'NO_1' }, {}), /feature 1 has no zoneName from SE_1 to SE_4/],
    ['no features', { type: 'FeatureCollection', features: [] }, /not a GeoJSON collection with features/],
    ['a line', zone({ zoneName: 'SE_1' }, { type: 'LineString', coordinates: RING }), /is not a Polygon/],
    ['a ring that is open', polygon(RING.slice(0, 3).concat([[24, 67]])), /of closed rings/],
    ['a ring of three points', polygon(RING.slice(0, 3)), /of closed rings/],
    ['metres', polygon(RING.map(([lon = 0, lat = 0]) => [lon * 10_000, lat * 100_000])), /in degrees/],
  ];
  for (const [what, value, sentence] of FAULTS) {
    it(`shapes of price areas are refused: ${what}`, () => {
      assert.throws(
        () => parse(value),
        (error) => error instanceof OperatorError && sentence.test(error.message),
      );
    });
  }

  it('shapes of price areas are refused: a truncated file', () => {
    const text = JSON.stringify(polygon(RING)).slice(0, 60);
    assert.throws(
      () => parseZones(new TextEncoder().encode(text), 'SE_1.geojson'),
      /SE_1\.geojson is not whole JSON/,
    );
  });
});
