import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { postalCode, smallTables } from '../../../../test/kit/areas.ts';
import { fold, indexPlaces } from './places.ts';
import { endAfterTypo, MOST_FOUND, searchPlaces, similarNames } from './search.ts';

const code = (number: number) => String(number).padStart(5, '0');

describe('folding', () => {
  it('folding removes case, accents and punctuation', () => {
    for (const [text, folded] of [
      ['ÄNGELHOLM', 'angelholm'],
      ['A\u0308ngelholm', 'angelholm'],
      ['Saltsjö-Boo', 'saltsjo boo'],
      ['  Sankt  Ibb ', 'sankt ibb'],
      ['Idé', 'ide'],
      ['Røros', 'roros'],
      ['\u0000\u202e\ud800', ''],
    ] as const) {
      assert.equal(fold(text), folded);
    }
  });
});

describe('search', () => {
  const places = indexPlaces(smallTables());
  const names = (query: string) => searchPlaces(places, query).map(({ ort }) => ort);

  it('search ignores accents and case', () => {
    assert.deepEqual(names('MALMO'), ['Malmö']);
    assert.deepEqual(names('tvåå'), ['Tvååker']);
    assert.deepEqual(names('saltsjö boo'), ['Saltsjö-Boo']);
  });

  it('search ranks an exact name before a prefix, a prefix before a substring, a substring before a typo', () => {
    const many = indexPlaces(
      smallTables({
        postal_codes: [
          postalCode('10001', 'Bergax'),
          postalCode('10002', 'Berga'),
          postalCode('10003', 'Stenberga'),
          postalCode('10004', 'Stenberga'),
          postalCode('10005', 'Bergby'),
          postalCode('10006', 'Bregaby'),
        ],
      }),
    );
    const found = searchPlaces(many, 'berga');
    assert.deepEqual(
      found.map(({ ort }) => ort),
      ['Berga', 'Bergax', 'Stenberga', 'Bergby', 'Bregaby'],
    );
    const scores = found.map(({ score }) => score);
    assert.deepEqual(
      scores,
      scores.toSorted((a, b) => b - a),
    );
  });

  it('search ranks the larger place first within a class', () => {
    const found = searchPlaces(places, 'näs');
    assert.deepEqual(
      found.map(({ ort, kommun, postal_codes }) => [ort, kommun.name, postal_codes]),
      [
        ['Näs', 'Varberg', ['43220', '43221']],
        ['Näs', 'Malmö', ['21200']],
      ],
    );
  });

  it('search splits a place that lies in two price areas', () => {
    const divided = indexPlaces(
      smallTables({
        postal_codes: [postalCode('10001', 'Mitt'), postalCode('10002', 'Mitt', { elomrade: 'SE2' })],
      }),
    );
    assert.deepEqual(
      searchPlaces(divided, 'mitt').map(({ elomrade, postal_codes }) => [elomrade, postal_codes]),
      [
        ['SE2', ['10002']],
        ['SE3', ['10001']],
      ],
    );
  });

  it('search returns at most 20 places, the largest', () => {
    const rows = Array.from({ length: 400 }, (_, index) => postalCode(code(index), `Sta${index % 60}`));
    const found = searchPlaces(indexPlaces(smallTables({ postal_codes: rows })), 'sta');
    assert.equal(found.length, MOST_FOUND);
    assert.equal(found[0]?.postal_codes.length, 7);
  });

  it('search accepts typos from four letters on', () => {
    assert.deepEqual(names('stokholm'), ['Stockholm']);
    assert.deepEqual(names('sotckholm'), ['Stockholm']);
    assert.deepEqual(names('stockholmm'), ['Stockholm']);
    assert.deepEqual(names('stackho'), ['Stockholm']);
    assert.deepEqual(names('nök'), []);
    assert.deepEqual(names('stukhulm'), []);
  });

  it('search finds nothing for an empty query, and accepts any input', () => {
    for (const query of [
      '',
      '  ',
      '--',
      '\u0000\u0000',
      '\ud800\ud800',
      'x'.repeat(100_000),
      '%%',
      '\u202eabc',
    ])
      assert.deepEqual(names(query), []);
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (query) => {
        assert.ok(searchPlaces(places, query).length <= MOST_FOUND);
        assert.ok(similarNames(places, query, 5).length <= 5);
      }),
    );
  });
});

/** Optimal string alignment distance, with the full table. */
function distance(a: string, b: string): number {
  const rows = Array.from({ length: a.length + 1 }, (_, i) =>
    Array.from({ length: b.length + 1 }, (_, j) => (i === 0 ? j : j === 0 ? i : 0)),
  );
  const at = (i: number, j: number) => rows[i]?.[j] ?? 99;
  for (let i = 1; i <= a.length; i += 1) {
    for (let j = 1; j <= b.length; j += 1) {
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const row = rows[i] ?? [];
      row[j] = Math.min(
        at(i - 1, j) + 1,
        at(i, j - 1) + 1,
        at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1),
        isSwap ? at(i - 2, j - 2) + 1 : 99,
      );
    }
  }
  return at(a.length, b.length);
}

describe('one typo', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 6 });

  it('one typo is a Damerau-Levenshtein distance of one', () => {
    let found = 0;
    fc.assert(
      fc.property(word, word, (q, name) => {
        const end = endAfterTypo(q, name);
        const isOne = distance(q, name) === 1;
        if (isOne) found += 1;
        // An equal word counts as a substitution by the same letter; the search never asks for that.
        if (q !== name) assert.equal(end === name.length, isOne, `${q} ${name} ${end}`);
      }),
      { numRuns: 3_000 },
    );
    assert.ok(found > 100);
  });

  it('one typo may be at the beginning of a name', () => {
    fc.assert(
      fc.property(word, word, (q, name) => {
        const end = endAfterTypo(q, name);
        if (end !== -1 && q !== name.slice(0, end)) assert.equal(distance(q, name.slice(0, end)), 1);
      }),
      { numRuns: 3_000 },
    );
  });
});
