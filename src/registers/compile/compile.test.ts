import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Polygon } from '../../domain/areas/index.ts';
import { indexShapes, readTables, simplify } from '../../domain/areas/index.ts';
import { compileGridAreas, type RegisteredArea } from './grid-areas.ts';
import { compileTables } from './index.ts';
import { placePostalCodes } from './postal-codes.ts';
import { areaFinder, assignPriceAreas } from './price-areas.ts';
import { compileConcessions, compileMunicipalityShapes, compileZones } from './shapes.ts';

const tables = readTables(['seed']);
const codeOf = new Map(tables.municipalities.map(({ name, code }) => [name, code]));

/** Price areas of a municipality's postal codes in the bundled tables. */
function areasIn(name: string): string[] {
  const rows = tables.postal_codes.filter(({ municipality }) => municipality === codeOf.get(name));
  assert.ok(rows.length > 0, `${name} has postal codes`);
  return [...new Set(rows.map(({ elomrade }) => elomrade))].sort();
}

function areaOfPlace(place: string): string[] {
  const rows = tables.postal_codes.filter((row) => row.place === place);
  assert.ok(rows.length > 0, `${place} has postal codes`);
  return [...new Set(rows.map(({ elomrade }) => elomrade))].sort();
}

describe('price areas of the bundled postal codes', () => {
  it('follow the division of 2011 for well-known municipalities', () => {
    const expected = {
      Umeå: ['SE2'],
      Norsjö: ['SE1'],
      Malå: ['SE1'],
      Mora: ['SE3'],
      Älvdalen: ['SE3'],
      Kungsbacka: ['SE3'],
      Varberg: ['SE3'],
      Halmstad: ['SE4'],
      Laholm: ['SE4'],
      Sundsvall: ['SE2'],
      Luleå: ['SE1'],
      Kiruna: ['SE1'],
      Stockholm: ['SE3'],
      Göteborg: ['SE3'],
      Gotland: ['SE3'],
      Malmö: ['SE4'],
      Kalmar: ['SE4'],
      Jönköping: ['SE3'],
    };
    for (const [name, areas] of Object.entries(expected)) assert.deepEqual(areasIn(name), areas, name);
    // Towns whose municipality is split.
    assert.deepEqual(areaOfPlace('Skellefteå'), ['SE1']);
    assert.deepEqual(areaOfPlace('Falkenberg'), ['SE4']);
    assert.deepEqual(areaOfPlace('Värnamo'), ['SE4']);
    assert.deepEqual(areaOfPlace('Gävle'), ['SE3']);
  });

  it('are SE3 in all of Dalarna', () => {
    const dalarna = tables.postal_codes.filter(({ municipality }) => municipality.startsWith('20'));
    assert.ok(dalarna.length > 300);
    assert.deepEqual([...new Set(dalarna.map(({ elomrade }) => elomrade))], ['SE3']);
  });

  it('are several only in municipalities that a border crosses', () => {
    const split =
      'Gislaved Värnamo Växjö Oskarshamn Hylte Falkenberg Ockelbo Gävle Bollnäs Robertsfors Skellefteå'.split(
        ' ',
      );
    const several = tables.municipalities.map(({ name }) => name).filter((name) => areasIn(name).length > 1);
    assert.ok(several.length >= 8, several.join(', '));
    assert.deepEqual(
      several.filter((name) => !split.includes(name)),
      [],
    );
  });
});

/** A zone that fills a box of degrees. */
function box(area: string, [west, south, east, north]: readonly [number, number, number, number]) {
  const ring = [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ] as const;
  return { area, polygons: [[ring]] };
}

const ZONES = compileZones([
  box('SE1', [12, 65, 24, 69]),
  box('SE2', [12, 61, 24, 65]),
  box('SE3', [12, 57, 24, 61]),
  box('SE4', [12, 55, 24, 57]),
]);
const MUNICIPALITIES = [
  { code: '0683', name: 'Värnamo', county: '06' },
  { code: '1380', name: 'Halmstad', county: '13' },
  { code: '2062', name: 'Mora', county: '20' },
];
const AREA = { type: 'DISTRIBUTION', owner: null, owner_name: 'x', eic: null } as const;

function judged(
  code: { place: string; municipality: string; lat: number | null; lon: number | null },
  others: (typeof code)[] = [],
) {
  const rows = [code, ...others].map((one, index) => ({
    ...one,
    code: String(10_000 + index),
    municipality_basis: 'stated' as const,
  }));
  const gridAreas = [
    { ...AREA, code: 'VMO', name: 'Värnamo', elomrade: 'SE4' as const },
    { ...AREA, code: 'BER', name: 'Berg', elomrade: 'SE2' as const },
  ];
  const result = assignPriceAreas(rows, { zones: ZONES, gridAreas, municipalities: MUNICIPALITIES });
  const [first] = result.rows;
  return [first?.elomrade, first?.elomrade_basis];
}

describe('the price area of a postal code', () => {
  it('is that of the polygon, or of the nearest for coast and islands', () => {
    assert.deepEqual(judged({ place: 'Bor', municipality: '0683', lat: 56.9, lon: 14 }), ['SE4', 'polygon']);
    assert.deepEqual(judged({ place: 'Bor', municipality: '0683', lat: 57.2, lon: 11.9 }), [
      'SE3',
      'nearest_polygon',
    ]);
  });

  it('is that of the grid area with its name, whatever the polygon', () => {
    assert.deepEqual(judged({ place: 'Värnamo', municipality: '0683', lat: 57.18, lon: 14 }), [
      'SE4',
      'register',
    ]);
  });

  it('is not that of a namesake far away', () => {
    assert.deepEqual(judged({ place: 'Berg', municipality: '0683', lat: 57.2, lon: 14 }), ['SE3', 'polygon']);
  });

  it('is that of the municipality when no border crosses it', () => {
    const home = { place: 'Mora', municipality: '2062', lat: 60.99, lon: 14 };
    const strayed = { place: 'Mora', municipality: '2062', lat: 61.1, lon: 14 };
    assert.deepEqual(judged(strayed, [home, home]), ['SE3', 'municipality']);
    const nowhere = { place: 'Mora', municipality: '2062', lat: null, lon: null };
    assert.deepEqual(judged(nowhere, [home]), ['SE3', 'municipality']);
  });

  it('is that of its neighbour without a position in a municipality that a border crosses', () => {
    const nowhere = { place: 'Bor', municipality: '0683', lat: null, lon: null };
    const near = { place: 'Bor', municipality: '0683', lat: 57.5, lon: 14 };
    const far = { place: 'Bor', municipality: '0683', lat: 56.5, lon: 14 };
    assert.deepEqual(judged(nowhere, [near, far]), ['SE3', 'municipality']);
  });
});

describe('the municipality of a postal code', () => {
  const municipalities = new Map(MUNICIPALITIES.map((row) => [row.code, row]));
  const at = (code: string, municipality: string | null, place = 'Bor') => ({
    code,
    place,
    municipality,
    lat: 57,
    lon: 14,
  });
  const place = (
    positioned: ReturnType<typeof at>[],
    stated: { code: string; place: string; municipality: string }[],
  ) =>
    placePostalCodes(positioned, stated, municipalities).rows.map((row) => [
      row.code,
      row.municipality,
      row.municipality_basis,
    ]);
  const others = ['20001', '20002', '20003'];
  const witnesses = (municipality: string) => ({
    positioned: others.map((code) => at(code, null)),
    stated: others.map((code) => ({ code, place: 'Bor', municipality })),
  });

  it('is the one that both sources or only one of them state', () => {
    assert.deepEqual(place([at('10001', '0683')], [{ code: '10001', place: 'Bor', municipality: '0683' }]), [
      ['10001', '0683', 'stated'],
    ]);
    assert.deepEqual(place([at('10001', '0683')], []), [['10001', '0683', 'stated']]);
    assert.deepEqual(place([at('10001', null)], [{ code: '10001', place: 'Bor', municipality: '1380' }]), [
      ['10001', '1380', 'stated'],
    ]);
  });

  it('is the one that other codes of the place have when two sources disagree', () => {
    const stated = { code: '10001', place: 'Bor', municipality: '1380' };
    const halmstad = witnesses('1380');
    const varnamo = witnesses('0683');
    assert.deepEqual(place([at('10001', '0683'), ...halmstad.positioned], [stated, ...halmstad.stated])[0], [
      '10001',
      '1380',
      'stated',
    ]);
    assert.deepEqual(place([at('10001', '0683'), ...varnamo.positioned], [stated, ...varnamo.stated])[0], [
      '10001',
      '0683',
      'stated',
    ]);
    assert.deepEqual(place([at('10001', '0683')], [stated])[0], ['10001', '1380', 'stated']);
  });

  it('is that of the place when none is stated, or the place contradicts it', () => {
    const { positioned, stated } = witnesses('1380');
    assert.deepEqual(place([at('10001', null), ...positioned], stated)[0], ['10001', '1380', 'same_place']);
    assert.deepEqual(place([at('10001', '0683'), ...positioned], stated)[0], ['10001', '1380', 'same_place']);
  });

  it('stays with a namesake, whatever the surrounding codes', () => {
    const positioned = [at('10001', '0683', 'Värnamo'), ...others.map((code) => at(code, null, 'Värnamo'))];
    const stated = others.map((code) => ({ code, place: 'Värnamo', municipality: '1380' }));
    assert.deepEqual(place(positioned, stated)[0], ['10001', '0683', 'stated']);
  });

  it('otherwise is that of the nearest code, by position or by number', () => {
    const far = { ...at('10003', '1380', 'Far'), lat: 60 };
    assert.deepEqual(place([at('10001', null, 'Ny'), at('10002', '0683', 'Gammal'), far], [])[0], [
      '10001',
      '0683',
      'nearest_postal_code',
    ]);
    // 9999 does not exist, so it counts as not stated.
    assert.deepEqual(place([at('10001', '9999', 'Ny'), far], [])[0], [
      '10001',
      '1380',
      'nearest_postal_code',
    ]);
  });

  it('keeps codes that only one source has', () => {
    const rows = place([at('10001', '0683')], [{ code: '10002', place: 'Bor', municipality: '0683' }]);
    assert.deepEqual(
      rows.map(([code]) => code),
      ['10001', '10002'],
    );
  });
});

describe('grid areas of several registers', () => {
  const area = (code: string, type: RegisteredArea['type'], owner_name: string): RegisteredArea => ({
    code,
    name: code,
    type,
    elomrade: 'SE3',
    owner: null,
    owner_name,
  });
  const older = [
    area('AMS', 'DISTRIBUTION', 'Almnäs Elnät AB'),
    area('TRS', 'DISTRIBUTION', 'Almnäs Elnät AB'),
    area('REG', 'REGIONAL', 'Baltic Cable AB'),
  ];
  const newer = [area('AMS', 'DISTRIBUTION', 'Fågelås Elnät AB')];
  const operators = [
    [
      { id: '16800', name: 'Almnäs Elnät AB' },
      { id: '51300', name: 'Baltic Cable AB' },
      { id: '99900', name: 'Gone AB' },
    ],
    [{ id: '16800', name: 'Fågelås Elnät AB' }],
  ];

  it('are those of the newest register for each type', () => {
    const { grid_areas } = compileGridAreas([older, newer], operators);
    assert.deepEqual(
      grid_areas.map(({ code, type }) => [code, type]),
      [
        ['AMS', 'DISTRIBUTION'],
        ['REG', 'REGIONAL'],
      ],
    );
  });

  it('are joined to their owner by id, under its present name', () => {
    const { grid_areas } = compileGridAreas([older], operators);
    assert.deepEqual(grid_areas[0], {
      ...older[0],
      owner: '16800',
      owner_name: 'Fågelås Elnät AB',
      eic: null,
    });
  });

  it('keep an operator that was dropped only while an area names it', () => {
    const { operators: kept } = compileGridAreas([older, newer], operators);
    assert.deepEqual(
      kept.map(({ id }) => id),
      ['16800', '51300'],
    );
  });

  it('have no owner id when the register has none, or two owners have the name', () => {
    const unknown = [
      area('XXX', 'DISTRIBUTION', 'Okänd AB'),
      { ...area('YYY', 'DISTRIBUTION', 'Z'), owner: '12345' },
    ];
    assert.deepEqual(
      compileGridAreas([unknown], operators).grid_areas.map(({ owner }) => owner),
      [null, null],
    );
    const twins = [
      [
        { id: '11111', name: 'Tvilling AB' },
        { id: '22222', name: 'Tvilling AB' },
      ],
    ];
    assert.equal(
      compileGridAreas([[area('TVI', 'DISTRIBUTION', 'Tvilling AB')]], twins).grid_areas[0]?.owner,
      null,
    );
  });
});

describe('shapes', () => {
  const circle = (points: number): Polygon => [
    {
      lon: Float64Array.from({ length: points }, (_, index) => 15 + Math.cos((2 * Math.PI * index) / points)),
      lat: Float64Array.from(
        { length: points },
        (_, index) => 60 + Math.sin((2 * Math.PI * index) / points) / 2,
      ),
    },
  ];

  it('lose points and keep their outline', () => {
    const [full, simple] = [circle(1_000), simplify([circle(1_000)], 0.01)[0] ?? []];
    const left = simple[0]?.lon.length ?? 0;
    assert.ok(left > 8 && left < 60, `${left} points`);
    const holds = (polygon: Polygon) => {
      const shapes = indexShapes([{ of: 'circle', polygons: [polygon] }]);
      return ({ lat, lon }: { lat: number; lon: number }) => shapes.at(lat, lon).length > 0;
    };
    const [inFull, inSimple] = [holds(full), holds(simple)];
    // Well inside and well outside, all around.
    for (let angle = 0; angle < 360; angle += 1) {
      const at = (share: number) => ({
        lon: 15 + share * Math.cos((angle * Math.PI) / 180),
        lat: 60 + (share * Math.sin((angle * Math.PI) / 180)) / 2,
      });
      for (const share of [0.95, 1.05])
        assert.equal(inSimple(at(share)), inFull(at(share)), `${angle} ${share}`);
    }
  });

  it('keep a ring that would collapse', () => {
    assert.equal(simplify([circle(12)], 10)[0]?.[0]?.lon.length, 12);
  });

  it('need all four price areas', () => {
    assert.throws(
      () => compileZones([box('SE1', [12, 65, 24, 69])]),
      /The shapes of SE2, SE3, SE4 are missing/,
    );
  });

  it('have their holes', () => {
    const outer = box('SE1', [10, 60, 20, 66]).polygons[0]?.[0] ?? [];
    const hole = box('SE1', [14, 62, 16, 64]).polygons[0]?.[0] ?? [];
    const zones = compileZones([
      { area: 'SE1', polygons: [[outer, hole]] },
      box('SE2', [14, 62, 16, 64]),
      box('SE3', [0, 0, 1, 1]),
      box('SE4', [2, 2, 3, 3]),
    ]);
    const find = areaFinder(zones);
    assert.deepEqual(find({ lat: 63, lon: 15 }), { area: 'SE2', isInside: true });
    assert.deepEqual(find({ lat: 61, lon: 15 }), { area: 'SE1', isInside: true });
  });

  it('of one concession are merged, and refused when two owners have it', () => {
    const part = { id: '1', owner_name: 'A', polygons: box('x', [14, 62, 16, 64]).polygons };
    assert.equal(compileConcessions([part, part])[0]?.polygons.length, 2);
    assert.throws(
      () => compileConcessions([part, { ...part, owner_name: 'B' }]),
      /The concession 1 has several owners/,
    );
  });
});

describe('borders of municipalities', () => {
  const ring = [
    [18, 59],
    [18, 60],
    [19, 60],
    [18, 59],
  ] as const;
  const municipalities = [
    { code: '0180', name: 'Stockholm' },
    { code: '0182', name: 'Nacka' },
  ];

  it('are merged by code', () => {
    const shapes = ['0180', '0182', '0180'].map((code) => ({ code, polygons: [[ring]] }));
    assert.deepEqual(
      compileMunicipalityShapes(shapes, municipalities).map(({ municipality, polygons }) => [
        municipality,
        polygons.length,
      ]),
      [
        ['0180', 2],
        ['0182', 1],
      ],
    );
  });

  it('are refused when one is missing or unknown', () => {
    const only = [{ code: '0180', polygons: [[ring]] }];
    assert.throws(
      () => compileMunicipalityShapes(only, municipalities),
      /1 municipalities are missing: Nacka \(0182\)/,
    );
    assert.throws(
      () => compileMunicipalityShapes([...only, { code: '9999', polygons: [[ring]] }], municipalities),
      /no municipality 9999; refresh the table of municipalities first/,
    );
  });
});

describe('compiling', () => {
  it('changes nothing without originals', () => {
    const { tables: same } = compileTables(tables, {});
    assert.deepEqual(same.postal_codes, tables.postal_codes);
    assert.deepEqual(same.sources, tables.sources);
  });

  it('computes price areas again when a grid area moves to another one', () => {
    const moved = tables.grid_areas.map((area) =>
      area.code === 'VMO' ? { ...area, elomrade: 'SE3' as const } : area,
    );
    const sources = [{ name: 'eSett', licence: 'x', as_of: '2027-01-01' }];
    const { tables: after } = compileTables(tables, {
      gridAreas: { registers: [moved], operators: [tables.operators], sources },
    });
    const of = (place: string) =>
      new Set(after.postal_codes.filter((row) => row.place === place).map(({ elomrade }) => elomrade));
    assert.deepEqual([...of('Värnamo')], ['SE3']);
    assert.deepEqual(
      after.sources.filter(({ table }) => table === 'grid_areas'),
      [{ table: 'grid_areas', ...sources[0] }],
    );
  });
});
