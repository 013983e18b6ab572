import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { OperatorError } from '../../core/errors.ts';
import { parseGridAreas, parseOperators } from './esett.ts';

const bytes = (value: unknown) =>
  new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value));

const EXP03 = [
  {
    country: 'SE',
    dsoName: 'Ellevio AB',
    mba: 'SE3',
    mgaCode: 'STH',
    mgaName: 'Stockholm',
    mgaType: 'DISTRIBUTION',
  },
  {
    country: 'FI',
    dsoName: 'Caruna Oy',
    mba: 'FI',
    mgaCode: 'FRB0',
    mgaName: 'Koski',
    mgaType: 'DISTRIBUTION',
  },
  {
    country: 'SE',
    dsoName: 'Svenska kraftnät\u200b',
    mba: 'SE1',
    mgaCode: 'ST1',
    mgaName: 'Stamnät  1',
    mgaType: 'TRANSMISSION',
  },
];
const EXP01 = [
  { dsoCode: '14900', dsoName: 'Ellevio AB', codingScheme: 'NSE', country: 'SE' },
  { dsoCode: '10X1001A1001A361', dsoName: 'TenneT', codingScheme: 'EIC', country: 'SE' },
  { dsoCode: '00001', dsoName: 'Caruna Oy', codingScheme: 'NFI', country: 'FI' },
];
const AREAS_CSV =
  '\uFEFFDSO Name;MGA Name;MGA Code;MGA Type;MBA;Country\r\nE.ON Energidistribution AB;Ådalen region;ADL;REGIONAL;SE2;SE\r\nSvenska kraftnät;Ajaure-Grundfors;AJG;TRANSMISSION;SE2;SE';
const DERIVED = {
  count: 1,
  rows: [
    {
      mgaCode: 'ABB',
      name: 'Älvsbybygden',
      biddingZone: 'SE1',
      dsoName: 'Vattenfall Eldistribution AB',
      dsoCode: '16400',
    },
  ],
};

function faultOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    assert.ok(error instanceof OperatorError, String(error));
    return error.message;
  }
  return 'no fault';
}

describe("eSett's registers", () => {
  it("eSett's registers are read from the API, Swedish rows only", () => {
    assert.deepEqual(parseGridAreas(bytes(EXP03), 'EXP03'), [
      {
        code: 'STH',
        name: 'Stockholm',
        type: 'DISTRIBUTION',
        elomrade: 'SE3',
        owner_name: 'Ellevio AB',
        owner: null,
      },
      {
        code: 'ST1',
        name: 'Stamnät 1',
        type: 'TRANSMISSION',
        elomrade: 'SE1',
        owner_name: 'Svenska kraftnät',
        owner: null,
      },
    ]);
    assert.deepEqual(parseOperators(bytes(EXP01), 'EXP01'), [{ id: '14900', name: 'Ellevio AB' }]);
  });

  it("eSett's registers are read from its CSV, which has no final line end", () => {
    assert.deepEqual(
      parseGridAreas(bytes(AREAS_CSV), 'mgas.csv').map(({ code, type }) => [code, type]),
      [
        ['ADL', 'REGIONAL'],
        ['AJG', 'TRANSMISSION'],
      ],
    );
    const operators = 'DSO Name;DSO Code;Coding Scheme;Country\r\nÅlem Energi Elnät AB;44900;NSE;SE';
    assert.deepEqual(parseOperators(bytes(operators), 'o.csv'), [
      { id: '44900', name: 'Ålem Energi Elnät AB' },
    ]);
  });

  it("eSett's registers are read from a register of distribution areas with the ids of owners", () => {
    assert.deepEqual(parseGridAreas(bytes(DERIVED), 'areas.json'), [
      {
        code: 'ABB',
        name: 'Älvsbybygden',
        type: 'DISTRIBUTION',
        elomrade: 'SE1',
        owner_name: 'Vattenfall Eldistribution AB',
        owner: '16400',
      },
    ]);
  });

  const first = EXP03[0];
  const FAULTS: readonly [string, unknown, RegExp][] = [
    ['nothing', '', /is empty/],
    ['a web page', '<html><body>503</body></html>', /is a web page/],
    ['truncated JSON', JSON.stringify(EXP03).slice(0, 200), /is not whole JSON/],
    ['another answer', { error: 'no' }, /neither a list nor an object with rows/],
    ['fewer rows than stated', { ...DERIVED, count: 2 }, /states 2 rows and has 1/],
    ['no Swedish row', [EXP03[1]], /has no row of Sweden/],
    ['a row that is no object', [1], /row 1 is not an object/],
    ['a code twice', [first, first], /has STH twice/],
    ['a code of two letters', [{ ...first, mgaCode: 'ST' }], /row 1 has the code "ST"/],
    ['an unknown type', [{ ...first, mgaType: 'LOCAL' }], /row 1 has "LOCAL", not one of DISTRIBUTION/],
    ['an unknown price area', [{ ...first, mba: 'SE5' }], /row 1 has "SE5", not one of SE1/],
    ['no name', [{ ...first, mgaName: null }], /row 1 has no mgaName or name/],
    ['a number for a name', [{ ...first, mgaName: 5 }], /row 1 has no text in mgaName/],
    [
      'a CSV truncated in its last cell',
      AREAS_CSV.slice(0, -1),
      /line 3 has the country "S", not two letters/,
    ],
    ['a CSV truncated in a row', AREAS_CSV.slice(0, -8), /line 3 has 4 cells/],
    ['an unrelated CSV', 'a;b\n1;2\n', /does not name the column DSO Name, Country/],
  ];
  for (const [what, value, sentence] of FAULTS) {
    it(`eSett's registers are refused: ${what}`, () =>
      assert.match(
        faultOf(() => parseGridAreas(bytes(value), 'f')),
        sentence,
      ));
  }

  it("eSett's registers are refused with an operator of four digits", () => {
    assert.match(
      faultOf(() => parseOperators(bytes([{ ...EXP01[0], dsoCode: '1490' }]), 'f')),
      /row 1 has the code "1490", not five digits/,
    );
  });
});
