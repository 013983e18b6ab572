import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { gridArea, postalCode, rectangle, smallTables } from '../../../../test/kit/areas.ts';
import { placeNamesIn } from './area-names.ts';
import { createCandidates, type Spot } from './candidates.ts';
import { indexPlaces } from './places.ts';
import type { AreaTables } from './tables.ts';

function candidatesOf(changed: Partial<AreaTables> = {}) {
  const tables = smallTables(changed);
  const candidates = createCandidates(tables, indexPlaces(tables));
  return (spot: Spot) => candidates.at(spot).map(({ area, confidence }) => [area.code, confidence] as const);
}

const stockholm = { code: '0180', name: 'Stockholm' };
const varberg = { code: '1383', name: 'Varberg' };

describe("a grid area's name", () => {
  const namesIn = (name: string) => placeNamesIn(name).map(({ name: one, extent }) => `${one} ${extent}`);

  it("a grid area's name contains the place names that people mean by it", () => {
    assert.deepEqual(namesIn('Ängelholmsbygden'), ['angelholms country', 'angelholm country']);
    assert.deepEqual(namesIn('Arvidsjaurbygden'), ['arvidsjaur country']);
    assert.deepEqual(namesIn('Varbergsorten Norra'), ['varbergs country', 'varberg country']);
    assert.deepEqual(namesIn('Malmö-Burlöv'), ['malmo whole', 'burlov whole']);
    assert.deepEqual(namesIn('Sundsvall tätort'), ['sundsvall town']);
    assert.deepEqual(namesIn('Nyköping Landsbygd'), ['nykoping country']);
    assert.deepEqual(namesIn('Medelpad Lokal'), ['medelpad whole']);
    assert.deepEqual(namesIn('Ekeröarna'), ['ekero whole']);
    assert.deepEqual(namesIn('Kiruna LKAB'), ['kiruna site']);
    assert.deepEqual(namesIn('Skyllbergs Bruk'), ['skyllbergs whole', 'skyllberg whole']);
    assert.deepEqual(namesIn('Norra'), []);
  });

  it("a grid area's name may have lost the end of a place name in a compound", () => {
    assert.deepEqual(
      placeNamesIn('Pitebygden').flatMap(({ guesses }) => guesses),
      ['pitea', 'piten'],
    );
    assert.deepEqual(
      placeNamesIn('Älvsbybygden').flatMap(({ guesses }) => guesses),
      ['alvsbya', 'alvsbyn'],
    );
  });
});

describe('candidates', () => {
  it('candidates include the area with the name, never with certainty', () => {
    const at = candidatesOf();
    assert.deepEqual(at({ ort: 'Stockholm', kommun: stockholm, elomrade: 'SE3' }), [['STH', 0.8]]);
  });

  it('candidates give the town network less weight than the surrounding one, outside the town', () => {
    const at = candidatesOf();
    const town = at({ ort: 'Varberg', kommun: varberg, elomrade: 'SE3' });
    assert.equal(town[0]?.[0], 'VBG');
    assert.deepEqual(town.map(([code]) => code).toSorted(), ['NHA', 'VBG', 'VBN', 'VBS']);
    const outside = Object.fromEntries(at({ ort: 'Tvååker', kommun: varberg, elomrade: 'SE3' }));
    assert.ok((outside.VBG ?? 1) < (town[0]?.[1] ?? 0));
    assert.equal(outside.VBN, outside.VBS);
  });

  it('candidates are local networks in the same price area', () => {
    const at = candidatesOf();
    assert.deepEqual(at({ ort: 'Varberg', kommun: varberg, elomrade: 'SE4' }), [['HLD', 0.3]]);
    const lulea = { code: '2580', name: 'Luleå' };
    assert.deepEqual(at({ ort: 'Luleå', kommun: lulea, elomrade: 'SE1' }), [['LUL', 0.8]]);
  });

  it('candidates may come from the owner name only, or be none', () => {
    const at = candidatesOf();
    assert.deepEqual(at({ ort: 'Nacka', kommun: { code: '0182', name: 'Nacka' }, elomrade: 'SE3' }), [
      ['JRA', 0.25],
    ]);
    assert.deepEqual(at({ ort: 'Nowhere', kommun: { code: '9999', name: 'Nowhere' }, elomrade: 'SE2' }), []);
  });

  it('candidates ignore a hamlet that shares the name of a municipality elsewhere', () => {
    const at = candidatesOf();
    assert.equal(
      at({ ort: 'Varberg', kommun: stockholm, elomrade: 'SE3' }).some(([code]) => code === 'VBG'),
      false,
    );
  });

  it('candidates share the weight when places of the name lie in several municipalities', () => {
    const at = candidatesOf({
      grid_areas: [gridArea('NAS', 'Näs')],
      postal_codes: [postalCode('10001', 'Näs'), postalCode('43220', 'Näs', { municipality: '1383' })],
    });
    assert.deepEqual(at({ ort: 'Näs', kommun: stockholm, elomrade: 'SE3' }), [['NAS', 0.4]]);
  });

  describe('with concessions', () => {
    const here = { lat: 57.1, lon: 12.25, is: 'address' } as const;
    const tvaaker = { ort: 'Tvååker', kommun: varberg, elomrade: 'SE3' } as const;
    const held = (...owners: readonly string[]) =>
      candidatesOf({
        concessions: owners.map((owner_name, index) => ({
          id: `${index}LA`,
          owner_name,
          polygons: [rectangle(57, 12, 57.3, 12.6)],
        })),
      });

    it('candidates with concessions follow the owner, also when registers write its name differently', () => {
      const [first] = held('Varberg Energi Elnät Aktiebolag')({ ...tvaaker, at: here });
      assert.equal(first?.[0], 'VBG');
      assert.ok((first?.[1] ?? 0) > 0.8);
    });

    it('candidates with concessions are distinguished by name when the owner has several areas', () => {
      const found = held('Ellevio AB')({ ...tvaaker, at: here });
      assert.equal(found[0]?.[0], 'NHA');
      assert.equal(
        found.some(([code]) => code === 'STH'),
        false,
      );
    });

    it('candidates with concessions share the weight of owners whose concessions overlap', () => {
      const found = Object.fromEntries(
        held('Varberg Energi Elnät AB', 'Varbergsortens Elnät AB')({ ...tvaaker, at: here }),
      );
      assert.ok((found.VBG ?? 0) > 0.3 && (found.VBG ?? 1) < 0.5);
      assert.equal(found.VBN, found.VBS);
    });

    it('candidates with concessions are ignored for a position outside, and for an unknown owner', () => {
      const outside = { ...here, lat: 58 };
      const byName = candidatesOf()(tvaaker);
      assert.deepEqual(held('Ellevio AB')({ ...tvaaker, at: outside }), byName);
      assert.deepEqual(held('Nobody AB')({ ...tvaaker, at: here }), byName);
    });
  });

  it('candidates have confidences that are numbers and sum to at most 0.95', () => {
    const names = fc.constantFrom(
      'Varberg',
      'Varbergsbygden',
      'Varberg tätort',
      'Halland',
      'Näs',
      'Varberg-Näs',
    );
    const area = fc.tuple(names, fc.constantFrom('Varberg Energi AB', 'Ellevio AB'));
    fc.assert(
      fc.property(
        fc.array(area, { maxLength: 30 }),
        fc.constantFrom('Varberg', 'Näs', 'Tvååker'),
        (drawn, ort) => {
          const at = candidatesOf({
            grid_areas: drawn.map(([name, owner_name], index) =>
              gridArea(String(100 + index), name, { owner: null, owner_name }),
            ),
          });
          const found = at({ ort, kommun: varberg, elomrade: 'SE3' });
          const sum = found.reduce((total, [, confidence]) => total + confidence, 0);
          assert.ok(sum <= 0.9501, String(sum));
          for (const [, confidence] of found) assert.ok(confidence >= 0.03 && confidence <= 0.95);
          assert.deepEqual(
            found,
            found.toSorted((a, b) => b[1] - a[1]),
          );
        },
      ),
    );
  });
});
