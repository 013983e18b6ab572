import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { indexShapes, type Polygon, simplify } from '../../domain/market/areas/index.ts';
import { compileGridAreas, type RegisteredArea } from './index.ts';
import { areaFinder } from './price-areas.ts';
import { compileConcessions, compileMunicipalityShapes, compileZones } from './shapes.ts';
import { box } from './test-shapes.ts';

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

  it('shapes lose points and keep their outline', () => {
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

  it('shapes keep a ring that would collapse', () => {
    assert.equal(simplify([circle(12)], 10)[0]?.[0]?.lon.length, 12);
  });

  it('shapes need all four price areas', () => {
    assert.throws(
      () => compileZones([box('SE1', [12, 65, 24, 69])]),
      /The shapes of SE2, SE3, SE4 are missing/,
    );
  });

  it('shapes have their holes', () => {
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

  it('shapes of one concession are merged, and refused when two owners have it', () => {
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

  it('borders of municipalities are merged by code', () => {
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

  it('borders of municipalities are refused when one is missing or unknown', () => {
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

  it('grid areas of several registers are those of the newest register for each type', () => {
    const { grid_areas } = compileGridAreas([older, newer], operators);
    assert.deepEqual(
      grid_areas.map(({ code, type }) => [code, type]),
      [
        ['AMS', 'DISTRIBUTION'],
        ['REG', 'REGIONAL'],
      ],
    );
  });

  it('grid areas of several registers are joined to their owner by id, under its present name', () => {
    const { grid_areas } = compileGridAreas([older], operators);
    assert.deepEqual(grid_areas[0], {
      ...older[0],
      owner: '16800',
      owner_name: 'Fågelås Elnät AB',
      eic: null,
    });
  });

  it('grid areas of several registers keep an operator that was dropped only while an area names it', () => {
    const { operators: kept } = compileGridAreas([older, newer], operators);
    assert.deepEqual(
      kept.map(({ id }) => id),
      ['16800', '51300'],
    );
  });

  it('grid areas of several registers have no owner id when the register has none, or two owners have the name', () => {
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
