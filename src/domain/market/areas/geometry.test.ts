import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { indexPoints, indexShapes, metresPerDegree } from './polygon.ts';

import type { Polygon, Ring } from './tables.ts';

/** The textbook rule, edge by edge: a ray to the east crosses the rings an odd number of times. */
function contains(polygon: Polygon, lat: number, lon: number): boolean {
  let isInside = false;
  for (const ring of polygon) {
    for (let i = 0, j = ring.lon.length - 1; i < ring.lon.length; j = i, i += 1) {
      const [x1, y1, x2, y2] = [ring.lon[j], ring.lat[j], ring.lon[i], ring.lat[i]].map(Number) as [
        number,
        number,
        number,
        number,
      ];
      if (y1 > lat !== y2 > lat && lon < ((x2 - x1) * (lat - y1)) / (y2 - y1) + x1) isInside = !isInside;
    }
  }
  return isInside;
}

/** Degrees on a grid, so that points often lie level with corners. */
const degree = (min: number, max: number) => fc.integer({ min: min * 20, max: max * 20 }).map((n) => n / 20);
const ring = fc.array(fc.tuple(degree(60, 62), degree(14, 16)), { minLength: 3, maxLength: 12 }).map(
  (points): Ring => ({
    lat: Float64Array.from(points, ([lat]) => lat),
    lon: Float64Array.from(points, ([, lon]) => lon),
  }),
);
const shapes = fc.array(
  fc.array(fc.array(ring, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 2 }),
  {
    minLength: 1,
    maxLength: 4,
  },
);

describe('polygons', () => {
  it('polygons contain what the even-odd rule says, corners, holes and crossing edges included', () => {
    let inside = 0;
    fc.assert(
      fc.property(shapes, degree(59, 63), degree(13, 17), (drawn, lat, lon) => {
        const index = indexShapes(drawn.map((polygons, of) => ({ of, polygons })));
        const expected = drawn.flatMap((polygons, of) =>
          polygons.some((polygon) => contains(polygon, lat, lon)) ? [of] : [],
        );
        inside += expected.length;
        assert.deepEqual(index.at(lat, lon).toSorted(), expected);
      }),
      { numRuns: 2_000 },
    );
    assert.ok(inside > 50, `only ${inside} points were inside`);
  });

  it('polygons are as far away as their nearest edge, and not found beyond the limit', () => {
    const square: Polygon = [{ lat: Float64Array.of(60, 60, 61, 61), lon: Float64Array.of(15, 16, 16, 15) }];
    const index = indexShapes([{ of: 'square', polygons: [square] }]);
    const { lat: north, lon: east } = metresPerDegree(60.5);
    const beside = index.nearest(60.5, 16.1, 25_000);
    assert.ok(beside !== null && Math.abs(beside.metres - 0.1 * east) < 1);
    const corner = index.nearest(61.1, 16.1, 25_000);
    const diagonal = Math.hypot(0.1 * north, 0.1 * metresPerDegree(61.1).lon);
    assert.ok(corner !== null && Math.abs(corner.metres - diagonal) < 1);
    assert.equal(index.nearest(60.5, 16.1, 0.1 * east - 1), null);
    assert.equal(index.nearest(60.5, 17, 25_000), null);
  });

  it('polygons may be empty', () => {
    const index = indexShapes([]);
    assert.deepEqual(index.at(60, 15), []);
    assert.equal(index.nearest(60, 15, 25_000), null);
  });
});

describe('points', () => {
  const point = fc.record({ lat: degree(55, 69), lon: degree(11, 24) });

  it('points are found nearest first, as by comparing all of them', () => {
    fc.assert(
      fc.property(
        fc.array(point, { maxLength: 80 }),
        point,
        fc.integer({ min: 1, max: 8 }),
        fc.constantFrom(1_000, 30_000, 120_000),
        (points, at, count, within) => {
          const scale = metresPerDegree(at.lat);
          const all = points
            .map(({ lat, lon }) => Math.hypot((lat - at.lat) * scale.lat, (lon - at.lon) * scale.lon))
            .filter((metres) => metres <= within)
            .toSorted((a, b) => a - b)
            .slice(0, count);
          const found = indexPoints(points)(at, count, within).map(({ metres }) => metres);
          assert.deepEqual(found, all);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('points are searched quickly at the poles', () => {
    assert.deepEqual(indexPoints([{ lat: 60, lon: 15 }])({ lat: 90, lon: 15 }, 3, 120_000), []);
  });
});
