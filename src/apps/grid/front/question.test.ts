import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { LONGEST_QUESTION, readQuestion } from './question.ts';

describe('what is typed into the look-up box', () => {
  it('what is typed into the look-up box is a postal code in every way that people write one', () => {
    for (const text of [
      '11122',
      '111 22',
      ' 111  22 ',
      'SE-111 22',
      's 11122',
      '111 22 Stockholm',
      '111 22, Norra Ängby',
    ])
      assert.deepEqual(readQuestion(text), { kind: 'postal', code: '11122' }, text);
  });

  it('what is typed into the look-up box is a coordinate with points or Swedish commas', () => {
    for (const text of [
      '59.33, 18.06',
      '59.33 18.06',
      '59.33,18.06',
      '59.33; 18.06',
      '59,33 18,06',
      '59,33, 18,06',
      '59,33;18,06',
      '59.33° N, 18.06° E',
      '59.33N 18.06Ö',
    ])
      assert.deepEqual(readQuestion(text), { kind: 'coordinate', lat: 59.33, lon: 18.06 }, text);
    assert.deepEqual(readQuestion('-33.9, -151.2'), { kind: 'coordinate', lat: -33.9, lon: -151.2 });
    assert.deepEqual(readQuestion('91, 18'), { kind: 'fault', fault: 'out_of_range' });
  });

  it('what is typed into the look-up box is a coordinate in degrees, minutes and seconds', () => {
    for (const text of [
      "59°20'N 18°4'E",
      '59° 20′ N, 18° 4′ Ö',
      `59°20'0"N 18°4'0"E`,
      '59°20,0’n;18°4.0’e',
    ]) {
      const question = readQuestion(text);
      assert.ok(question.kind === 'coordinate', text);
      assert.ok(Math.abs(question.lat - 59.3333) < 1e-3 && Math.abs(question.lon - 18.0667) < 1e-3, text);
    }
    assert.deepEqual(readQuestion("91°0'N 18°0'E"), { kind: 'fault', fault: 'out_of_range' });
  });

  it('what is typed into the look-up box is a price area', () => {
    for (const text of ['SE3', 'se 3', 'Elområde 3', 'elområde SE3'])
      assert.deepEqual(readQuestion(text), { kind: 'area', area: 'SE3' }, text);
    assert.equal(readQuestion('SE5').kind, 'name');
  });

  it('what is typed into the look-up box is a name otherwise, or says what is wrong', () => {
    assert.deepEqual(readQuestion(' Södra  Sandby '), { kind: 'name', name: 'Södra Sandby' });
    for (const [text, fault] of [
      ['', 'empty'],
      ['  ', 'empty'],
      ['å', 'too_short'],
      ['1112', 'not_five_digits'],
      ['111 222', 'not_five_digits'],
      ['Umeå\0', 'too_short'],
      ['x'.repeat(LONGEST_QUESTION + 1), 'too_long'],
    ] as const)
      assert.deepEqual(readQuestion(text), { kind: 'fault', fault }, text);
  });

  it('what is typed into the look-up box is read at once, whatever it is', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('5', '.', ',', ' ', '°', 'N', 'å', '-'), maxLength: 90 }),
        (text) => {
          assert.ok(readQuestion(text).kind !== undefined);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
