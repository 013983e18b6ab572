import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { strToU8, zipSync } from 'fflate';
import { dbf, PRJ, RING, SQUARE, shp } from '../../../test/kit/shapefile.ts';
import { OperatorError } from '../../core/errors.ts';
import { findBordersLink, parseMunicipalityBorders } from './scb-borders.ts';

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

async function faultOf(bytes: Uint8Array): Promise<string> {
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
    it(`are read from ${what}`, async () => {
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

  it('are read from GeoJSON with either name of the code', async () => {
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
    it(`are refused: ${what}`, async () => assert.match(await faultOf(bytes), sentence));
  }
});

describe("SCB's page of borders", () => {
  const page = 'https://www.scb.se/hitta/digitala-granser/';

  it('is searched for the newest edition', () => {
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
