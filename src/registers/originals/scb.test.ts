import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { strToU8, zipSync } from 'fflate';
import { dbf, PRJ, RING, SQUARE, shp } from '../../../test/kit/shapefile.ts';
import { OperatorError } from '../../core/errors.ts';
import {
  findBordersLink,
  parseMunicipalities,
  parseMunicipalityBorders,
  parsePostalMunicipalities,
} from './scb.ts';

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
  it("codes of municipalities are read from SCB's metadata of its population table", () => {
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

  it('codes of municipalities are read from a CSV', () => {
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
    it(`codes of municipalities are refused: ${what}`, () =>
      assert.match(
        faultOf(() => parseMunicipalities(bytes(value), 'f')),
        sentence,
      ));
  }
});

describe('municipalities of postal codes', () => {
  it('municipalities of postal codes are read from a CSV, quoted or not', () => {
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
    it(`municipalities of postal codes are refused: ${what}`, () =>
      assert.match(
        faultOf(() => parsePostalMunicipalities(bytes(text), 'f')),
        sentence,
      ));
  }
});

const inner = (names: readonly string[], row: readonly string[]) =>
  zipSync({
    'Kommun_Sweref99TM.shp': shp([SQUARE]),
    'Kommun_Sweref99TM.dbf': dbf(names, [row]),
    'Kommun_Sweref99TM.prj': strToU8(PRJ),
  });
const KOMMUN = inner(['KnKod', 'KnNamn'], ['2580', 'Luleå']);
const EDITION = zipSync({ 'Kommun_Sweref99TM.zip': KOMMUN, 'LanSweref99TM.zip': inner(['LnKod'], ['25']) });

const geoJson = (properties: object) =>
  strToU8(
    JSON.stringify({
      type: 'FeatureCollection',
      features: [{ type: 'Feature', properties, geometry: { type: 'Polygon', coordinates: [RING] } }],
    }),
  );

async function borderFaultOf(bytes: Uint8Array): Promise<string> {
  try {
    await parseMunicipalityBorders(bytes, 'b');
  } catch (error) {
    assert.ok(error instanceof OperatorError, String(error));
    return error.message;
  }
  return 'no fault';
}

describe('borders of municipalities', () => {
  for (const [what, bytes] of [
    ["SCB's edition, a zip file of zip files", EDITION],
    ['the zip file of municipalities in it', KOMMUN],
  ] as const) {
    it(`borders of municipalities are read from ${what}`, async () => {
      const { source, shapes } = await parseMunicipalityBorders(bytes, 'b.zip');
      assert.match(source.name, /SCB/);
      assert.deepEqual(
        shapes.map(({ code }) => code),
        ['2580'],
      );
      const [lon = 0, lat = 0] = shapes[0]?.polygons[0]?.[0]?.[0] ?? [];
      assert.ok(Math.abs(lon - 21.96) < 0.1 && Math.abs(lat - 65.59) < 0.1, `${lat}, ${lon}`);
    });
  }

  it('borders of municipalities are read from GeoJSON with either name of the code', async () => {
    const scb = await parseMunicipalityBorders(geoJson({ KnKod: '2580' }), 'b.geojson');
    const other = await parseMunicipalityBorders(geoJson({ id: '2580', kom_namn: 'Luleå' }), 'b.geojson');
    assert.match(scb.source.name, /SCB/);
    assert.match(other.source.name, /sweden-geojson/);
    assert.deepEqual(scb.shapes, other.shapes);
    assert.deepEqual(other.shapes, [{ code: '2580', polygons: [[RING]] }]);
  });

  for (const [what, bytes, sentence] of [
    ['nothing', new Uint8Array(), /is empty/],
    ['a web page', strToU8('<!DOCTYPE html>'), /is a web page/],
    ['counties only', inner(['LnKod'], ['25']), /feature 1 has no KnKod or id of four digits/],
    ['a number for a code', geoJson({ id: 2580 }), /feature 1 has no KnKod or id of four digits/],
    ['a zip file without a shapefile', zipSync({ 'a.txt': strToU8('a') }), /it holds none/],
    [
      'exchanged coordinates',
      geoJson({ id: '2580' }).map((byte) => (byte === 0x32 ? 0x37 : byte)),
      /closed rings/,
    ],
  ] as const) {
    it(`borders of municipalities are refused: ${what}`, async () =>
      assert.match(await borderFaultOf(bytes), sentence));
  }
});

describe("SCB's page of borders", () => {
  const page = 'https://www.scb.se/hitta/digitala-granser/';

  it("SCB's page of borders is searched for the newest edition", () => {
    const html = `<a href="/contentassets/a/shape_svenska_250108.zip">Shape</a>
      <a href='/contentassets/b/shape_svenska_260225.zip?x=1&amp;y=.zip'>Shape</a> <a href="/mapinfo.zip">MapInfo</a>`;
    assert.match(
      findBordersLink(html, page),
      /^https:\/\/www\.scb\.se\/contentassets\/b\/shape_svenska_260225/,
    );
    assert.throws(
      () => findBordersLink('<a href="/x.zip">x</a>', page),
      /no link to a zip file named shape_svenska/,
    );
  });
});
