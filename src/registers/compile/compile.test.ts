import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readTables } from '../../domain/market/areas/index.ts';
import { compileTables } from './index.ts';
import { placePostalCodes } from './postal-codes.ts';
import { assignPriceAreas } from './price-areas.ts';
import { compileZones } from './shapes.ts';
import { box } from './test-shapes.ts';

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
  it('price areas of the bundled postal codes follow the division of 2011 for well-known municipalities', () => {
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

  it('price areas of the bundled postal codes are SE3 in all of Dalarna', () => {
    const dalarna = tables.postal_codes.filter(({ municipality }) => municipality.startsWith('20'));
    assert.ok(dalarna.length > 300);
    assert.deepEqual([...new Set(dalarna.map(({ elomrade }) => elomrade))], ['SE3']);
  });

  it('price areas of the bundled postal codes are several only in municipalities that a border crosses', () => {
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
  it('the price area of a postal code is that of the polygon, or of the nearest for coast and islands', () => {
    assert.deepEqual(judged({ place: 'Bor', municipality: '0683', lat: 56.9, lon: 14 }), ['SE4', 'polygon']);
    assert.deepEqual(judged({ place: 'Bor', municipality: '0683', lat: 57.2, lon: 11.9 }), [
      'SE3',
      'nearest_polygon',
    ]);
  });

  it('the price area of a postal code is that of the grid area with its name, whatever the polygon', () => {
    assert.deepEqual(judged({ place: 'Värnamo', municipality: '0683', lat: 57.18, lon: 14 }), [
      'SE4',
      'register',
    ]);
  });

  it('the price area of a postal code is not that of a namesake far away', () => {
    assert.deepEqual(judged({ place: 'Berg', municipality: '0683', lat: 57.2, lon: 14 }), ['SE3', 'polygon']);
  });

  it('the price area of a postal code is that of the municipality when no border crosses it', () => {
    const home = { place: 'Mora', municipality: '2062', lat: 60.99, lon: 14 };
    const strayed = { place: 'Mora', municipality: '2062', lat: 61.1, lon: 14 };
    assert.deepEqual(judged(strayed, [home, home]), ['SE3', 'municipality']);
    const nowhere = { place: 'Mora', municipality: '2062', lat: null, lon: null };
    assert.deepEqual(judged(nowhere, [home]), ['SE3', 'municipality']);
  });

  it('the price area of a postal code is that of its neighbour without a position in a municipality that a border crosses', () => {
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

  it('the municipality of a postal code is the one that both sources or only one of them state', () => {
    assert.deepEqual(place([at('10001', '0683')], [{ code: '10001', place: 'Bor', municipality: '0683' }]), [
      ['10001', '0683', 'stated'],
    ]);
    assert.deepEqual(place([at('10001', '0683')], []), [['10001', '0683', 'stated']]);
    assert.deepEqual(place([at('10001', null)], [{ code: '10001', place: 'Bor', municipality: '1380' }]), [
      ['10001', '1380', 'stated'],
    ]);
  });

  it('the municipality of a postal code is the one that other codes of the place have when two sources disagree', () => {
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

  it('the municipality of a postal code is that of the place when none is stated, or the place contradicts it', () => {
    const { positioned, stated } = witnesses('1380');
    assert.deepEqual(place([at('10001', null), ...positioned], stated)[0], ['10001', '1380', 'same_place']);
    assert.deepEqual(place([at('10001', '0683'), ...positioned], stated)[0], ['10001', '1380', 'same_place']);
  });

  it('the municipality of a postal code stays with a namesake, whatever the surrounding codes', () => {
    const positioned = [at('10001', '0683', 'Värnamo'), ...others.map((code) => at(code, null, 'Värnamo'))];
    const stated = others.map((code) => ({ code, place: 'Värnamo', municipality: '1380' }));
    assert.deepEqual(place(positioned, stated)[0], ['10001', '0683', 'stated']);
  });

  it('the municipality of a postal code otherwise is that of the nearest code, by position or by number', () => {
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

  it('the municipality of a postal code keeps codes that only one source has', () => {
    const rows = place([at('10001', '0683')], [{ code: '10002', place: 'Bor', municipality: '0683' }]);
    assert.deepEqual(
      rows.map(([code]) => code),
      ['10001', '10002'],
    );
  });
});

describe('compiling', () => {
  it('compiling changes nothing without originals', () => {
    const { tables: same } = compileTables(tables, {});
    assert.deepEqual(same.postal_codes, tables.postal_codes);
    assert.deepEqual(same.sources, tables.sources);
  });

  it('compiling computes price areas again when a grid area moves to another one', () => {
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
