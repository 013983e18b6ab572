import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isTypo, namesIn, type Sought, search, wordsIn } from './search.ts';

const entry = (names: readonly string[], words: string, isByNameOnly = false): Sought => ({
  names: namesIn(...names),
  words: wordsIn(words),
  isByNameOnly,
});
const CARS = entry(['Volvo'], 'car elbil');
const PUMPS = entry(['Heat Home'], 'heat pump värmepump');
const CHARGERS = entry(['Charge Amps'], 'laddbox elbilsladdare');
const SKODA = entry(['Škoda'], 'car elbil', true);
const MG = entry(['MG'], 'car elbil', true);
const ALL = [CARS, PUMPS, CHARGERS, SKODA, MG];

describe('the search of the link page', () => {
  it('the search of the link page finds all of them without a query, but not what is found by name alone', () => {
    for (const query of ['', '   ', '–'])
      assert.deepEqual(search(ALL, query), [CARS, PUMPS, CHARGERS], JSON.stringify(query));
  });

  it('the search of the link page finds by beginnings of words, whatever their order, case and accents', () => {
    for (const query of ['varmepump', 'VÄRMEPUMP', 'pump heat', 'värmep', '(heat-pump)'])
      assert.deepEqual(search(ALL, query), [PUMPS], query);
    assert.deepEqual(search(ALL, 'eat'), [], 'within a word');
  });

  it('the search of the link page prefers whole words', () => {
    assert.deepEqual(search(ALL, 'elbil'), [CARS]);
    assert.deepEqual(search(ALL, 'elbils'), [CHARGERS]);
  });

  it('the search of the link page finds one word that was written as two, and two that were written as one', () => {
    assert.deepEqual(search(ALL, 'värme pump'), [PUMPS]);
    assert.deepEqual(search(ALL, 'chargeamps'), [CHARGERS]);
    assert.deepEqual(search(ALL, 'chargea'), [CHARGERS]);
  });

  it('the search of the link page finds a name together with words that nobody knows, such as a model', () => {
    assert.deepEqual(search(ALL, 'volvo ex30'), [CARS]);
    assert.deepEqual(search(ALL, 'charge amps halo'), [CHARGERS]);
    assert.deepEqual(search(ALL, 'skoda enyaq iv'), [SKODA]);
    assert.deepEqual(search(ALL, 'charge halo'), [], 'half of a name');
  });

  it('the search of the link page finds by name alone what is marked so, also with a word of its kind', () => {
    assert.deepEqual(search(ALL, 'sko'), [SKODA]);
    assert.deepEqual(search(ALL, 'skoda car'), [SKODA]);
    assert.deepEqual(search(ALL, 'mg'), [MG]);
    assert.deepEqual(search(ALL, 'sk'), [], 'too short for a beginning');
  });

  it('the search of the link page forgives one letter in a name, and only where nothing else is found', () => {
    for (const typed of ['vovlo', 'volvvo', 'vlvo', 'wolvo', 'volvp'])
      assert.deepEqual(search(ALL, typed), [CARS], typed);
    assert.deepEqual(search(ALL, 'vollvo xc40'), [CARS]);
    assert.deepEqual(search(ALL, 'vovlp'), [], 'two letters');
    assert.deepEqual(search([...ALL, entry(['Kone'], '')], 'kona'), [], 'a short name');
    const both = [...ALL, entry(['Cheat'], '', true)];
    assert.deepEqual(search(both, 'heat'), [PUMPS], 'a word that is found is no typo');
  });

  it('the search of the link page forgives one letter in a word of a kind, where no name is meant', () => {
    for (const typed of ['värmepmup', 'varmepunp', 'värme pumpp'])
      assert.deepEqual(search(ALL, typed), [PUMPS]);
    assert.deepEqual(search(ALL, 'ladbox'), [CHARGERS]);
    assert.deepEqual(search([...ALL, entry(['Ladbix'], '', true)], 'ladbox').length, 1, 'a name goes before');
    assert.deepEqual(search(ALL, 'ladbxo elbli'), [], 'each word must be meant by the same thing');
    assert.deepEqual(search(ALL, 'kar'), [], 'a short word');
  });

  const word = fc.string({ unit: fc.constantFrom(...'abcdeå'), minLength: 5, maxLength: 9 });

  it('the search of the link page takes every change of one letter for a typo', () => {
    fc.assert(
      fc.property(word, fc.nat(8), fc.constantFrom(...'xyz'), (name, at, letter) => {
        const place = at % name.length;
        const [before, after] = [name.slice(0, place), name.slice(place)];
        const swapped = `${before}${after.slice(1, 2)}${after.slice(0, 1)}${after.slice(2)}`;
        for (const typed of [
          name,
          before + letter + after,
          before + after.slice(1),
          before + letter + after.slice(1),
          swapped,
        ])
          assert.ok(isTypo(typed, name), `${typed} for ${name}`);
      }),
    );
  });

  it('the search of the link page takes no change of two letters for one', () => {
    fc.assert(
      fc.property(word, (name) => {
        assert.ok(!isTypo(`xy${name}`, name));
        assert.ok(!isTypo(name.slice(2), `xy${name.slice(2)}`));
        assert.ok(!isTypo(`x${name.slice(1, -1)}y`, name));
      }),
    );
  });
});
