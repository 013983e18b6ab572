import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { blackBody, GAMUTS, inGamut, mirekOf, type Rgb, rgbOf, type Xy, xyOf } from './colour.ts';

const near = (one: Xy | null, other: Xy, within = 0.0005) =>
  assert.ok(
    one !== null && Math.hypot(one.x - other.x, one.y - other.y) <= within,
    `${JSON.stringify(one)} is not near ${JSON.stringify(other)}`,
  );
const gamutOf = (type: string) => {
  const gamut = GAMUTS[type];
  assert.ok(gamut !== undefined);
  return gamut;
};

describe('colours', () => {
  it('colours have the points that IEC 61966-2-1 gives its primaries and its white', () => {
    near(xyOf([255, 0, 0]), { x: 0.64, y: 0.33 });
    near(xyOf([0, 255, 0]), { x: 0.3, y: 0.6 });
    near(xyOf([0, 0, 255]), { x: 0.15, y: 0.06 });
    near(xyOf([255, 255, 255]), { x: 0.3127, y: 0.329 });
    near(xyOf([9, 9, 9]), { x: 0.3127, y: 0.329 });
    assert.equal(xyOf([0, 0, 0]), null);
  });

  it('colours come back from their point as bright as can be', () => {
    const part = fc.integer({ min: 0, max: 255 });
    fc.assert(
      fc.property(part, part, part, (red, green, blue) => {
        const bright: Rgb = [255, red, green];
        // One part is at its most, whichever it is.
        const color = [bright, [red, 255, blue], [green, blue, 255]][(red + green + blue) % 3] as Rgb;
        const back = rgbOf(xyOf(color) ?? { x: 0, y: 0 });
        for (const [index, value] of color.entries())
          assert.ok(Math.abs(value - (back[index] ?? 0)) <= 1, `${color} became ${back}`);
      }),
    );
  });

  it('colours of any point are three parts of 0–255', () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(share, share, (x, y) => {
        const parts = rgbOf({ x, y });
        assert.ok(parts.every((part) => Number.isInteger(part) && part >= 0 && part <= 255));
      }),
    );
  });
});

describe('whites', () => {
  it('whites have the temperature that was put in', () => {
    for (const kelvin of [1_900, 2_203, 2_700, 4_000, 6_500, 9_000]) {
      const mirek = mirekOf(blackBody(kelvin));
      assert.ok(
        mirek !== null && Math.abs(1_000_000 / mirek - kelvin) < kelvin * 0.02,
        `${kelvin}: ${mirek}`,
      );
    }
    const candle = mirekOf(xyOf([255, 147, 41]) ?? { x: 0, y: 0 });
    assert.ok(candle !== null && candle > 450 && candle < 500, `${candle}`);
  });

  it('whites are no colours, and colours no whites', () => {
    for (const color of [
      [255, 0, 0],
      [0, 255, 0],
      [0, 0, 255],
      [255, 192, 203],
      [0, 255, 255],
    ] as Rgb[])
      assert.equal(mirekOf(xyOf(color) ?? { x: 0, y: 0 }), null, color.join());
  });
});

describe('a gamut', () => {
  it('a gamut leaves what it has, and moves the rest to its edge', () => {
    const [a, b, c] = ['A', 'B', 'C'].map(gamutOf);
    assert.ok(a !== undefined && b !== undefined && c !== undefined);
    const warm = { x: 0.4578, y: 0.41 };
    for (const gamut of [a, b, c]) assert.deepEqual(inGamut(gamut, warm), warm);
    const green = xyOf([0, 255, 0]) ?? warm;
    assert.deepEqual(inGamut(c, green), green, 'lamps of type C have this green');
    near(inGamut(b, green), { x: 0.409, y: 0.518 }, 0.05);
    assert.notDeepEqual(inGamut(b, green), green);
    assert.deepEqual(inGamut(a, { x: 1, y: 0 }), a.red);
  });

  it('a gamut holds every point that it gives, and there is none nearer among its corners', () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(share, share, fc.constantFrom('A', 'B', 'C'), (x, y, type) => {
        const gamut = gamutOf(type);
        const point = inGamut(gamut, { x, y });
        near(inGamut(gamut, point), point, 1e-9);
        const moved = Math.hypot(point.x - x, point.y - y);
        for (const corner of Object.values(gamut) as Xy[])
          assert.ok(moved <= Math.hypot(corner.x - x, corner.y - y) + 1e-9);
      }),
    );
  });
});
