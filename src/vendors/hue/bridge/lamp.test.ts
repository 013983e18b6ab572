import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { GAMUTS, type Gamut, inGamut, type Rgb, type Xy, xyOf } from './colour.ts';

import { abilityIn, bodyOf } from './lamp.ts';

/** A lamp of another maker, whose red is far from that of Hue's own. */
const OWN: Gamut = { red: { x: 0.6, y: 0.36 }, green: { x: 0.2, y: 0.65 }, blue: { x: 0.16, y: 0.08 } };
const A = GAMUTS.A ?? OWN;
const BLUE: Rgb = [0, 0, 255];
const RED: Rgb = [255, 0, 0];

/** What is sent to a lamp with this `color` for a colour. */
function sentTo(color: object, rgb: Rgb): Xy {
  const ability = abilityIn({ color: { xy: { x: 0.4, y: 0.4 }, ...color } });
  const body = bodyOf({ type: 'set_light', color: [...rgb] }, ability, 'lamp');
  return (body as unknown as { readonly color: { readonly xy: Xy } }).color.xy;
}
const near = (one: Xy, other: Xy | null) =>
  assert.ok(
    other !== null && Math.hypot(one.x - other.x, one.y - other.y) < 0.0002,
    `${JSON.stringify(one)} is not near ${JSON.stringify(other)}`,
  );

describe('the colour that is sent to a lamp', () => {
  it('the colour that is sent to a lamp is one that it can show, whatever colour is wanted', () => {
    const part = fc.integer({ min: 0, max: 255 });
    const gamuts = fc.constantFrom<Gamut>(...Object.values(GAMUTS), OWN);
    fc.assert(
      fc.property(part, part, part, gamuts, (red, green, blue, gamut) => {
        fc.pre(red + green + blue > 0);
        const sent = sentTo({ gamut }, [red, green, blue]);
        near(sent, inGamut(gamut, sent));
      }),
    );
  });

  it('the colour that is sent to a lamp is the very colour where the lamp has it or its gamut is not known, and else at the edge', () => {
    near(sentTo({}, RED), xyOf(RED));
    near(sentTo({ gamut_type: 'other' }, RED), xyOf(RED));
    near(sentTo({ gamut_type: 'C' }, RED), xyOf(RED));
    near(sentTo({ gamut: OWN }, RED), OWN.red);
  });

  it('the colour that is sent to a lamp is by the gamut of the lamp itself, and by that of its type where it states none', () => {
    const blue = xyOf(BLUE) ?? { x: 0, y: 0 };
    const [inA, inOwn] = [inGamut(A, blue), inGamut(OWN, blue)];
    assert.notDeepEqual(inA, blue);
    assert.notDeepEqual(inOwn, inA);
    near(sentTo({ gamut_type: 'A' }, BLUE), inA);
    near(sentTo({ gamut: OWN, gamut_type: 'A' }, BLUE), inOwn);
    near(sentTo({ gamut: { red: null }, gamut_type: 'A' }, BLUE), inA);
  });
});
