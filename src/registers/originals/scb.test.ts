import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { OperatorError } from '../../core/errors.ts';
import { parseMunicipalities, parsePostalMunicipalities } from './scb.ts';

const bytes = (value: unknown) =>
  new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value));

const SCB = {
  title: 'Folkmängden efter region, civilstånd, ålder, kön, tabellinnehåll och år',
  variables: [
    {
      code: 'Region',
      text: 'region',
      values: ['00', '01', '0114', '0115', '25', '2580'],
      valueTexts: ['Riket', 'Stockholms län', 'Upplands Väsby', 'Vallentuna', 'Norrbottens län', 'Luleå'],
    },
    { code: 'Civilstand', text: 'civilstånd', values: ['OG'], valueTexts: ['ogifta'] },
  ],
};
const CSV = [
  'municipality_code,municipality_name,municipality_name_short,county_code,county_name,county_name_short',
  '0114,Upplands Väsby kommun,Upplands Väsby,01,Stockholms län,Stockholm',
  '2580,Luleå kommun,Luleå,25,Norrbottens län,Norrbotten',
  '',
].join('\n');
const POSTAL =
  'postal_code,locality,municipality_code,municipality_name\n10004,Stockholm,0180,Stockholms kommun\n"972 31",Luleå,2580,Luleå kommun\n';

function faultOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    assert.ok(error instanceof OperatorError, String(error));
    return error.message;
  }
  return 'no fault';
}

describe('codes of municipalities', () => {
  it("are read from SCB's metadata of its population table", () => {
    assert.deepEqual(parseMunicipalities(bytes(SCB), 'scb'), {
      source: { name: 'Statistiska centralbyrån (SCB)', licence: 'CC0 1.0' },
      counties: [
        { code: '01', name: 'Stockholms län' },
        { code: '25', name: 'Norrbottens län' },
      ],
      municipalities: [
        { code: '0114', name: 'Upplands Väsby', county: '01' },
        { code: '0115', name: 'Vallentuna', county: '01' },
        { code: '2580', name: 'Luleå', county: '25' },
      ],
    });
  });

  it('are read from a CSV', () => {
    const { source, counties, municipalities } = parseMunicipalities(bytes(CSV), 'csv');
    assert.match(source.name, /^swedish-geodata/);
    assert.deepEqual(
      counties.map(({ name }) => name),
      ['Stockholms län', 'Norrbottens län'],
    );
    assert.deepEqual(
      municipalities.map(({ code }) => code),
      ['0114', '2580'],
    );
  });

  const region = SCB.variables[0];
  const FAULTS: readonly [string, unknown, RegExp][] = [
    ['nothing', ' ', /is empty/],
    ['a web page', '<!doctype html><p>404', /is a web page/],
    ['no regions', { variables: [] }, /has no variable "Region"/],
    [
      'fewer names than codes',
      { variables: [{ ...region, valueTexts: ['Riket'] }] },
      /as many values as valueTexts/,
    ],
    [
      'a code of three digits',
      { variables: [{ code: 'Region', values: ['011'], valueTexts: ['x'] }] },
      /region number 1 is not a code/,
    ],
    [
      'a code twice',
      { variables: [{ code: 'Region', values: ['01', '0114', '0114'], valueTexts: ['a', 'b', 'c'] }] },
      /has the code 0114 twice/,
    ],
    [
      'a county that is missing',
      { variables: [{ code: 'Region', values: ['01', '2580'], valueTexts: ['a', 'b'] }] },
      /2580 is of the county 25, which is not listed/,
    ],
    ['a municipality of another county', CSV.replace('Väsby,01', 'Väsby,02'), /line 2 is not a municipality/],
    ['a truncated CSV', CSV.slice(0, -5), /line 3 has no end/],
  ];
  for (const [what, value, sentence] of FAULTS) {
    it(`are refused: ${what}`, () =>
      assert.match(
        faultOf(() => parseMunicipalities(bytes(value), 'f')),
        sentence,
      ));
  }
});

describe('municipalities of postal codes', () => {
  it('are read from a CSV, quoted or not', () => {
    assert.deepEqual(parsePostalMunicipalities(bytes(POSTAL), 'csv'), [
      { code: '10004', place: 'Stockholm', municipality: '0180' },
      { code: '97231', place: 'Luleå', municipality: '2580' },
    ]);
  });

  const FAULTS: readonly [string, string, RegExp][] = [
    ['a code twice', POSTAL.replace('972 31', '10004'), /line 3 has 10004 a second time/],
    ['a municipality of three digits', POSTAL.replace('0180', '180'), /line 2 is not a postal code/],
    ['a quote that is never closed', POSTAL.replace('31"', '31'), /line 3 opens a quote/],
    ['a truncated file', POSTAL.slice(0, -1), /ends inside a line/],
  ];
  for (const [what, text, sentence] of FAULTS) {
    it(`are refused: ${what}`, () =>
      assert.match(
        faultOf(() => parsePostalMunicipalities(bytes(text), 'f')),
        sentence,
      ));
  }
});
